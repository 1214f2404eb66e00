// Statistics of the table's columns over pieces of a file.
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

namespace shoal::plan {

/// Of the plan's table columns (in their order) over the row groups `groups` of a file with these
/// partition values. A column that the file has in another type, or nested, has none. Errors name
/// the file.
arrow::Result<std::vector<ColumnStatistics>> StatisticsOf(const ScanPlan& plan,
                                                          const FileFacts& facts,
                                                          const std::vector<int>& groups,
                                                          const PartitionValues& values,
                                                          const std::string& path);

}  // namespace shoal::plan
