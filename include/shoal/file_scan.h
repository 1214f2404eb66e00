// The contract with query engines: what a scan does with filters and a limit, and all that an
// engine needs to take a scan over.
//
// An engine works in three steps:
//
//   1. Dataset::SupportsFilters tells of each filter whether the engine must apply it as well.
//   2. Dataset::FileScan plans with projection, filters, limit and offset, and gives a
//      FileScanConfig: file groups, statistics, what is left to do.
//   3. The groups run, each on a thread of the engine, in one of two modes:
//
//        kShoalReads    BatchStream::Make(config.GroupPlan(g)) gives batches of scan_schema
//        kEngineReads   the engine reads config.file_groups[g] with a reader of its own, and
//                       config.MakeAdapter(fragment, file's schema) makes its batches into batches
//                       of scan_schema
//
//      Then, in both modes: FileScanConfig::Finish (or the engine's own filter operator with
//      residual_filters, and its own projection), offset and limit over what all groups gave.
//
// The order of meaning is always: filters, then offset and limit, then projection. A filter may use
// columns outside the projection.
//
// docs/engines.md tells the same as a guide; examples/engine is a small engine that does it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/filesystem/type_fwd.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include <shoal/file_format.h>
#include <shoal/file_groups.h>
#include <shoal/plan.h>
#include <shoal/statistics.h>

namespace shoal {

/// Who reads the files of a scan.
enum class ReadMode {
  kShoalReads,
  /// An engine with a reader of its own: shoal lists, plans and prunes, and sees no row.
  kEngineReads,
};

/// What the rows of a scan have gone through.
enum class FilterUse {
  /// They are those that the filter is true for: the engine need not apply it.
  kExact,
  /// Directories, files and row groups without such rows may have been left out: the engine must
  /// apply it.
  kInexact,
  /// The scan makes no use of it: the engine must apply it.
  kUnsupported,
};
/// "exact", "inexact", "unsupported".
std::string_view ToString(FilterUse use);

struct FilterSupport {
  FilterUse use = FilterUse::kUnsupported;
  std::string reason;  // a short sentence, for people
};

/// All columns; or those of these names; or those at these places of the table schema. In the order
/// given, each at most once; of a struct column, all of it.
using ColumnChoice = std::variant<std::monostate, std::vector<std::string>, std::vector<int>>;

/// What an engine asks for.
struct ScanArguments {
  ColumnChoice projection = {};
  /// A row must pass all of them.
  std::vector<arrow::compute::Expression> filters = {};
  /// Of the rows that pass.
  std::optional<int64_t> limit = {};
  int64_t offset = 0;
};

/// A promise of the user's about the rows of the table. shoal checks that the columns are there,
/// and neither checks nor makes up the promise itself.
struct TableConstraint {
  enum class Kind { kPrimaryKey, kUnique };
  Kind kind = Kind::kUnique;
  std::vector<std::string> columns;
};

/// The names are those that engines use. Two more of them, list_concurrency and
/// ignore_subdirectory, belong to listing and stand in OpenOptions.
struct FileScanOptions {
  ReadMode mode = ReadMode::kShoalReads;
  /// Read the footers of kept files: row groups are pruned in the plan, and rows, bytes, bounds and
  /// nulls of every column counted. Without, a fragment is a whole file, and a limit leaves out no
  /// file.
  bool collect_statistics = true;
  /// Footer reads in flight, at most.
  int meta_fetch_concurrency = 32;
  /// target_partitions, preserve_file_partitions and the rest of how files are divided.
  FileGroupOptions grouping = {};
  std::vector<TableConstraint> constraints = {};
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
};

/// From the batches of one file, however they were read, to batches of FileScanConfig::scan_schema.
/// Columns and fields of structs are matched by name and put in the scan's order; narrower types
/// are widened (with a declared schema: cast, and a value that does not fit is an error); what the
/// file lacks is null; partition keys have the value that the path says.
///
/// Thread rule: const methods are called from many threads at once. Owns what it needs: the
/// configuration may go.
class SchemaAdapter {
 public:
  ~SchemaAdapter();

  /// What must be read of the file. Empty: nothing; batches then need only have the right number of
  /// rows.
  /// As columns of the file's schema, ascending:
  const std::vector<int>& columns() const;
  /// As its leaves (columns without columns inside, counted depth first), ascending: fields of
  /// structs that nobody asks for are left out. These are the `column_indices` of
  /// parquet::arrow::FileReader.
  const std::vector<int>& leaves() const;

