#include "read/row_groups.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/text.h"
#include "storage/open_file.h"

namespace shoal::read {

arrow::Result<std::vector<int>> RowGroupsOf(const std::optional<std::vector<int>>& named,
                                            const std::vector<RowGroupSize>& sizes,
                                            const FileFacts& facts, const std::string& path) {
  const int n = facts.num_row_groups();
  if (!named) {
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (int group : *named) {
    if (group < 0 || group >= n) {
      return arrow::Status::IndexError("'", path, "' has ",
                                       base::Count(n, "row group", "row groups"),
                                       ", but the scan references row group ", group);
    }
  }
  for (size_t i = 0; i < std::min(sizes.size(), named->size()); ++i) {
    const int group = (*named)[i];
    const auto rows = facts.row_group_rows(group).exact_value();
    const int64_t bytes = facts.row_group_bytes(group);
    // Not everything that plans look at tells the rows, and then they say 0.
    const bool same_rows = !rows || sizes[i].rows == 0 || *rows == sizes[i].rows;
    if (same_rows && bytes == sizes[i].bytes) continue;
    return storage::FileChanged(
        path, "row group " + std::to_string(group) + " has " +
                  base::Count(rows.value_or(0), "row", "rows") + " in " +
                  base::Count(bytes, "byte", "bytes") + ", and the plan was made of one with " +
                  std::to_string(sizes[i].rows) + " in " + std::to_string(sizes[i].bytes));
  }
  return *named;
}

}  // namespace shoal::read
