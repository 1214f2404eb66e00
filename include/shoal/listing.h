// LIST: which files make up a table, and which keys their paths carry.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include <shoal/partitioning.h>
#include <shoal/store_requests.h>
#include <shoal/unit.h>

namespace shoal {

/// Why something that was found is not read as data, or deserves a word. `strict` turns any of them
/// into an error.
enum class ListingIssue {
  kHidden,           // name begins with one of ignore_prefixes; a directory counts once, with all
                     // that is in it
  kZeroByte,         // an empty file
  kDirectoryMarker,  // an object that stands for a folder
  kExtension,        // name misses the wanted extension
  kMisfit,           // path lacks a key that the partitioning requires
  kMissingKey,       // kept: files at uneven depth, a missing key reads as null
  kNotUtf8,          // path is not UTF-8; the report percent-encodes it
  kSubdirectory,     // a subdirectory that is no partition, while ignore_subdirectory is set
  kSpecialFile,      // a pipe, socket or device
  kUnseenColumn,     // kept: a file has a column that no inspected file had; it is not read. Known
                     // where the file's facts are read, by planning or by the scan; keys of JSON
                     // lines where the lines are read
};
inline constexpr int kNumListingIssues = 10;
/// "hidden", "zero_byte", ...: the names used by reports and by `strict`.
std::string_view ToString(ListingIssue issue);
arrow::Result<ListingIssue> ParseListingIssue(std::string_view name);
/// Whether what has the issue is read all the same. True of kMissingKey and kUnseenColumn;
/// all else is left out.
bool IsKept(ListingIssue issue);

/// What listing found and left out, and what it cost. Nothing vanishes without a count here.
struct ListingReport {
  static constexpr size_t kMaxExamples = 5;
  struct Entry {
    int64_t count = 0;
    std::vector<std::string> examples;  // paths, at most kMaxExamples
  };
  std::array<Entry, kNumListingIssues> issues;

  int64_t files = 0;               // data files found
  int64_t directories_listed = 0;  // directory reads
  int64_t directories_cached = 0;  // directories that a listing cache remembered
  int64_t directories_pruned = 0;  // not listed, by a filter over keys
  int64_t files_pruned = 0;        // listed, then dropped by a filter over keys
  int64_t stat_calls = 0;          // single looks at one path
  StoreRequests store_requests;    // what these took
  bool recursive = false;  // whole subtrees were read by one request each, as object stores can
  /// The directories that equalities over keys led to without a listing of those above them.
  std::vector<std::string> known_prefixes;
  bool complete = true;  // false where the listing was ended early

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
  std::vector<int32_t> index;  // per path: into `distinct`, or kAbsent: the path has no such key
};
struct KeyTable {
  int64_t num_rows = 0;
  std::vector<KeyColumn> columns;  // in order of first appearance by path
  const KeyColumn* Find(std::string_view name) const;
};

/// Builds a KeyTable, one path after the other.
class KeyTableBuilder {
 public:
  /// Keys as positions in the table, looked up once for a directory and then appended for each of
  /// its files. The keys become part of the table even if the row is never appended. Valid for this
  /// builder only.
  using Row =
      std::vector<int32_t>;  // per column: into `distinct`, or kAbsent; later columns are absent
  Row Resolve(const std::vector<PartitionKey>& keys) { return Resolve({}, keys); }
  /// The keys of `row` and `more`.
  Row Resolve(Row row, const std::vector<PartitionKey>& more);
  void Append(const Row& row);
  void Append(const KeyTable& later);
  void Reserve(int64_t rows);

  const KeyTable& table() const { return table_; }

 private:
  /// Places in `distinct` by the hash of the text: open addressing, no allocation a value.
  struct Lookup {
    std::vector<int32_t> slots;  // a power of two, or none; kAbsent where free
    int32_t null = KeyColumn::kAbsent;
  };
  int32_t ColumnOf(const std::string& name);
  int32_t ValueOf(int32_t column, const std::optional<std::string>& value);

  KeyTable table_;
  std::vector<Lookup> lookup_;  // per column
};

/// The files of a table, columnar, in the order of the bytes of their full paths (directories
/// compared with a trailing `/`). Immutable once built; safe from any thread.
class FileTable {
 public:
  int64_t num_files() const { return static_cast<int64_t>(directory_.size()); }
  int32_t num_directories() const { return static_cast<int32_t>(directories_.size()); }
  std::string path(int64_t i) const;
  /// Without the directory. Valid as long as the table.
  std::string_view name(int64_t i) const {
    return std::string_view(names_).substr(name_end_[i], name_end_[i + 1] - name_end_[i]);
  }
  /// With a trailing `/`, or empty.
  const std::string& directory(int64_t i) const { return directories_[directory_[i]].path; }
  /// As far as the listing told it.
  FileVersion version(int64_t i) const { return versions_.empty() ? FileVersion() : versions_[i]; }
  const KeyTable& keys() const { return keys_.table(); }
  /// The keys of one file.
  std::vector<PartitionKey> KeysOf(int64_t i) const;

