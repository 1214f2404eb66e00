// Comparing arrays of any two types that docs/filters.md lets meet, by what their values say.
#pragma once

#include <memory>
#include <string>

#include <arrow/array.h>
#include <arrow/result.h>

namespace shoal::oracle {

/// `function` is one of Arrow's six comparisons; both arrays are plain and of one length.
arrow::Result<std::shared_ptr<arrow::Array>> ComparePlainly(
    const std::string& function, const std::shared_ptr<arrow::Array>& left,
    const std::shared_ptr<arrow::Array>& right);

}  // namespace shoal::oracle
