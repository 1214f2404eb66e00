// Dataset: the thing one opens. Wires listing, schema, planning and reading together.
//
//   ARROW_ASSIGN_OR_RAISE(auto flights, shoal::Dataset::Open({"data/flights"}));
//   ARROW_ASSIGN_OR_RAISE(auto filter, shoal::ParseFilter("month = 6 and dep_delay > 60"));
//   ARROW_ASSIGN_OR_RAISE(auto stream, flights->Scan({.filter = filter}));
//   while (true) { ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next()); if (!batch) break; ... }
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <shoal/file_format.h>
#include <shoal/file_scan.h>
#include <shoal/filter.h>
#include <shoal/infer_from.h>
#include <shoal/listing.h>
#include <shoal/partitioning.h>
#include <shoal/plan.h>
#include <shoal/scan.h>
#include <shoal/schema_rules.h>
#include <shoal/virtual_columns.h>

namespace shoal {

struct OpenOptions {
  /// Sources are paths on it; null: URIs, or paths on the local disk.
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  /// "parquet", "csv", ...; empty: by the first known extension, else by the first bytes of a file.
  std::string format;
  /// A format of one's own, or one with options (MakeCsvFormat, ...), in place of `format`. May be
  /// null.
  std::shared_ptr<const FileFormat> file_format;
  /// What the types of text files are found from, whether their format is inferred or named. Where
  /// it turns out to be none of text there is nothing to infer, and that is no error; it is one to
  /// name such a format, or to give `file_format`, which has an option of its own.
  InferFrom infer = InferFrom::kSample;
  /// Null: hive, where paths have `key=value` directories.
  std::shared_ptr<const Partitioning> partitioning;
  /// Only the part of a path below it is parsed for keys, written like the sources; empty: each
  /// source's own directory.
  std::string partition_base_dir;
  /// The table schema; null: found by inspection. With it, opening reads no footer.
  std::shared_ptr<arrow::Schema> schema;
  /// Files inspected for the schema: all when there are at most this many, else this many spread
  /// evenly. kAll: all.
  static constexpr int64_t kAll = -1;
  int64_t inspect = 256;
  /// What is done about names that several columns of one file have, whether names are compared
  /// without case, and which types go together: see SchemaRules. With case_insensitive, a request
  /// names a column as the table does, or in another case; JSON files are NotImplemented.
  DuplicateNames duplicate_names = DuplicateNames::kError;
  bool case_insensitive = false;
  Promote promote = Promote::kLossless;
  /// Wanted file name ending, with the dot; empty: that of the format when the format was inferred.
  std::string extension;
  /// Files and directories whose names begin so are hidden; not directories that name a key
  /// (`_key=value`).
  std::vector<std::string> ignore_prefixes = {"_", "."};
  /// Leave out subdirectories that carry no partition key.
  bool ignore_subdirectory = false;
  /// Names of columns about files that requests may use besides the table's own.
  VirtualColumnNames virtual_columns;
  /// Kinds of listing issues that are errors; the others are only counted in listing_report().
  std::set<ListingIssue> strict;
  /// Directory reads in flight, at most; at least 1.
  int list_concurrency = 100;
  /// Folder in which facts of files (of Parquet files: their footers) are kept for later datasets
  /// and processes; made when it is needed. Empty: nowhere. UserCacheDirectory() is the customary
  /// one. What is kept is used only for a file of the same path and FileVersion; a folder that
  /// cannot be used costs no answer, only a word in Dataset::cache_report().
  std::string cache;
  /// Bytes that the folder may take. What was used least recently goes first.
  int64_t cache_limit = int64_t{1} << 30;
  /// So long a full listing answers for its sources and for folders in them, within this process:
  /// see listing_cache.h. Zero: every dataset lists for itself.
  std::chrono::milliseconds listing_cache_ttl{0};
  /// How to reach the store of `s3://`, `gs://` and `abfs://` sources, by the names that Polars,
  /// pandas and pyarrow users know (docs/object-stores.md lists them): credentials, endpoint,
  /// region, and `deadline`, the seconds that one operation may take with all its retries (60). An
  /// unknown name is an error. Not with `filesystem`, which has its own.
  std::map<std::string, std::string> storage_options;
};

/// The folder for OpenOptions::cache: $XDG_CACHE_HOME/shoal, or ~/.cache/shoal. An error where
/// neither XDG_CACHE_HOME nor HOME is set.
arrow::Result<std::string> UserCacheDirectory();

/// What OpenOptions::cache did for a dataset.
struct CacheReport {
  std::string path;         // the file in the folder that is this dataset's; empty: no cache
  int64_t files_known = 0;  // files that it has facts of
  int64_t files_used = 0;   // times that facts were taken from it
  int64_t files_added = 0;  // files whose facts were written to it
  std::string problem;      // why it could not be read or written; empty: nothing went wrong
};

/// A snapshot of a table: files are listed once, on first need. Immutable; safe to use from any
/// thread. Shared, because scans and Python objects outlive the variable that opened it.
///
/// Which calls block: the first of schema(), partition_schema(), format() and of all that follow
/// them inspects the table, which lists some or all of it and reads footers; files() and
/// listing_report() list the rest, once. Those that come meanwhile wait for it. Plan() lists what
/// is not known yet and reads footers if asked to; Scan() does the same as far as a limit needs it,
/// and starts reading with the stream's first Next(); Count() reads all that it must. Open() and
/// Refresh() ask nothing of a store but the region of an S3 bucket whose URI does not tell it, and
/// filesystem() returns at once.
class Dataset : public std::enable_shared_from_this<Dataset> {
 public:
  /// Checks the options; touches no file. Errors name the option.
  static arrow::Result<std::shared_ptr<Dataset>> Open(std::vector<std::string> sources,
                                                      OpenOptions options = {});
  /// The files of a listing source of one's own. Of the options, filesystem, storage_options and
  /// listing_cache_ttl must not be given.
  static arrow::Result<std::shared_ptr<Dataset>> OpenSource(
      std::shared_ptr<const ListingSource> source, OpenOptions options = {});
  virtual ~Dataset();

