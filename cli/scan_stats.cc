#include "scan_stats.h"

#include <iostream>
#include <sstream>

#include "report_json.h"
#include "text_table.h"

namespace shoal::cli {

void PrintStats(const ScanMetrics& metrics, bool json) {
  if (json) {
    std::cerr << JsonText(ToJson(metrics));
    return;
  }
  std::ostringstream out;
  out << "rows        " << metrics.rows_returned << " returned in "
      << Count(metrics.batches_returned, "batch", "batches") << ", " << metrics.rows_decoded
      << " decoded\n"
      << "files       " << metrics.files_opened << " opened, " << metrics.files_pruned
      << " pruned by statistics, footers of " << metrics.footers_cached << " known before\n"
      << "row groups  " << metrics.row_groups_read << " read, " << metrics.row_groups_pruned
      << " pruned\n"
      << "bytes       " << metrics.bytes_read << " read in "
      << Count(metrics.requests, "request", "requests") << ", at most " << metrics.peak_bytes
      << " in memory at once\n";
  if (metrics.planning_requests.total() + metrics.store_requests.total() > 0) {
    out << "store       " << metrics.planning_requests.ToString() << " to plan; "
        << metrics.store_requests.ToString() << " to read\n";
  }
  for (const std::string& file : metrics.skipped) out << "skipped     " << file << "\n";
  for (const std::string& column : metrics.unseen_columns)
    out << "not read    " << column << ", since no inspected file had it\n";
  std::cerr << out.str();
}

void WarnOfUnseenColumns(const ScanMetrics& metrics) {
  for (const std::string& column : metrics.unseen_columns) {
    std::cerr << "shoal: warning: " + column +
                     " is not read, since no inspected file had it: --inspect all reads it\n";
  }
}

}  // namespace shoal::cli