  /// For those who build one: files must come in order. `path` of a directory ends in `/` or is
  /// empty. All files of a directory have its keys, and those given with the file besides.
  int32_t AddDirectory(std::string path, std::vector<PartitionKey> keys = {});
  void AddFile(int32_t directory, std::string_view name, const FileVersion& version,
               const std::vector<PartitionKey>& keys = {});
  /// Appends the files of a later page.
  void Append(const FileTable& page);
  /// The files for which `keep` holds.
  FileTable Select(const std::vector<bool>& keep) const;
  void Reserve(int64_t files, int64_t name_bytes);

 private:
  void AddVersion(const FileVersion& version);

  struct Directory {
    std::string path;
    std::vector<PartitionKey> keys;
    // Looked up with the first file, so that keys of empty directories leave no trace.
    bool resolved = false;
    KeyTableBuilder::Row row;
  };
  std::vector<Directory> directories_;
  std::vector<int32_t> directory_;
  std::string names_;
  std::vector<int64_t> name_end_ = {0};
  std::vector<FileVersion> versions_;  // empty while none is known: local listings tell none
  KeyTableBuilder keys_;
};

/// Judges paths by their keys: one bool for each row of the table, false = can hold no row that is
/// wanted. Of directories, a key that is kAbsent may still come deeper down; of files, it is null.
using KeyFilter = std::function<arrow::Result<std::vector<bool>>(const KeyTable& keys)>;

struct ListOptions {
  std::shared_ptr<const Partitioning> partitioning = MakeNoPartitioning();
  /// Only the part of a path below it is parsed for keys, written like the sources; empty: each
  /// source's own directory (of a glob: the directory before the first wildcard).
  std::string partition_base_dir;
  /// Wanted file name endings, with the dot, in upper or lower case; empty: all. Files that are
  /// sources themselves are taken whatever their names are.
  std::vector<std::string> extensions;
  std::vector<std::string> ignore_prefixes = {"_", "."};
  bool ignore_subdirectory = false;
  std::set<ListingIssue> strict;
  /// Directory reads in flight, at most.
  int list_concurrency = 100;
  /// Directories below a source, at most; deeper is an error (a loop of links, most likely).
  int max_depth = 64;
  /// Stat each kept file where listing does not tell size and mtime (local disks). Else empty files
  /// are found later, when they are opened, and no file has a version until it is planned, even
  /// where something else (a link, a source that is a file) took a stat: files replaced while a
  /// dataset is open are met alike.
  bool need_size = false;
  /// Keep what is read for later listings by the same source, as far as a few MiB go. For listings
  /// of a part of the tree: of a full one, whoever asks for it has all.
  bool remember = false;
  KeyFilter directory_filter;  // may be null
  KeyFilter file_filter;       // may be null
  /// Keys that have this text in all that directory_filter keeps: a walk goes straight to the
  /// directory that they name where it can have no other name (Partitioning::OnlyDirectory).
  std::vector<PartitionKey> key_values;
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
};

/// Receives files page by page, in order, never an empty page; returns false to end the listing.
using PageSink = std::function<arrow::Result<bool>(FileTable page)>;

/// Some of a table's files, spread evenly over it.
struct FileSample {
  FileTable files;
  bool complete = false;  // these are all files
  ListingReport report;   // of what was looked at
};

/// Where the names of a table's files come from: a walk over a filesystem, a manifest, a catalog.
/// Thread rule: List and Sample may be called from several threads at once. Filters and sinks are
/// called by the calling thread only.
class ListingSource {
 public:
  virtual ~ListingSource() = default;
  virtual std::string Describe() const = 0;
  virtual const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const = 0;
  /// Lists everything that `options` lets through. The report counts what was passed over. Finding
  /// nothing is not an error here, but a source that does not exist is one, with the detail of
  /// ENOENT.
  virtual arrow::Result<ListingReport> List(const ListOptions& options,
                                            const PageSink& sink) const = 0;
  /// About `n` files, all of them if there are no more than that. This default lists everything.
  virtual arrow::Result<FileSample> Sample(const ListOptions& options, int64_t n) const;
};

/// How a source uses the listing cache, which is one for the process (see listing_cache.h).
struct ListingCacheUse {
  /// Directories that were listed no longer ago are not listed again. Zero: the cache is not used.
  std::chrono::milliseconds ttl{0};
  /// What was listed before that moment is not believed, however young.
  std::chrono::steady_clock::time_point since{};
};

/// The files named by `sources`: URIs (file:, s3:, gs:, abfs:), paths, globs (`*`, `?`, `[..]`,
/// `{a,b}`, `**`), files or folders, all on one filesystem; several overlapping ones give each file
/// once. A path that exists literally is taken literally; a folder that a glob matches stands for
/// all that is in it. With `filesystem`, sources are paths on it. Looks at no file: that happens
/// when listing. (S3 looks up the region of a bucket if the URI does not tell it.)
/// `remembered`: what listings of this process remember is believed as far as that goes. One source
/// is one snapshot: directories that it has read for a sample, or was asked to remember, it does
/// not read again.
///
/// File and directory links are followed; a link to a directory above itself, a link to nothing and
/// a directory that cannot be read are errors that name them.
arrow::Result<std::shared_ptr<const ListingSource>> MakeListingSource(
    std::vector<std::string> sources, std::shared_ptr<arrow::fs::FileSystem> filesystem = nullptr,
    ListingCacheUse remembered = {});

}  // namespace shoal
