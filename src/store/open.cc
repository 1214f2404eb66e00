#include "store/open.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/filesystem/azurefs.h>
#include <arrow/filesystem/gcsfs.h>
#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>
#include <arrow/util/uri.h>

#include "base/location.h"
#include "base/s3.h"
#include "base/status_context.h"
#include "store/access.h"
#include "store/options.h"

namespace shoal::store {

namespace {

using FileSystem = std::shared_ptr<arrow::fs::FileSystem>;

/// Requests in flight, at most: Arrow's S3 client keeps as many connections as its pool has
/// threads. The threads are started when something is handed to them, as listings do.
constexpr int kConnections = 128;
/// Attempts within Arrow's client, which repeats one request and not a whole listing.
constexpr int64_t kAttemptsWithin = 4;
/// The same for clients that count seconds instead.
constexpr double kSecondsWithin = 10;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Endpoint {
  std::string scheme, authority;
};

/// `http://host:port`, or `host:port` with the scheme of the options. Invalid if they contradict
/// each other.
arrow::Result<Endpoint> ParseEndpoint(std::string_view text, const Options& options) {
  ARROW_ASSIGN_OR_RAISE(const bool allow_http, options.Flag("allow_http"));
  Endpoint out{options["scheme"], ""};
  if (const size_t colon = text.find("://"); colon != text.npos) {
    const std::string_view scheme = text.substr(0, colon);
    if (!out.scheme.empty() && out.scheme != scheme) {
      return arrow::Status::Invalid("The storage option ", options.Spelled("scheme"), " is '",
                                    out.scheme, "', but the endpoint begins with ", scheme, "://");
    }
    out.scheme = scheme;
    text.remove_prefix(colon + 3);
  }
  if (out.scheme.empty()) out.scheme = allow_http ? "http" : "https";
  if (out.scheme == "http" && options.Has("allow_http") && !allow_http) {
    return arrow::Status::Invalid("The storage option ", options.Spelled("allow_http"),
                                  " is false, but the endpoint is one of http");
  }
  out.authority = text.substr(0, text.find('/'));
  return out;
}

/// Few repetitions, soon: those that take longer are Access::Call's.
class FewRetries final : public arrow::fs::S3RetryStrategy {
 public:
  explicit FewRetries(std::shared_ptr<std::atomic<int64_t>> count) : count_(std::move(count)) {}

  bool ShouldRetry(const AWSErrorDetail& error, int64_t attempted) override {
    return error.should_retry && attempted + 1 < kAttemptsWithin;
  }
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail&, int64_t attempted) override {
    ++*count_;
    return int64_t{50} << attempted;
  }

 private:
  const std::shared_ptr<std::atomic<int64_t>> count_;
};

arrow::Result<FileSystem> OpenS3(const arrow::util::Uri& uri, Options options,
                                 const Limits& limits) {
  if (!uri.username().empty()) {
    ARROW_RETURN_NOT_OK(options.Add("access_key", uri.username()));
    ARROW_RETURN_NOT_OK(options.Add("secret_key", uri.password()));
  }
  ARROW_RETURN_NOT_OK(options.OnlyOneOf({"anonymous", "role_arn", "access_key"}));
  ARROW_RETURN_NOT_OK(options.OnlyWith("session_token", {"access_key", "secret_key"}));
  ARROW_RETURN_NOT_OK(options.OnlyWith("access_key", {"secret_key"}));
  ARROW_RETURN_NOT_OK(options.OnlyWith("secret_key", {"access_key"}));
  ARROW_RETURN_NOT_OK(options.OnlyWith("session_name", {"role_arn"}));
  ARROW_RETURN_NOT_OK(options.OnlyWith("external_id", {"role_arn"}));
  std::string endpoint = options["endpoint"];
  if (endpoint.empty()) endpoint = Environment("AWS_ENDPOINT_URL_S3");
  if (endpoint.empty()) endpoint = Environment("AWS_ENDPOINT_URL");
  ARROW_ASSIGN_OR_RAISE(const Endpoint parsed, ParseEndpoint(endpoint, options));
  ARROW_RETURN_NOT_OK(base::InitializeS3());
  arrow::fs::S3Options s3;
  ARROW_ASSIGN_OR_RAISE(const bool anonymous, options.Flag("anonymous"));
  if (anonymous) {
    s3.ConfigureAnonymousCredentials();
  } else if (options.Has("role_arn")) {
    s3.ConfigureAssumeRoleCredentials(options["role_arn"], options["session_name"],
                                      options["external_id"]);
  } else if (options.Has("access_key")) {
    s3.ConfigureAccessKey(options["access_key"], options["secret_key"], options["session_token"]);
  } else {
    s3.ConfigureDefaultCredentials();
  }
  s3.endpoint_override = parsed.authority;
  s3.scheme = parsed.scheme;
  ARROW_ASSIGN_OR_RAISE(s3.force_virtual_addressing, options.Flag("virtual_addressing"));
  ARROW_ASSIGN_OR_RAISE(s3.connect_timeout, options.Seconds("connect_timeout", 1));
  const auto retries = std::make_shared<std::atomic<int64_t>>(0);
  s3.retry_strategy = std::make_shared<FewRetries>(retries);
  // One for all clients. It must outlive them, and they may outlive this process's main().
  static auto* pool = new auto(arrow::internal::ThreadPool::Make(kConnections));
  ARROW_RETURN_NOT_OK(pool->status());
  const arrow::io::IOContext io((*pool)->get());

  s3.region = options["region"];
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (s3.region.empty()) s3.region = Environment(name);
  }
  if (s3.region.empty() && !s3.endpoint_override.empty()) s3.region = "us-east-1";
  if (s3.region.empty()) {
    // A filesystem of its own only for the rules of Access; it makes no request.
    ARROW_ASSIGN_OR_RAISE(FileSystem probe, arrow::fs::S3FileSystem::Make(s3, io));
    Access::Of(probe)->SetLimits(limits);
    auto region = Access::Of(probe)->Call<std::string>(
        probe, arrow::StopToken::Unstoppable(), [bucket = uri.host()](arrow::fs::FileSystem&) {
          return arrow::fs::ResolveS3BucketRegion(bucket);
        });
    if (!region.ok()) {
      return base::WithContext(region.status(),
                               "Cannot find out the region of the bucket (give the storage option "
                               "'region' to save the question)");
    }
    s3.region = *std::move(region);
  }
  ARROW_ASSIGN_OR_RAISE(FileSystem filesystem, arrow::fs::S3FileSystem::Make(s3, io));
  base::FinalizeS3AtExit();
  Access::Of(filesystem)->SetRetries(retries);
  return filesystem;
}

