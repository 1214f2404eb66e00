// A fragment as a unit: its facts, then its row groups that the filter cannot rule out, then their
// rows in the table's shape, filtered and projected.
#pragma once

#include <memory>

#include <shoal/plan.h>
#include <shoal/unit.h>

#include "read/scan_context.h"

namespace shoal::read {

std::unique_ptr<Unit> MakeFileUnit(std::shared_ptr<const ScanContext> context,
                                   const Fragment& fragment);

}  // namespace shoal::read
