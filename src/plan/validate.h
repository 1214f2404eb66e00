// Plans that were not made here.
#pragma once

#include <arrow/status.h>

#include <shoal/plan.h>

namespace shoal::plan {

/// Whether a plan holds together, so that reading it need not look again: it may have come from
/// another process, or been put together by hand. Errors: Invalid, naming the part. Looks at no
/// file.
arrow::Status ValidatePlan(const ScanPlan& plan);

}  // namespace shoal::plan
