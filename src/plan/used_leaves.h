// Which leaves of a table an expression needs.
#pragma once

#include <set>

#include <arrow/compute/expression.h>
#include <arrow/status.h>
#include <arrow/type.h>

namespace shoal::plan {

/// Adds the leaves of all columns that the expression uses.
arrow::Status AddUsedLeaves(const arrow::compute::Expression& expression,
                            const arrow::Schema& table_schema, std::set<int>* leaves);

}  // namespace shoal::plan
