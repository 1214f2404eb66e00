// Comparing tables by the values of their rows.
#pragma once

#include <string>

#include <arrow/status.h>
#include <arrow/table.h>

namespace shoal::testing {

/// OK if both have the same columns with the same values, however they are cut into chunks and
/// whichever dictionaries their columns have.
arrow::Status SameRows(const arrow::Table& got, const arrow::Table& expected);

}  // namespace shoal::testing