  /// Columns of the files, in order of first appearance by path, then partition keys.
  virtual arrow::Result<std::shared_ptr<arrow::Schema>> schema() const;
  virtual arrow::Result<std::shared_ptr<arrow::Schema>> partition_schema() const;
  virtual arrow::Result<std::shared_ptr<const FileFormat>> format() const;
  virtual arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> filesystem() const;
  /// All files, listed in full.
  virtual arrow::Result<std::shared_ptr<const FileTable>> files() const;
  virtual arrow::Result<ListingReport> listing_report() const;
  virtual CacheReport cache_report() const;
  /// How the columns of its files become the table's, as OpenOptions said.
  virtual SchemaRules schema_rules() const;

  /// The columns of the request's output. Checks the request; reads nothing once the schema is
  /// known.
  virtual arrow::Result<std::shared_ptr<arrow::Schema>> OutputSchema(
      const ScanRequest& request) const;
  virtual arrow::Result<ScanPlan> Plan(const ScanRequest& request,
                                       const PlanOptions& options = {}) const;
  virtual arrow::Result<std::unique_ptr<BatchStream>> Scan(const ScanRequest& request,
                                                           const ScanOptions& options = {}) const;

  /// For query engines (file_scan.h): what a scan with these filters does with each of them, and so
  /// what the engine need not do. Errors: a column that the table lacks, types that cannot be
  /// compared, a filter that is not boolean; each is a mistake whoever evaluates it. An expression
  /// that only the engine understands is unsupported.
  virtual arrow::Result<std::vector<FilterSupport>> SupportsFilters(
      const std::vector<arrow::compute::Expression>& filters,
      ReadMode mode = ReadMode::kShoalReads) const;
  /// The scan, planned for an engine to take over. Blocks as Plan() does. Errors name the option,
  /// column or file.
  virtual arrow::Result<FileScanConfig> FileScan(const ScanArguments& arguments,
                                                 const FileScanOptions& options = {}) const;

  /// Rows that match. Without a filter, or where keys and statistics decide, no data is read; with
  /// on_corrupt = kSkip all is read, since only that finds damage. What it took is told to
  /// `metrics`, if given; `rows_returned` is 0.
  virtual arrow::Result<int64_t> Count(
      const arrow::compute::Expression& filter = arrow::compute::literal(true),
      const ScanOptions& options = {}, ScanMetrics* metrics = nullptr) const;
  /// Rows, bytes and bounds of the table's columns, for the rows that match, from keys and footers
  /// alone. What a filter over data leaves is not known from these: then all figures are those of
  /// the row groups that may match, and inexact. Of the options, those on what to collect are
  /// ignored.
  virtual arrow::Result<TableStatistics> Statistics(
      const arrow::compute::Expression& filter = arrow::compute::literal(true),
      const PlanOptions& options = {}) const;

  /// The request over these fragments alone. They are of a plan of this dataset, or of another over
  /// the same files; `keys`: what their partition values are of (ScanPlan::partition_schema), which
  /// are cast to the types that the keys have here. Lists and opens nothing once the schema is
  /// known.
  virtual arrow::Result<ScanPlan> PlanFragments(const ScanRequest& request,
                                                std::vector<Fragment> fragments,
                                                const arrow::Schema& keys) const;
  /// What the file of the fragment tells of itself; null: it is empty. Opens it if it is not known.
  virtual arrow::Result<std::shared_ptr<const FileFacts>> Facts(
      const Fragment& fragment,
      const arrow::StopToken& stop = arrow::StopToken::Unstoppable()) const;
  /// Reads or counts the rows of a plan of this dataset, with what the dataset knows of its files.
  virtual arrow::Result<std::unique_ptr<BatchStream>> ScanPlanned(
      const ScanPlan& plan, const ScanOptions& options = {}) const;
  virtual arrow::Result<int64_t> CountPlanned(const ScanPlan& plan,
                                              const ScanOptions& options = {}) const;

  /// A dataset of the same sources and options, to be listed anew whatever a listing cache has
  /// of them; this one stays as it is.
  virtual arrow::Result<std::shared_ptr<Dataset>> Refresh() const;
  /// The same files as a table with that schema, which has to hold what they hold, as if they had
  /// been inspected together with others that have its other columns. Shares what is known of the
  /// files. `rules`: how the columns of files become those of the schema; not set: schema_rules().
  virtual arrow::Result<std::shared_ptr<Dataset>> WithSchema(
      std::shared_ptr<arrow::Schema> schema, std::optional<SchemaRules> rules = {}) const;

 protected:
  /// For datasets that are not files of one kind, which override all that is virtual.
  Dataset();

 private:
  class Impl;
  explicit Dataset(std::unique_ptr<Impl> impl);
  /// Of listings that are remembered, those since that moment are believed.
  static arrow::Result<std::shared_ptr<Dataset>> OpenSince(
      std::vector<std::string> sources, OpenOptions options,
      std::chrono::steady_clock::time_point since);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shoal
