#include "store/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace shoal::store {

namespace {

struct Name {
  std::string_view name;  // ours
  std::vector<std::string_view> others;
};

const std::vector<Name>& CommonNames() {
  static const std::vector<Name> names = {
      {"deadline", {}},
      {"timeout", {"request_timeout"}},
      {"anonymous", {"anon", "skip_signature"}},
  };
  return names;
}

const std::vector<Name>& NamesOf(Kind kind) {
  static const std::vector<Name> s3 = {
      {"access_key", {"key", "aws_access_key_id", "access_key_id"}},
      {"secret_key", {"secret", "aws_secret_access_key", "secret_access_key"}},
      {"session_token", {"token", "aws_session_token", "aws_token"}},
      {"region", {"aws_region", "aws_default_region", "default_region", "region_name"}},
      {"endpoint",
       {"endpoint_url", "endpoint_override", "aws_endpoint_url", "aws_endpoint",
        "aws_endpoint_url_s3"}},
      {"scheme", {}},
      {"allow_http", {"aws_allow_http"}},
      {"anonymous", {"aws_skip_signature"}},
      {"virtual_addressing",
       {"virtual_hosted_style_request", "aws_virtual_hosted_style_request",
        "force_virtual_addressing"}},
      {"role_arn", {}},
      {"session_name", {}},
      {"external_id", {}},
      {"connect_timeout", {}},
  };
  static const std::vector<Name> gcs = {
      {"service_account",
       {"google_service_account", "service_account_path", "google_service_account_path",
        "google_application_credentials", "application_credentials"}},
      {"service_account_key", {"google_service_account_key"}},
      {"token", {}},
      {"access_token", {"google_access_token"}},
      {"project", {"project_id"}},
      {"endpoint", {"endpoint_url", "endpoint_override", "google_base_url"}},
      {"scheme", {}},
      {"anonymous", {"google_skip_signature"}},
  };
  static const std::vector<Name> azure = {
      {"account_name", {"azure_storage_account_name", "azure_account_name"}},
      {"account_key",
       {"azure_storage_account_key", "azure_storage_access_key", "azure_storage_master_key",
        "access_key", "master_key"}},
      {"sas_token", {"azure_storage_sas_token", "azure_storage_sas_key", "sas_key"}},
      {"tenant_id", {"azure_storage_tenant_id", "azure_tenant_id", "authority_id"}},
      {"client_id", {"azure_storage_client_id", "azure_client_id"}},
      {"client_secret", {"azure_storage_client_secret", "azure_client_secret"}},
      {"endpoint", {"azure_endpoint", "azure_storage_endpoint", "account_host"}},
      {"anonymous", {"azure_skip_signature"}},
  };
  return kind == Kind::kS3 ? s3 : kind == Kind::kGcs ? gcs : azure;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view FindName(Kind kind, std::string_view given) {
  for (const auto* names : {&NamesOf(kind), &CommonNames()}) {
    for (const Name& name : *names) {
      if (name.name == given || std::count(name.others.begin(), name.others.end(), given) > 0)
        return name.name;
    }
  }
  return "";
}

std::string KnownNames(Kind kind) {
  std::string out;
  for (const auto* names : {&NamesOf(kind), &CommonNames()}) {
    for (const Name& name : *names) {
      if (out.find(" " + std::string(name.name) + ",") != out.npos) continue;
      out += " " + std::string(name.name) + ",";
    }
  }
  out.pop_back();
  return out;
}

}  // namespace

std::optional<Kind> KindOf(std::string_view uri) {
  const std::string scheme = Lower(uri.substr(0, std::min(uri.find("://"), uri.size())));
  if (scheme == "s3") return Kind::kS3;
  if (scheme == "gs" || scheme == "gcs") return Kind::kGcs;
  if (scheme == "abfs" || scheme == "abfss") return Kind::kAzure;
  return std::nullopt;
}

arrow::Result<Options> Options::Parse(Kind kind, const std::map<std::string, std::string>& given) {
  Options options;
  std::map<std::string_view, std::string> spelled;
  for (const auto& [key, value] : given) {
    const std::string_view name = FindName(kind, Lower(key));
    if (name.empty()) {
      const char* store = kind == Kind::kS3 ? "S3" : kind == Kind::kGcs ? "GCS" : "Azure";
      return arrow::Status::Invalid(
          "Unknown storage option '", key, "'; ", store,
          " takes (and other programs' names for them):", KnownNames(kind));
    }
    if (const auto [it, is_new] = spelled.emplace(name, key); !is_new) {
      return arrow::Status::Invalid("The storage options '", it->second, "' and '", key,
                                    "' mean the same; give one of them");
    }
    if (!value.empty()) options.values_.emplace(name, value);
  }
  options.spelled_ = std::move(spelled);
  return options;
}

const std::string& Options::operator[](std::string_view name) const {
  static const std::string empty;
  const auto it = values_.find(name);
  return it == values_.end() ? empty : it->second;
}

arrow::Status Options::Add(std::string_view name, std::string value) {
  if (!values_.emplace(name, std::move(value)).second) {
    return arrow::Status::Invalid("The storage option '", name,
                                  "' is given in the URI as well; give it once");
  }
  return arrow::Status::OK();
}

std::string Options::Spelled(std::string_view name) const {
  const auto it = spelled_.find(name);
  return "'" + (it == spelled_.end() ? std::string(name) : it->second) + "'";
}

arrow::Status Options::OnlyOneOf(std::initializer_list<std::string_view> names) const {
  std::string_view first;
  for (const std::string_view name : names) {
    if (!Has(name)) continue;
    if (name == "anonymous") {
      ARROW_ASSIGN_OR_RAISE(const bool anonymous, Flag(name));
      if (!anonymous) continue;
    }
    if (!first.empty()) {
      return arrow::Status::Invalid("The storage options ", Spelled(first), " and ", Spelled(name),
                                    " are different credentials; give one of them");
    }
    first = name;
  }
  return arrow::Status::OK();
}

arrow::Status Options::OnlyWith(std::string_view name,
                                std::initializer_list<std::string_view> needed) const {
  if (!Has(name)) return arrow::Status::OK();
  for (const std::string_view other : needed) {
    if (!Has(other)) {
      return arrow::Status::Invalid("The storage option ", Spelled(name),
                                    " means nothing without '", other, "'; give both, or none");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<bool> Options::Flag(std::string_view name) const {
  const std::string value = Lower((*this)[name]);
  if (value == "true" || value == "1" || value == "yes") return true;
  if (value.empty() || value == "false" || value == "0" || value == "no") return false;
  return arrow::Status::Invalid("The storage option '", name, "' is '", value,
                                "', but must be true or false");
}

arrow::Result<double> Options::Seconds(std::string_view name, double otherwise) const {
  if (!Has(name)) return otherwise;
  std::string text = (*this)[name];
  if (text.ends_with('s')) text.pop_back();  // "30s", as object_store has it
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr double kMost = 86'400;
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) ||
      seconds > kMost) {
    return arrow::Status::Invalid("The storage option '", name, "' is '", (*this)[name],
                                  "', but must be seconds, more than 0 and at most ", kMost);
  }
  return seconds;
}

arrow::Result<Limits> Options::ReadLimits() const {
  Limits limits;
  const auto read = [&](std::string_view name, std::chrono::milliseconds* out) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const double seconds,
                          Seconds(name, static_cast<double>(out->count()) / 1000));
    *out = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000) + 1);
    return arrow::Status::OK();
  };
  if (Has("deadline")) ARROW_RETURN_NOT_OK(read("deadline", &limits.deadline));
  if (Has("timeout")) ARROW_RETURN_NOT_OK(read("timeout", &limits.attempt));
  return limits;
}

}  // namespace shoal::store
