// The row groups of a file that a fragment stands for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/file_format.h>

namespace shoal::read {

/// Those that the fragment names, or all of the file's. IndexError, naming the file, if the file
/// has no such row group.
arrow::Result<std::vector<int>> RowGroupsOf(const std::optional<std::vector<int>>& named,
                                            const FileFacts& facts, const std::string& path);

}  // namespace shoal::read
