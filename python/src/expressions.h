// What Python code asks of expressions and pyarrow does not answer.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace shoal::python {

/// Whether every reference of the expression names exactly one field of the schema.
arrow::Status CheckReferences(const arrow::compute::Expression& expression,
                              const arrow::Schema& schema);

/// The columns that an expression says have one value, in its order: those of `a == 1 and
/// is_null(b)`.
using KnownValue = std::pair<std::string, std::shared_ptr<arrow::Scalar>>;
std::vector<KnownValue> KnownValues(const arrow::compute::Expression& expression);

}  // namespace shoal::python
