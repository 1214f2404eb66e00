// Reading one directory: of the local disk straight from the system, of all other stores through
// arrow::fs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>

#include <shoal/store_requests.h>
#include <shoal/unit.h>

namespace shoal::list {

enum class EntryType : uint8_t { kNotFound, kFile, kDirectory, kSpecial, kUnresolved };

/// What one look at a path tells.
struct PathInfo {
  EntryType type = EntryType::kNotFound;
  FileVersion version = {};
};

struct RawEntry {
  uint32_t offset = 0, length = 0;  // of the name, in RawListing::names
  PathInfo info;                    // kUnresolved: a link, or the disk does not tell
};

/// The entries of a directory in no order.
struct RawListing {
  std::string names;
  std::vector<RawEntry> entries;
  bool cached = false;   // remembered, not read
  int64_t requests = 0;  // that reading it took; of a tree, those of its root are all

  std::string_view name(const RawEntry& entry) const {
    return std::string_view(names).substr(entry.offset, entry.length);
  }
  void Add(std::string_view name, const PathInfo& info) {
    entries.push_back(
        {static_cast<uint32_t>(names.size()), static_cast<uint32_t>(name.size()), info});
    names += name;
  }
};

/// Directories by their paths as prefixes (with a `/` at the end, or empty).
using RawTree = std::unordered_map<std::string, RawListing>;

/// Thread rule: all methods may be called from many threads at once.
class DirectoryReader {
 public:
  virtual ~DirectoryReader() = default;

  /// `prefix` is a directory with a `/` at its end, or empty. Errors name it. With `missing_ok`,
  /// one that does not exist has no entries.
  virtual arrow::Result<RawListing> Read(const std::string& prefix, bool missing_ok) const = 0;
  /// The directory and all below it in one request.
  virtual arrow::Result<RawTree> ReadRecursive(const std::string& prefix) const = 0;
  /// Follows links. What does not exist is no error; `dangling`, if given, is set where a link
  /// leads to nothing.
  virtual arrow::Result<PathInfo> Look(const std::string& path, bool* dangling) const = 0;

  /// Reads end soon, so they may be waited for.
  virtual bool is_local() const = 0;
  /// Directories are what keys have in common: a listing is the way to ask for one, not a look.
  virtual bool is_object_store() const = 0;
  /// One recursive request costs no more than a few plain ones.
  virtual bool prefers_recursive() const = 0;
  /// Plain reads do not see all directories.
  virtual bool requires_recursive() const = 0;
  /// A path as messages name it: on stores a URI.
  virtual std::string NameOf(const std::string& path) const = 0;
  /// Whether the directory at `path`, reached through a link, is `root` or a directory on the way
  /// down to it from the disk's root, or one on the way from `root` to `path`.
  virtual arrow::Result<bool> ClosesLoop(const std::string& root, const std::string& path) const {
    return false;
  }
};

/// What a look that found `info` took: what is no object may be a folder.
StoreRequests CostOfLook(const DirectoryReader& reader, const PathInfo& info);

std::shared_ptr<const DirectoryReader> MakeDirectoryReader(
    std::shared_ptr<arrow::fs::FileSystem> filesystem);
std::shared_ptr<const DirectoryReader> MakeLocalReader();

}  // namespace shoal::list
