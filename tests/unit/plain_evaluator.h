// What a dataset holds and which rows match a filter, found the plain way: every file is read whole
// by parquet::arrow, and Arrow compute evaluates the filter over all rows at once. Nothing of
// shoal's own is used but the names of the keys.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "dataset_maker.h"

namespace shoal::oracle {

struct PlainRows {
  /// All rows of all files, in order, one array a column: the columns of files in order of first
  /// appearance, then keys.
  std::shared_ptr<arrow::RecordBatch> rows;
  /// For each file without rows, one that has its keys. Keys are judged before files are opened, so
  /// a filter that fails for these keys may fail as a whole.
  std::shared_ptr<arrow::RecordBatch> keys_of_empty_files;
};
arrow::Result<PlainRows> ReadPlainly(const MadeDataset& dataset);

/// The same columns of one file, or of some of its row groups.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadPlainly(
    const MadeFile& file, const std::optional<std::vector<int>>& row_groups,
    const std::shared_ptr<arrow::Schema>& schema);

/// For each row, whether the filter holds: true, false or null. Where Arrow lacks a kernel, or has
/// one that does not mean what docs/filters.md says, the operands are brought to types that it
/// handles. Errors are those of the rows (a cast that fails, say).
arrow::Result<std::shared_ptr<arrow::BooleanArray>> EvaluatePlainly(
    const arrow::compute::Expression& filter, const arrow::RecordBatch& rows);

/// The value of any expression for each row, decoded.
arrow::Result<std::shared_ptr<arrow::Array>> ValuePlainly(
    const arrow::compute::Expression& expression, const arrow::RecordBatch& rows);

/// The values decoded: no dictionaries, no views, nothing narrower than Arrow's kernels know.
arrow::Result<std::shared_ptr<arrow::Array>> PlainValues(std::shared_ptr<arrow::Array> values);

}  // namespace shoal::oracle