arrow::Result<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || text.empty()) {
    return arrow::Status::IOError("Cannot read the service account's key file '", path, "'");
  }
  return text;
}

arrow::Result<FileSystem> OpenGcs(const arrow::util::Uri& uri, Options options) {
  if (uri.username() == "anonymous" && !options.Has("anonymous"))
    ARROW_RETURN_NOT_OK(options.Add("anonymous", "true"));
  ARROW_RETURN_NOT_OK(options.OnlyOneOf(
      {"anonymous", "service_account_key", "service_account", "access_token", "token"}));
  ARROW_RETURN_NOT_OK(options.OnlyWith("scheme", {"endpoint"}));
  ARROW_ASSIGN_OR_RAISE(bool anonymous, options.Flag("anonymous"));
  const std::string& token = options["token"];
  anonymous = anonymous || token == "anon";
  arrow::fs::GcsOptions gcs;
  const auto in_an_hour = std::chrono::system_clock::now() + std::chrono::hours(1);
  if (anonymous) {
    gcs = arrow::fs::GcsOptions::Anonymous();
  } else if (options.Has("service_account_key")) {
    gcs = arrow::fs::GcsOptions::FromServiceAccountCredentials(options["service_account_key"]);
  } else if (options.Has("service_account")) {
    ARROW_ASSIGN_OR_RAISE(const std::string json, ReadFile(options["service_account"]));
    gcs = arrow::fs::GcsOptions::FromServiceAccountCredentials(json);
  } else if (options.Has("access_token")) {
    gcs = arrow::fs::GcsOptions::FromAccessToken(options["access_token"], in_an_hour);
  } else if (token.starts_with('{')) {
    gcs = arrow::fs::GcsOptions::FromServiceAccountCredentials(token);
  } else if (token.starts_with('/') || token.ends_with(".json")) {
    ARROW_ASSIGN_OR_RAISE(const std::string json, ReadFile(token));
    gcs = arrow::fs::GcsOptions::FromServiceAccountCredentials(json);
  } else if (token.empty() || token == "google_default" || token == "cloud") {
    gcs = arrow::fs::GcsOptions::Defaults();
  } else {
    gcs = arrow::fs::GcsOptions::FromAccessToken(token, in_an_hour);
  }
  if (options.Has("endpoint")) {
    ARROW_ASSIGN_OR_RAISE(const Endpoint endpoint, ParseEndpoint(options["endpoint"], options));
    gcs.endpoint_override = endpoint.authority;
    gcs.scheme = endpoint.scheme;
  }
  if (options.Has("project")) gcs.project_id = options["project"];
  gcs.retry_limit_seconds = kSecondsWithin;
  return arrow::fs::GcsFileSystem::Make(gcs);
}

