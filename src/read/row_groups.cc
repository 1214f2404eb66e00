#include "read/row_groups.h"

#include <numeric>

#include "base/text.h"

namespace shoal::read {

arrow::Result<std::vector<int>> RowGroupsOf(const std::optional<std::vector<int>>& named,
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
  return *named;
}

}  // namespace shoal::read
