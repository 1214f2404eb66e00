// Taking filters apart.
#pragma once

#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::expression {

/// The parts of a filter that are joined by AND at the top; a row passes the filter when it passes
/// each of them. `true` gives no parts.
std::vector<arrow::compute::Expression> SplitConjuncts(const arrow::compute::Expression& filter);

/// The paths into `schema` of all columns an expression uses, each once. Errors name an unknown or
/// ambiguous column.
arrow::Result<std::vector<arrow::FieldPath>> UsedColumns(
    const arrow::compute::Expression& expression, const arrow::Schema& schema);

/// Whether every column of `schema` that the expression uses is one of the top-level `names`, or in
/// one of them.
bool UsesOnly(const arrow::compute::Expression& expression, const std::vector<std::string>& names,
              const arrow::Schema& schema);

/// As the filter grammar would write it, where it can be written so; else Arrow's own form.
std::string ToText(const arrow::compute::Expression& expression);

}  // namespace shoal::expression
