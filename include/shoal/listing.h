// LIST: which files make up a table, and which keys their paths carry.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include <shoal/partitioning.h>
#include <shoal/unit.h>

namespace shoal {

/// Why something that was found is not read as data, or deserves a word. `strict` turns any of them into an error.
enum class ListingIssue {
  kHidden,           // name begins with `_` or `.`
  kZeroByte,         // an empty file
  kDirectoryMarker,  // an object that stands for a folder
  kExtension,        // name misses the wanted extension
  kMisfit,           // path does not fit the declared partitioning
  kMissingKey,       // kept: files at uneven depth, a missing key reads as null
  kEscapedName,      // path is not UTF-8
  kSubdirectory,     // below a subdirectory while ignore_subdirectory is set
};
inline constexpr int kNumListingIssues = 8;
/// "hidden", "zero_byte", ...: the names used by reports and by `strict`.
std::string_view ToString(ListingIssue issue);
arrow::Result<ListingIssue> ParseListingIssue(std::string_view name);

/// What listing found and left out, and what it cost. Nothing vanishes without a count here.
struct ListingReport {
  static constexpr size_t kMaxExamples = 5;
  struct Entry {
    int64_t count = 0;
    std::vector<std::string> examples;  // paths, at most kMaxExamples
  };
  std::array<Entry, kNumListingIssues> issues;

  int64_t files = 0;                // data files found
  int64_t directories_listed = 0;   // directory reads
  int64_t directories_pruned = 0;   // not listed, by a filter over keys
  int64_t files_pruned = 0;         // listed, then dropped by a filter over keys
  int64_t stat_calls = 0;
  bool complete = true;             // false where a limit ended the listing early

  const Entry& operator[](ListingIssue i) const { return issues[static_cast<size_t>(i)]; }
  void Add(ListingIssue issue, std::string_view path);
  void Merge(const ListingReport& other);
  std::string ToString() const;
};

/// Partition keys of n paths (directories or files), as text, dictionary-encoded.
struct KeyColumn {
  static constexpr int32_t kAbsent = -1;
  std::string name;
  std::vector<std::optional<std::string>> distinct;  // no value: null
  std::vector<int32_t> index;                        // per path: into `distinct`, or kAbsent: the path has no such key
};
struct KeyTable {
  int64_t num_rows = 0;
  std::vector<KeyColumn> columns;  // in order of first appearance by path
  const KeyColumn* Find(std::string_view name) const;
};

/// The files of a table, columnar, in the order of the bytes of their full paths (directories compared with a
/// trailing `/`). Immutable once built; safe from any thread.
class FileTable {
 public:
  int64_t num_files() const { return static_cast<int64_t>(name_.size()); }
  std::string path(int64_t i) const { return directories_[directory_[i]] + name_[i]; }
  /// With a trailing `/`, or empty.
  const std::string& directory(int64_t i) const { return directories_[directory_[i]]; }
  int64_t size(int64_t i) const { return size_[i]; }          // SourceFile::kUnknown if not told
  int64_t mtime_ns(int64_t i) const { return mtime_ns_[i]; }  // SourceFile::kUnknown if not told
  const KeyTable& keys() const { return keys_; }

  /// For those who build one: files must come in order. `keys` names the values of this file's path.
  int32_t AddDirectory(std::string path);
  void AddFile(int32_t directory, std::string name, int64_t size, int64_t mtime_ns,
               const std::vector<PartitionKey>& keys);
  /// Appends the files of a later page.
  void Append(const FileTable& page);

 private:
  std::vector<std::string> directories_;
  std::vector<int32_t> directory_;
  std::vector<std::string> name_;
  std::vector<int64_t> size_, mtime_ns_;
  KeyTable keys_;
};

/// Judges paths by their keys: one bool for each row of the table, false = can hold no row that is wanted. Of
/// directories, a key that is kAbsent may still come deeper down; of files, it is null.
using KeyFilter = std::function<arrow::Result<std::vector<bool>>(const KeyTable& keys)>;

struct ListOptions {
  std::shared_ptr<const Partitioning> partitioning = MakeNoPartitioning();
  /// Only the part of a path below it is parsed for keys; empty: each source's own directory.
  std::string partition_base_dir;
  /// Wanted file name endings, with the dot; empty: all.
  std::vector<std::string> extensions;
  std::vector<std::string> ignore_prefixes = {"_", "."};
  bool ignore_subdirectory = false;
  std::set<ListingIssue> strict;
  /// Directory reads in flight, at most.
  int list_concurrency = 100;
  /// Directories below a source, at most; deeper is an error (a loop of links, most likely).
  int max_depth = 64;
  /// Stat each kept file even where listing does not tell size and mtime (local disks).
  bool need_size = false;
  KeyFilter directory_filter;  // may be null
  KeyFilter file_filter;       // may be null
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
};

/// Receives files page by page, in order; returns false to end the listing.
using PageSink = std::function<arrow::Result<bool>(FileTable page)>;

/// Where the names of a table's files come from: a walk over a filesystem, a manifest, a catalog.
/// Thread rule: List may be called from several threads at once.
class ListingSource {
 public:
  virtual ~ListingSource() = default;
  virtual std::string Describe() const = 0;
  virtual const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const = 0;
  /// Lists everything that `options` lets through. The report counts what was passed over.
  virtual arrow::Result<ListingReport> List(const ListOptions& options, const PageSink& sink) const = 0;
};

/// The files named by `sources`: URIs (file:, s3:, gs:, abfs:), paths, globs (`*`, `?`, `[..]`, `{a,b}`, `**`), files or
/// folders; several overlapping ones give each file once. A path that exists literally is taken literally. With
/// `filesystem`, sources are paths on it. Touches no store: everything is looked at when listed.
arrow::Result<std::shared_ptr<const ListingSource>> MakeListingSource(
    std::vector<std::string> sources, std::shared_ptr<arrow::fs::FileSystem> filesystem = nullptr);

}  // namespace shoal
