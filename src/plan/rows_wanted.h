// How many rows a limit takes.
#pragma once

#include <cstdint>
#include <limits>

#include <shoal/plan.h>

namespace shoal::plan {

/// Rows that pass the filter after which a scan needs no more: limit + offset, or the largest
/// number where there is no limit or the sum does not fit.
inline int64_t RowsWanted(const ScanRequest& request) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (!request.limit || request.offset > kMost - *request.limit) return kMost;
  return *request.limit + request.offset;
}

}  // namespace shoal::plan
