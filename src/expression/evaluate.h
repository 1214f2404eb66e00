// Evaluating bound expressions over batches, and selecting rows: everything that Arrow's kernels
// do, and the column types they lack (string_view, binary_view, at any depth).
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/compute/expression.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

namespace shoal::expression {

/// An error of a kernel (an overflow, a division by zero, a cast that can't be), with the
/// expression it came from.
arrow::Status CannotCompute(const arrow::compute::Expression& expression,
                            const arrow::Status& error);

/// One array of batch.num_rows() values. The expression is bound to batch.schema(). Any number of
/// threads may evaluate one bound expression at once. Errors name the part of the expression that
/// raises them.
arrow::Result<std::shared_ptr<arrow::Array>> Evaluate(const arrow::compute::Expression& bound,
                                                      const arrow::RecordBatch& batch,
                                                      arrow::MemoryPool* pool);

/// The expression with references by name and with the casts of BindFilter, not bound. Arrow adds
/// casts of its own when it binds, and adds to them when it binds the outcome again: a quotient of
/// decimals would get more digits each time. So what is kept is this, and it is bound once, where
/// it is used.
arrow::Result<arrow::compute::Expression> Prepare(const arrow::compute::Expression& expression,
                                                  const std::shared_ptr<arrow::Schema>& schema);
/// The same of a filter: an error if it does not evaluate to boolean.
arrow::Result<arrow::compute::Expression> PrepareFilter(
    const arrow::compute::Expression& filter, const std::shared_ptr<arrow::Schema>& schema);

/// Binds any expression (a projection, say) to a schema, with the casts of BindFilter; errors name
/// the column.
arrow::Result<arrow::compute::Expression> Bind(const arrow::compute::Expression& expression,
                                               const std::shared_ptr<arrow::Schema>& schema);

/// The rows where `mask` is true (null counts as false). Returns the batch itself when all are, and
/// a slice of it when they are one run of a good part of it. Selected views keep all bytes of the
/// columns they came from in memory.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterBatch(
    const std::shared_ptr<arrow::RecordBatch>& batch, const arrow::BooleanArray& mask,
    arrow::MemoryPool* pool);

/// The values at `indices` (non-null int32 or int64, in range).
arrow::Result<std::shared_ptr<arrow::Array>> Take(const arrow::Array& values,
                                                  const arrow::Array& indices,
                                                  arrow::MemoryPool* pool);

}  // namespace shoal::expression
