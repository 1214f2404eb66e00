// PLAN: what a scan will read, as a value.
//
// A plan is made from a listing, partition values and (when asked) the footers of the files. It
// reads no data, it can be printed and serialised, and nothing that reads changes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <shoal/file_format.h>
#include <shoal/listing.h>
#include <shoal/schema_rules.h>
#include <shoal/statistics.h>
#include <shoal/virtual_columns.h>

namespace shoal {

/// One column of the output: a name and an expression over the table schema.
struct ProjectedColumn {
  std::string name;
  arrow::compute::Expression expression;
};

/// The question. Filters apply first, then offset and limit, then the projection; a filter may use
/// columns outside it.
struct ScanRequest {
  /// Not set: all columns of the table schema. Empty: no columns, rows are still counted.
  std::optional<std::vector<ProjectedColumn>> columns;
  arrow::compute::Expression filter = arrow::compute::literal(true);
  std::optional<int64_t> limit;
  int64_t offset = 0;
};

struct PlanOptions {
  /// Read the footers of kept files, so that row groups are pruned and counted in the plan.
  /// Without, that happens while the plan is read.
  bool collect_statistics = true;
  /// Also collect min, max and null counts of every column (Fragment::column_statistics, and merged
  /// ScanPlan::statistics), and the order of the rows (Fragment::ordering); needs
  /// collect_statistics.
  bool column_statistics = false;
  /// Footer reads in flight, at most.
  int meta_fetch_concurrency = 32;
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
};

/// Values of the partition keys of a directory, in the order of ScanPlan::partition_schema.
using PartitionValues = std::vector<std::shared_ptr<arrow::Scalar>>;

/// A column that rows are sorted by, in the order of arrow::compute::SortIndices.
struct SortColumn {
  std::string name;
  bool descending = false;
  bool nulls_first = false;
  friend bool operator==(const SortColumn&, const SortColumn&) = default;
};

struct RowGroupSize {
  int64_t rows = 0;
  int64_t bytes = 0;  // in the file, compressed
};

/// A file, or some of its row groups, with the values of its partition keys.
struct Fragment {
  std::string path;
  FileVersion version = {};
  std::shared_ptr<const PartitionValues> partition_values;
  /// Not set: all those that the filter cannot rule out, decided when the file is opened.
  std::optional<std::vector<int>> row_groups;
  /// One for each of `row_groups`; empty where they are not known.
  std::vector<RowGroupSize> row_group_sizes;
  /// In the fragment, before filtering; bytes are compressed, as in the file.
  Precision<int64_t> num_rows;
  Precision<int64_t> num_bytes;
  /// Of the table's columns in the fragment, before filtering; null: PlanOptions did not ask.
  std::shared_ptr<const std::vector<ColumnStatistics>> column_statistics;
  /// Columns of the table that the rows of the fragment are sorted by, read in file order, the
  /// first column first: what the file declares of each row group, where bounds prove that one row
  /// group goes on where the other ended. Empty: nothing is known, or PlanOptions did not ask.
  std::vector<SortColumn> ordering;
};

enum class PruneLevel { kDirectory, kFileKeys, kFileStatistics, kRowGroup };
std::string_view ToString(PruneLevel level);

/// One AND-ed part of the filter: what it ruled out at each level, and why it could not where it
/// could not.
struct ConjunctReport {
  std::string conjunct;  // as it was asked, without the casts that binding adds
  int64_t directories_pruned = 0;
  int64_t files_pruned = 0;
  int64_t row_groups_pruned = 0;
  std::string limitation;  // why it pruned nothing; empty if it pruned something
};

/// Directories that carry the same key, as a filter over keys saw them.
struct LevelReport {
  std::string key;  // the last one of their paths
  int64_t directories = 0;
  int64_t directories_kept = 0;
};

/// Something the plan will not read.
struct PrunedPiece {
  std::string path;
  int row_group = -1;  // -1: all of it
  PruneLevel level = PruneLevel::kFileKeys;
  int conjunct = -1;  // index into PruneReport::conjuncts
};

struct PruneReport {
  std::string filter;  // as it was asked; empty if there is none
  std::vector<ConjunctReport> conjuncts;
  /// From the root down, where directories were judged before they were listed: not where all files
  /// were known already, and not without a filter over keys.
  std::vector<LevelReport> levels;
  int64_t directories_pruned = 0;
  /// Files that the listing gave; not those of directories that their keys had ruled out.
  int64_t files_listed = 0;
  /// Of these, the files that their keys do not rule out.
  int64_t files_kept_by_keys = 0;
  /// Of these, the files that are read (ScanPlan::fragments): footers may rule out some, and a
  /// limit may need fewer.
  int64_t files_kept = 0;
  /// Over the files whose footers the plan has read.
  int64_t row_groups_seen = 0;
  int64_t row_groups_kept = 0;
  int64_t footers_read = 0;
  int64_t footers_cached = 0;
  int64_t metadata_bytes = 0;
  StoreRequests store_requests;  // for footers
  /// The pieces themselves, as far as kMaxPieces goes; the counts above are always complete.
  static constexpr size_t kMaxPieces = 1000;
  std::vector<PrunedPiece> pruned;
};

/// What finding out the table schema took. That happens once for a dataset, before its first plan;
/// later plans tell it again. All zero where the schema was declared.
struct InspectionReport {
  int64_t files = 0;  // whose schemas made the table schema
  int64_t footers_read = 0;
  int64_t footers_cached = 0;  // kept on disk by an earlier process
  int64_t metadata_bytes = 0;
  /// Of footers, and of listing a sample. (Where all files were inspected, later plans use that
  /// listing: it stands in their listing report.)
  StoreRequests store_requests;
};

/// The answer. A value: copy it, print it, send it; two threads may read one plan at once.
struct ScanPlan {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::shared_ptr<const FileFormat> format;
  /// The table's columns, and behind them the virtual ones that the request uses.
  std::shared_ptr<arrow::Schema> table_schema;
  std::vector<VirtualField> virtual_columns;
  /// The table schema was given, not found: files are cast to it wherever Arrow can, and a value
  /// that does not fit is an error. Otherwise a file's type must be one whose values the table's
  /// type holds all.
  bool schema_declared = false;
  /// How the columns of files became those of the table, and do when they are read.
  SchemaRules schema_rules;
  /// A column that a file has and the table has not is an error (strict: kUnseenColumn).
  bool strict_columns = false;
  /// With virtual columns of files, which are as keys that every path carries.
  std::shared_ptr<arrow::Schema> partition_schema;
  std::shared_ptr<arrow::Schema> output_schema;
  /// Columns are always set here. References are by name and the casts are there (see BindFilter),
  /// but the expressions are not bound: whoever uses them binds them, once.
  ScanRequest request;
  std::vector<Fragment> fragments;  // in dataset order
  TableStatistics statistics;       // of the fragments, before filtering; follows table_schema
  PruneReport prune;
  ListingReport listing;
  InspectionReport inspection;
  /// What planning asked of the store, without the inspection.
  StoreRequests store_requests() const;

  std::string ToString() const;
  /// One JSON document with all that reading the plan takes, and besides, for people, the two
  /// reports and the statistics. Of the filesystem it says the type only, so it holds no
  /// credentials. NotImplemented: the filesystem is made in Python.
  arrow::Result<std::string> ToJson() const;
  /// A plan that reads the same rows as the one that ToJson was called on. Fragments have their
  /// ordering. Of the statistics there are num_rows and total_bytes; statistics of columns,
  /// `prune`, `listing` and `inspection` are not read back and stand as in a new plan. The local
  /// disk is found anew; a plan over any other filesystem needs it given, which is an error to
  /// leave out.
  static arrow::Result<ScanPlan> FromJson(
      std::string_view json, std::shared_ptr<arrow::fs::FileSystem> filesystem = nullptr);
};

}  // namespace shoal
