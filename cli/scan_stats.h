// What a scan took, and what it left out, on standard error.
#pragma once

#include <shoal/scan.h>

namespace shoal::cli {

void PrintStats(const ScanMetrics& metrics, bool json);

/// A line on standard error for all that is not read though it might have been meant: columns that
/// inspection did not meet, and files, but those whose names hide them.
void WarnOfLeftOut(const ScanMetrics& metrics);

}  // namespace shoal::cli
