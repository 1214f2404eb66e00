// The functions of the filter grammar.
#pragma once

#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>

namespace shoal::expression {

/// A call of `name` (in lower case): one of the grammar's own names, or a scalar function of Arrow
/// that needs no options. Errors say what is wrong with the name or the arguments, without a
/// position.
arrow::Result<arrow::compute::Expression> MakeFunctionCall(
    const std::string& name, std::vector<arrow::compute::Expression> arguments);

/// What the grammar calls a function of Arrow: `lower`, `power`; the same name where it has no
/// plainer one.
std::string PlainFunctionName(const std::string& function);

/// The grammar's name for a function of Arrow that takes a pattern as an option (`starts_with`,
/// say); empty if it has none.
std::string PatternFunctionName(const std::string& function, bool ignore_case);

}  // namespace shoal::expression
