// References to columns whose names are compared without case.
#pragma once

#include <memory>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "plan/inspection.h"

namespace shoal::plan {

/// The expression with its references as the table writes them: a name that the table has as it
/// stands is that column, any other may be one in another case, if there is just one. References
/// that are none of the table's stay, for binding to say so. The expression itself unless names are
/// compared without case.
arrow::Result<arrow::compute::Expression> RespellReferences(
    const arrow::compute::Expression& expression, const Inspection& inspection);
/// The column's name as the table writes it.
std::string RespellColumn(const std::string& name, const Inspection& inspection);

}  // namespace shoal::plan
