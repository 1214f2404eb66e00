// What a scan took, and what it left out, on standard error.
#pragma once

#include <shoal/scan.h>

#include "arguments.h"

namespace shoal::cli {

/// With --stats all of it, else what was left out though it might have been meant.
void TellOfReading(const ScanMetrics& metrics, const Arguments& arguments);

}  // namespace shoal::cli
