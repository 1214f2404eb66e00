// Statistics of the table's columns over pieces of a file, and their order.
#pragma once

#include <vector>

#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

namespace shoal::plan {

/// Sets the fragment's column_statistics and ordering, from the facts of its file, over these row
/// groups (ascending). A column that the file has in another type, or nested, has none. Errors name
/// the file.
arrow::Status DescribeColumns(const ScanPlan& plan, const FileFacts& facts,
                              const std::vector<int>& groups, Fragment* fragment);

}  // namespace shoal::plan
