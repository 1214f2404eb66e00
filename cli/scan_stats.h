// What a scan took, on standard error.
#pragma once

#include <shoal/scan.h>

namespace shoal::cli {

void PrintStats(const ScanMetrics& metrics, bool json);

}  // namespace shoal::cli
