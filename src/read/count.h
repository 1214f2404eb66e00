// Counting rows with as little reading as the question allows.
#pragma once

#include <memory>

#include <arrow/result.h>

#include <shoal/plan.h>
#include <shoal/scan.h>

#include "plan/facts_cache.h"

namespace shoal::read {

/// Rows of `plan.fragments` that pass the plan's filter. Footers tell the rows of row groups that
/// the filter keeps whole; of the others only the columns of the filter are read. What that took is
/// told to `metrics`, if there are any.
arrow::Result<int64_t> CountRows(const ScanPlan& plan, const ScanOptions& options,
                                 std::shared_ptr<plan::FactsCache> cache,
                                 ScanMetrics* metrics = nullptr);

}  // namespace shoal::read
