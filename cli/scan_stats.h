// What a scan took, and what it left out, on standard error.
#pragma once

#include <shoal/scan.h>

namespace shoal::cli {

void PrintStats(const ScanMetrics& metrics, bool json);

/// A line on standard error for each column that is not read since no inspected file had it.
void WarnOfUnseenColumns(const ScanMetrics& metrics);

}  // namespace shoal::cli
