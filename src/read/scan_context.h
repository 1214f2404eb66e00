// What all units of one scan share: which columns to read, the filter and the projection, bound
// once.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/memory_pool.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

#include "plan/facts_cache.h"
#include "plan/facts_loader.h"
#include "plan/file_mapping.h"
#include "plan/footer_pruner.h"
#include "plan/unseen_columns.h"
#include "runtime/counters.h"

namespace shoal::read {

/// The columns some rows are read with, and what is made of them.
struct ReadShape {
  plan::KeyedSchema columns;
  /// Bound to columns.schema. No filter: all rows pass.
  std::optional<arrow::compute::Expression> filter;
  /// Bound to columns.schema; one for each column of the output.
  std::vector<arrow::compute::Expression> projection;
  /// Per output column: the column of columns.schema that it simply is, or -1.
  std::vector<int> plain_column;
  /// The column of columns.schema that counts the rows of a file, or -1.
  int row_index = -1;
  /// The output is the batch as read.
  bool identity = false;
};

/// Immutable after Make; used from all workers at once.
class ScanContext {
 public:
  static arrow::Result<std::shared_ptr<const ScanContext>> Make(
      const ScanPlan& plan, int64_t batch_rows, arrow::MemoryPool* pool,
      std::shared_ptr<runtime::Counters> counters, std::shared_ptr<plan::FactsCache> cache);

  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  plan::TableFiles files;
  std::shared_ptr<arrow::Schema> output_schema;
  /// For rows that the filter must judge.
  ReadShape filtered;
  /// For rows that are known to pass: columns only the filter uses are not read.
  ReadShape unfiltered;
  /// Not set: no filter.
  std::optional<plan::FooterPruner> pruner;
  int64_t batch_rows = 0;
  /// Rows that the scan can make use of, offset included, where no filter drops any.
  int64_t rows_wanted = std::numeric_limits<int64_t>::max();
  arrow::MemoryPool* pool = nullptr;
  std::shared_ptr<runtime::Counters> counters;
  std::shared_ptr<plan::FactsCache> cache;  // may be null
  std::unique_ptr<plan::UnseenColumns> unseen;
  StoreRequests planning_requests;  // of the plan, and of its inspection
  ListingReport listing;            // of the plan

  /// Filter and projection over one batch of `shape.columns.schema`.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish(
      const ReadShape& shape, std::shared_ptr<arrow::RecordBatch> batch) const;
};

}  // namespace shoal::read
