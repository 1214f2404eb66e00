// Seeing encoded columns as their values.
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::statistics {

/// Dictionaries are seen as their values, string and binary views as strings and binaries: the
/// types that Arrow's kernels can compare. Any other type is itself.
std::shared_ptr<arrow::DataType> PlainType(const std::shared_ptr<arrow::DataType>& type);
arrow::Result<std::shared_ptr<arrow::Array>> Plain(std::shared_ptr<arrow::Array> array);

}  // namespace shoal::statistics
