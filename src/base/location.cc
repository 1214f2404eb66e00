#include "base/location.h"

#include <cctype>
#include <filesystem>
#include <unordered_map>

#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/localfs.h>

#include "base/glob.h"
#include "base/path.h"
#include "base/s3.h"
#include "base/status_context.h"
#include "base/text.h"

namespace shoal::base {

namespace {

struct UriParts {
  std::string authority;  // with the scheme, as written: `s3://bucket`, `file://`
  std::string path;       // as written
  std::string query;      // with the `?`
};

// Where the query begins: `?` is also a wildcard, so it must be followed by `name=`.
size_t FindQuery(std::string_view text) {
  for (size_t i = text.find('?'); i != std::string_view::npos; i = text.find('?', i + 1)) {
    size_t j = i + 1;
    while (j < text.size() && (std::isalnum(static_cast<unsigned char>(text[j])) || text[j] == '_'))
      ++j;
    if (j > i + 1 && j < text.size() && text[j] == '=') return i;
  }
  return text.size();
}

UriParts SplitUri(std::string_view uri) {
  UriParts parts;
  size_t path = uri.find(':') + 1;
  if (uri.substr(path).starts_with("//")) path = std::min(uri.find('/', path + 2), uri.size());
  parts.authority = uri.substr(0, path);
  uri.remove_prefix(path);
  const size_t query = FindQuery(uri);
  parts.path = uri.substr(0, query);
  parts.query = uri.substr(query);
  return parts;
}

// URIs as people write them hold spaces and letters beyond ASCII; `%XX` is kept as it is.
std::string EncodeUriPath(std::string_view path) {
  return PercentEncode(path, [](unsigned char byte) {
    return byte <= 0x20 || byte >= 0x7F ||
           std::string_view("\"#<>?[\\]^`{|}").find(static_cast<char>(byte)) !=
               std::string_view::npos;
  });
}

arrow::Result<std::string> LocalPath(std::string_view source) {
  std::string path = NormalizePath(source);
  if (path.starts_with('/')) return path;
  std::error_code error;
  const std::filesystem::path current = std::filesystem::current_path(error);
  if (error) {
    return ErrnoError(error.value(), "Cannot tell the working directory that the relative path '",
                      std::string(source), "' starts from; give an absolute path.");
  }
  return JoinPath(NormalizePath(current.string()), path);
}

class Resolver {
 public:
  explicit Resolver(std::shared_ptr<arrow::fs::FileSystem> filesystem)
      : given_(filesystem != nullptr), filesystem_(std::move(filesystem)) {}

  const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const { return filesystem_; }

  arrow::Result<std::string> Path(const std::string& source) {
    if (source.empty() && !given_) {
      return arrow::Status::Invalid("A source is empty; give a path or a URI.");
    }
    // `file:name` is no URI that means anything, but may be the name of a file.
    std::error_code ignored;
    const bool may_be_name = source.starts_with("file:") && !source.starts_with("file:/");
    if (IsUri(source) && !(may_be_name && std::filesystem::exists(source, ignored)))
      return UriPath(source);
    if (!given_) {
      ARROW_RETURN_NOT_OK(Use(source, std::make_shared<arrow::fs::LocalFileSystem>()));
      return LocalPath(source);
    }
    if (filesystem_->type_name() == "local") return LocalPath(source);
    std::string path = NormalizePath(source);
    // Below its base, with a slash at the beginning or without.
    if (filesystem_->type_name() == "subtree" && path.starts_with('/')) path.erase(0, 1);
    return path;
  }

