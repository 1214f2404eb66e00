// Batches with fewer columns inside.
#pragma once

#include <memory>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::formats {

/// The top-level columns of `schema` that have one of the leaves (ascending, counted depth first).
std::vector<int> ColumnsOf(const arrow::Schema& schema, const std::vector<int>& leaves);

/// `batch` has the columns of ColumnsOf(schema, leaves), whole; the outcome has the schema
/// `projected`, which is ProjectLeaves(schema, leaves). No copy. Invalid if the batch has columns
/// of other types.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> KeepLeaves(
    const arrow::RecordBatch& batch, const arrow::Schema& schema, const std::vector<int>& leaves,
    const std::shared_ptr<arrow::Schema>& projected);

}  // namespace shoal::formats
