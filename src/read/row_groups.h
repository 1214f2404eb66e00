// The row groups of a file that a fragment stands for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

namespace shoal::read {

/// Those that the fragment names, or all of the file's. IndexError, naming the file, if the file
/// has no such row group; that of a changed file if one is not of the size that the plan was made
/// with (`sizes`: of those named, or empty). So a plan whose facts came from a summary, or from
/// another machine, is not read from other row groups than it means.
arrow::Result<std::vector<int>> RowGroupsOf(const std::optional<std::vector<int>>& named,
                                            const std::vector<RowGroupSize>& sizes,
                                            const FileFacts& facts, const std::string& path);

}  // namespace shoal::read