  /// `batch` has at least the columns() or the leaves(), in any order, with whatever else; its
  /// types need not be those of the file's schema, as long as they fit the table's. Buffers of
  /// columns that need no change are shared.
  /// Errors name the file and the column: one that was not read, a type that does not fit
  /// (TypeError, NotImplemented), a value that does not (Invalid).
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Adapt(
      const arrow::RecordBatch& batch,
      arrow::MemoryPool* pool = arrow::default_memory_pool()) const;

 private:
  friend struct FileScanConfig;
  class Impl;
  explicit SchemaAdapter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A scan that an engine can take over: a value, made by Dataset::FileScan. Copy it, keep it; it
/// stays valid when the dataset is gone. Thread rule: several threads may use one at once.
struct FileScanConfig {
  ReadMode mode = ReadMode::kShoalReads;

  // ---- Where the rows are

  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::shared_ptr<const FileFormat> format;
  /// Groups can run at once; the fragments of a group are read one after another. A fragment tells
  /// path and version (a file that no longer has it is another file: an engine that reads it
  /// should refuse it), the row groups to read (not set: all of them), and partition values.
  FileGroups file_groups;

  // ---- Columns

  /// All columns of the table: those of the files, then partition keys.
  std::shared_ptr<arrow::Schema> table_schema;
  /// The columns that are expected of files: table_schema without partition keys.
  std::shared_ptr<arrow::Schema> file_schema;
  /// The partition keys; Fragment::partition_values follows it.
  std::shared_ptr<arrow::Schema> partition_schema;
  /// Places in table_schema of the columns that come out of groups: first those of the projection,
  /// then those that only residual_filters use.
  std::vector<int> projection;
  /// table_schema at these places: what streams and adapters give.
  std::shared_ptr<arrow::Schema> scan_schema;
  /// What was asked for: the beginning of scan_schema.
  std::shared_ptr<arrow::Schema> output_schema;

  // ---- Filters

  /// For each of ScanArguments::filters, what Dataset::SupportsFilters says.
  std::vector<FilterSupport> filters;
  /// What the engine must still apply, joined by AND: the parts of filters that are not exact.
  /// Bound to scan_schema, but for those that shoal cannot bind, which are as given.
  std::vector<arrow::compute::Expression> residual_filters;

  // ---- Limit and offset

  /// As asked for. Whoever joins the groups skips `offset` rows of what residual_filters let
  /// through and stops after `limit`: groups skip nothing.
  std::optional<int64_t> limit;
  int64_t offset = 0;
  /// The plan knows of limit and offset: it leaves out files that are not needed, where row counts
  /// tell, and BatchStream::Make(*plan) applies both. Only where all filters are exact: else rows
  /// that count might be taken for rows that the engine drops.
  bool limit_pushed = false;
  /// Why not, though there is a limit or an offset.
  std::string limit_reason;
  /// Rows that a group need give, at most: limit + offset where the limit is pushed.
  std::optional<int64_t> group_limit;

  // ---- What is known

  /// Of the rows that groups give, before residual_filters, limit and offset; follows table_schema.
  /// Where shoal applies a filter over data, all of it is inexact.
  TableStatistics statistics;
  /// The partition keys, if rows that are equal in all of them are in one group, so that an engine
  /// need not bring them together; FileGroup::partition_values tells which are where. Empty:
  /// nothing is known, or the scan's columns lack a key.
  std::vector<std::string> output_partitioning;
  /// Columns of scan_schema that the rows of each group are sorted by, if the group's fragments are
  /// read in their order; see FileGroups::output_ordering. Empty: nothing is declared.
  std::vector<SortColumn> output_ordering;
  /// As given.
  std::vector<TableConstraint> constraints;
  /// The whole scan, with what was pruned and why. It gives scan_schema, and leaves
  /// residual_filters to others.
  std::shared_ptr<const ScanPlan> plan;

  /// The plan that reads one group, with limit and offset as said above. REQUIRES: group <
  /// file_groups.groups.size().
  ScanPlan GroupPlan(size_t group) const;

  /// For batches of a fragment's file that shoal did not read. `file_schema` is the file's own, as
  /// the engine's reader makes it of the footer. Errors (TypeError, NotImplemented, Invalid) name
  /// the file, the column and both types.
  arrow::Result<std::unique_ptr<SchemaAdapter>> MakeAdapter(const Fragment& fragment,
                                                            const arrow::Schema& file_schema) const;

  /// The rows of a batch of scan_schema that pass residual_filters, with the columns of
  /// output_schema. NotImplemented: shoal cannot apply one of them.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish(
      std::shared_ptr<arrow::RecordBatch> batch,
      arrow::MemoryPool* pool = arrow::default_memory_pool()) const;
};

}  // namespace shoal
