#include "store/failure.h"

#include <initializer_list>

namespace shoal::store {

namespace {

bool HasOneOf(const std::string& text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

/// Without what stands between quotes: names of buckets and keys, which may be any words.
std::string WithoutNames(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find('\'', at);
    const size_t close = open == text.npos ? open : text.find('\'', open + 1);
    if (close == text.npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    at = close + 1;
  }
  return out;
}

}  // namespace

Failure Classify(const arrow::Status& status) {
  if (!status.IsIOError() && !status.IsUnknownError() && !status.IsInvalid())
    return Failure::kOther;
  const std::string text = WithoutNames(status.message());
  // S3: "AWS Error CODE during …", with "(HTTP status 503)" where the code is not known.
  // GCS: "google::cloud::Status(CODE: …". Azure: "… 403 …" and the service's code.
  if (HasOneOf(text, {"NO_SUCH_BUCKET", "NoSuchBucket", "ContainerNotFound",
                      "specified bucket does not exist", "specified container does not exist"})) {
    return Failure::kNoBucket;
  }
  if (HasOneOf(text, {"PermanentRedirect", "AuthorizationHeaderMalformed", "HTTP status 301",
                      "IllegalLocationConstraint"})) {
    return Failure::kWrongRegion;
  }
  if (HasOneOf(text, {"ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH",
                      "InvalidAccessKeyId", "SignatureDoesNotMatch", "INVALID_CLIENT_TOKEN_ID",
                      "UNRECOGNIZED_CLIENT", "EXPIRED_TOKEN", "ExpiredToken", "HTTP status 401",
                      "HTTP status 403", "PERMISSION_DENIED", "UNAUTHENTICATED",
                      "AuthenticationFailed", "AuthorizationFailure", "NoAuthenticationInformation",
                      "Server failed to authenticate", "InvalidAuthenticationInfo"})) {
    return Failure::kDenied;
  }
  // What is not there stays away.
  if (HasOneOf(text, {"NO_SUCH_KEY", "NoSuchKey", "RESOURCE_NOT_FOUND", "HTTP status 404",
                      "BlobNotFound", "(NOT_FOUND"})) {
    return Failure::kOther;
  }
  if (HasOneOf(text, {"SLOW_DOWN",
                      "SERVICE_UNAVAILABLE",
                      "INTERNAL_FAILURE",
                      "THROTTLING",
                      "REQUEST_TIMEOUT",
                      "HTTP status 429",
                      "HTTP status 500",
                      "HTTP status 502",
                      "HTTP status 503",
                      "HTTP status 504",
                      "RESOURCE_EXHAUSTED",
                      "INTERNAL:",
                      "ServerBusy",
                      "InternalError",
                      "OperationTimedOut",
                      " 429 ",
                      " 500 ",
                      " 502 ",
                      " 503 ",
                      " 504 "})) {
    return Failure::kBusy;
  }
  if (HasOneOf(text, {"NETWORK_CONNECTION", "curlCode", "curl error", "CURL error", "UNAVAILABLE",
                      "DEADLINE_EXCEEDED", "ransport", "Fail to get a new connection",
                      "Error while sending request", "ould not connect", "onnection was closed",
                      "onnection reset", "EOF"})) {
    return Failure::kNoAnswer;
  }
  return Failure::kOther;
}

std::string Advice(Failure failure, std::string_view kind) {
  switch (failure) {
    case Failure::kNoAnswer:
      return "Check the network and the endpoint";
    case Failure::kBusy:
      return "Try again later, or with fewer requests at once";
    case Failure::kDenied:
      if (kind == "s3") {
        return "Check the credentials: the storage options access_key and secret_key, "
               "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile; anonymous=true for a "
               "public bucket";
      }
      if (kind == "gcs") {
        return "Check the credentials: the storage option service_account, or "
               "GOOGLE_APPLICATION_CREDENTIALS; anonymous=true for a public bucket";
      }
      return "Check the credentials: the storage options account_key or sas_token, or "
             "AZURE_STORAGE_ACCOUNT_KEY; anonymous=true for a public container";
    case Failure::kNoBucket:
      return "Check the spelling of the bucket, and whether it lies at this endpoint";
    case Failure::kWrongRegion:
      return "Give the bucket's own region in the storage option region";
    case Failure::kOther:
      return "";
  }
  return "";
}

}  // namespace shoal::store