arrow::Result<FileSystem> OpenAzure(const arrow::util::Uri& uri, Options options,
                                    const std::string& query) {
  arrow::fs::AzureOptions azure;
  // `abfs://container/path` leaves the account to the options; all other forms name it.
  const bool plain = uri.username().empty() && uri.port_text().empty() &&
                     uri.host().find('.') == std::string::npos;
  if (!plain) {
    std::string path;
    ARROW_ASSIGN_OR_RAISE(azure, arrow::fs::AzureOptions::FromUri(uri, &path));
  } else if (!query.empty()) {
    return arrow::Status::Invalid("its query '", query.substr(0, query.find('=')),
                                  "=…' needs a URI that names the account; give storage options");
  }
  const auto take = [&](std::string_view name, const char* variable) {
    return options.Has(name) ? options[name] : Environment(variable);
  };
  ARROW_RETURN_NOT_OK(
      options.OnlyOneOf({"anonymous", "account_key", "sas_token", "client_secret"}));
  for (const char* name : {"client_secret", "client_id", "tenant_id"}) {
    ARROW_RETURN_NOT_OK(options.OnlyWith(name, {"client_secret", "client_id", "tenant_id"}));
  }
  if (options.Has("account_name") && !azure.account_name.empty() &&
      options["account_name"] != azure.account_name) {
    return arrow::Status::Invalid("the storage option ", options.Spelled("account_name"), " is '",
                                  options["account_name"], "', but the URI names the account '",
                                  azure.account_name, "'; give one of them");
  }
  if (azure.account_name.empty())
    azure.account_name = take("account_name", "AZURE_STORAGE_ACCOUNT_NAME");
  if (azure.account_name.empty()) {
    return arrow::Status::Invalid(
        "the account is not known; give the storage option 'account_name', or write "
        "abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH");
  }
  if (options.Has("endpoint")) {
    ARROW_ASSIGN_OR_RAISE(const Endpoint endpoint, ParseEndpoint(options["endpoint"], options));
    azure.blob_storage_authority = azure.dfs_storage_authority = endpoint.authority;
    azure.blob_storage_scheme = azure.dfs_storage_scheme = endpoint.scheme;
  }
  ARROW_ASSIGN_OR_RAISE(const bool anonymous, options.Flag("anonymous"));
  // What is given goes before what the environment has.
  const bool given = options.Has("account_key") || options.Has("sas_token");
  const std::string account_key =
      given ? options["account_key"] : Environment("AZURE_STORAGE_ACCOUNT_KEY");
  const std::string sas_token =
      given ? options["sas_token"] : Environment("AZURE_STORAGE_SAS_TOKEN");
  if (anonymous) {
    ARROW_RETURN_NOT_OK(azure.ConfigureAnonymousCredential());
  } else if (options.Has("client_secret")) {
    ARROW_RETURN_NOT_OK(azure.ConfigureClientSecretCredential(
        options["tenant_id"], options["client_id"], options["client_secret"]));
  } else if (!account_key.empty()) {
    ARROW_RETURN_NOT_OK(azure.ConfigureAccountKeyCredential(account_key));
  } else if (!sas_token.empty()) {
    ARROW_RETURN_NOT_OK(azure.ConfigureSASCredential(sas_token));
  } else if (plain) {
    ARROW_RETURN_NOT_OK(azure.ConfigureDefaultCredential());
  }
  return arrow::fs::AzureFileSystem::Make(azure);
}

arrow::Result<FileSystem> Open(Kind kind, const arrow::util::Uri& uri, const std::string& query,
                               std::map<std::string, std::string> given) {
  if (kind != Kind::kAzure) {
    ARROW_ASSIGN_OR_RAISE(const auto items, uri.query_items());
    for (const auto& [name, value] : items) {
      // What Arrow's own URIs have for other uses.
      if (name == "allow_bucket_creation" || name == "allow_bucket_deletion") continue;
      if (!given.emplace(name == "retry_limit_seconds" ? "deadline" : name, value).second)
        return arrow::Status::Invalid("'", name, "' is in its query and in the storage options");
    }
  }
  ARROW_ASSIGN_OR_RAISE(const Options options, Options::Parse(kind, given));
  ARROW_ASSIGN_OR_RAISE(const Limits limits, options.ReadLimits());
  ARROW_ASSIGN_OR_RAISE(FileSystem filesystem, kind == Kind::kS3 ? OpenS3(uri, options, limits)
                                               : kind == Kind::kGcs
                                                   ? OpenGcs(uri, options)
                                                   : OpenAzure(uri, options, query));
  Access::Of(filesystem)->SetLimits(limits);
  return filesystem;
}

}  // namespace

bool IsStoreUri(const std::string& source) {
  return source.find("://") != source.npos && KindOf(source).has_value();
}

arrow::Result<FileSystem> OpenStore(const std::string& source,
                                    const std::map<std::string, std::string>& options) {
  const auto [authority, query] = base::SplitStore(source);
  auto uri = arrow::util::Uri::FromString(authority + query);
  const std::string name = "Cannot open the store of '" + base::WithoutSecrets(source) + "'";
  if (!uri.ok()) return base::WithContext(uri.status(), name);
  auto opened = Open(*KindOf(source), *uri, query, options);
  if (!opened.ok()) return base::WithContext(opened.status(), name);
  return opened;
}

}  // namespace shoal::store
