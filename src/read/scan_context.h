// What all units of one scan share: which columns to read, the filter and the projection, bound once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/memory_pool.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

#include "plan/facts_cache.h"
#include "runtime/counters.h"

namespace shoal::read {

/// The columns some rows are read with, and what is made of them.
struct ReadShape {
  /// The part of the table schema that is read; structs may have fewer children.
  std::shared_ptr<arrow::Schema> schema;
  /// Bound to `schema`. No filter: all rows pass.
  std::optional<arrow::compute::Expression> filter;
  /// Bound to `schema`; one for each column of the output.
  std::vector<arrow::compute::Expression> projection;
  /// Per output column: the column of `schema` that it simply is, or -1.
  std::vector<int> plain_column;
  /// The output is the batch as read.
  bool identity = false;
  /// Per column of `schema`: index of the partition key it is, or -1.
  std::vector<int> partition_key;
};

/// Immutable after Make; used from all workers at once.
class ScanContext {
 public:
  static arrow::Result<std::shared_ptr<const ScanContext>> Make(const ScanPlan& plan, int64_t batch_rows,
                                                                arrow::MemoryPool* pool,
                                                                std::shared_ptr<runtime::Counters> counters,
                                                                std::shared_ptr<plan::FactsCache> cache);

  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::shared_ptr<const FileFormat> format;
  std::shared_ptr<arrow::Schema> output_schema;
  /// For rows that the filter must judge.
  ReadShape filtered;
  /// For rows that are known to pass: columns only the filter uses are not read.
  ReadShape unfiltered;
  /// The parts of the filter, bound to filtered.schema.
  std::vector<arrow::compute::Expression> conjuncts;
  int64_t batch_rows = 0;
  arrow::MemoryPool* pool = nullptr;
  std::shared_ptr<runtime::Counters> counters;
  std::shared_ptr<plan::FactsCache> cache;  // may be null

  /// Filter and projection over one batch of `shape.schema`.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish(const ReadShape& shape,
                                                            std::shared_ptr<arrow::RecordBatch> batch) const;
};

}  // namespace shoal::read
