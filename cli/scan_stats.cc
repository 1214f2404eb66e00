#include "scan_stats.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "left_out.h"
#include "report_json.h"
#include "text_table.h"

namespace shoal::cli {

namespace {

/// Whether each of the paths was met again by reading, which says so in one of `skipped`.
bool AllAmong(const ListingReport::Entry& entry, const std::vector<std::string>& skipped) {
  if (entry.count > static_cast<int64_t>(entry.examples.size())) return false;
  return std::all_of(entry.examples.begin(), entry.examples.end(), [&](const std::string& path) {
    return std::any_of(skipped.begin(), skipped.end(),
                       [&](const std::string& text) { return text.starts_with("'" + path + "'"); });
  });
}

/// All that a scan took.
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
  out << DescribeIssues(metrics.listing, "listing     ");
  for (const std::string& file : metrics.skipped) out << "skipped     " << file << "\n";
  for (const std::string& column : metrics.unseen_columns)
    out << "not read    " << column << ", since inspection did not meet it\n";
  std::cerr << out.str();
}

/// A line for all that is not read though it might have been meant: columns that inspection did not
/// meet, and files, but those whose names hide them.
void WarnOfLeftOut(const ScanMetrics& metrics) {
  std::string text;
  for (const std::string& column : metrics.unseen_columns) {
    text += "shoal: warning: " + column +
            " is not read, since inspection did not meet it: --inspect all reads it, and with "
            "--infer all each key of JSON lines\n";
  }
  for (const std::string& file : metrics.skipped)
    text += "shoal: warning: left out: " + file + "\n";
  // What reading met is not told a second time.
  ListingReport listing = metrics.listing;
  const auto entry = [&](ListingIssue issue) -> ListingReport::Entry& {
    return listing.issues[static_cast<size_t>(issue)];
  };
  if (!metrics.unseen_columns.empty()) entry(ListingIssue::kUnseenColumn) = {};
  if (AllAmong(entry(ListingIssue::kZeroByte), metrics.skipped))
    entry(ListingIssue::kZeroByte) = {};
  std::cerr << text + WarningsOf(std::move(listing));
}

}  // namespace

void TellOfReading(const ScanMetrics& metrics, const Arguments& arguments) {
  if (arguments.stats) {
    PrintStats(metrics, arguments.json);
  } else {
    WarnOfLeftOut(metrics);
  }
}

}  // namespace shoal::cli