 private:
  arrow::Result<std::string> UriPath(const std::string& uri) {
    UriParts parts = SplitUri(uri);
    if (parts.authority.starts_with("file:")) {
      if (!parts.path.starts_with('/') ||
          (parts.authority != "file:" && parts.authority != "file://" &&
           parts.authority != "file://localhost")) {
        return arrow::Status::Invalid(
            "The URI '", uri,
            "' is not absolute; write file:///path, or give a relative path without `file:`.");
      }
      // The store's own parser would refuse what only a glob can hold.
      const std::optional<std::string> decoded = PercentDecode(parts.path);
      if (!given_) ARROW_RETURN_NOT_OK(Use(uri, std::make_shared<arrow::fs::LocalFileSystem>()));
      if (filesystem_->type_name() != "local") {
        return arrow::Status::Invalid("The source '", uri,
                                      "' does not lie on the given filesystem (",
                                      filesystem_->type_name(), "); give a path on it.");
      }
      return NormalizePath(decoded.value_or(parts.path));
    }

    // Only what lies before the first wildcard is shown to the store's parser.
    std::string base = parts.path;
    std::string rest;
    if (HasGlobCharacters(parts.path)) {
      ARROW_ASSIGN_OR_RAISE(Glob glob, Glob::Parse(NormalizePath(parts.path)));
      base = glob.base();
      rest = glob.pattern().substr(AsPrefix(base).size());
      rest = PercentDecode(rest).value_or(rest);
    }
    if (base.empty()) base = "/";  // `s3://bucket`: all of it
    const std::string clean = parts.authority + EncodeUriPath(base) + parts.query;
    const std::string store = parts.authority + parts.query;
    std::string path;
    auto known = stores_.find(store);
    if (given_ || known != stores_.end()) {
      auto found = filesystem_->PathFromUri(clean);
      if (!found.ok()) {
        return WithContext(found.status(), "The source '" + uri +
                                               "' does not lie on the filesystem in use (" +
                                               filesystem_->type_name() + ")");
      }
      path = *std::move(found);
    } else {
      if (clean.starts_with("s3:")) ARROW_RETURN_NOT_OK(InitializeS3());
      auto made = arrow::fs::FileSystemFromUri(clean, &path);
      if (clean.starts_with("s3:")) FinalizeS3AtExit();
      if (!made.ok() && made.status().message().starts_with("Unrecognized filesystem type")) {
        return arrow::Status::Invalid(
            "The URI '", uri, "' names no store that is known; file:, s3:, gs: and abfs: are");
      }
      if (!made.ok()) return WithContext(made.status(), "Cannot open the store of '" + uri + "'");
      ARROW_RETURN_NOT_OK(Use(uri, *std::move(made)));
      stores_.emplace(store, true);
    }
    return JoinPath(NormalizePath(path), NormalizePath(rest));
  }

  // All sources must lie on one filesystem: a table is opened, planned and shipped with one set of
  // credentials.
  arrow::Status Use(const std::string& source, std::shared_ptr<arrow::fs::FileSystem> filesystem) {
    if (filesystem_ == nullptr) {
      filesystem_ = std::move(filesystem);
      first_source_ = source;
      return arrow::Status::OK();
    }
    if (filesystem_->Equals(*filesystem)) return arrow::Status::OK();
    return arrow::Status::Invalid("The sources '", first_source_, "' and '", source,
                                  "' lie on different filesystems; open them as two datasets.");
  }

  const bool given_;
  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  std::string first_source_;
  std::unordered_map<std::string, bool> stores_;
};

}  // namespace

bool IsUri(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '+' ||
                             text[i] == '-' || text[i] == '.')) {
    ++i;
  }
  if (i < 2 || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
  return text.substr(i).starts_with("://") || text.substr(0, i + 1) == "file:";
}

StoreOfUri SplitStore(std::string_view uri) {
  UriParts parts = SplitUri(uri);
  return {std::move(parts.authority), std::move(parts.query)};
}

std::string WithoutSecrets(std::string_view uri) {
  if (!IsUri(uri)) return std::string(uri);
  UriParts parts = SplitUri(uri);
  const size_t begin = parts.authority.find("://"), end = parts.authority.rfind('@');
  // `container@account.dfs.core.windows.net` holds no secret, and names the store.
  if (begin != std::string::npos && end != std::string::npos &&
      parts.authority.find(':', begin + 3) < end)
    parts.authority.erase(begin + 3, end + 1 - (begin + 3));
  return parts.authority + parts.path;
}

bool IsLocal(const arrow::fs::FileSystem& filesystem) { return filesystem.type_name() == "local"; }

arrow::Result<Locations> ResolveLocations(const std::vector<std::string>& sources,
                                          std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  Resolver resolver(std::move(filesystem));
  Locations locations;
  for (const std::string& source : sources) {
    ARROW_ASSIGN_OR_RAISE(std::string path, resolver.Path(source));
    locations.paths.push_back(std::move(path));
    locations.ends_with_slash.push_back(source.ends_with('/') || source.ends_with("/."));
  }
  locations.filesystem = resolver.filesystem();
  return locations;
}

}  // namespace shoal::base
