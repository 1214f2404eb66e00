#include "report_json.h"

namespace shoal::cli {

nlohmann::ordered_json ToJson(const ListingReport& report) {
  nlohmann::ordered_json issues = nlohmann::ordered_json::object();
  for (int i = 0; i < kNumListingIssues; ++i) {
    const auto& entry = report.issues[i];
    if (entry.count == 0) continue;
    issues[std::string(ToString(static_cast<ListingIssue>(i)))] = {{"count", entry.count},
                                                                   {"examples", entry.examples}};
  }
  return {
      {"files", report.files},
      {"directories_listed", report.directories_listed},
      {"directories_cached", report.directories_cached},
      {"directories_pruned", report.directories_pruned},
      {"files_pruned", report.files_pruned},
      {"stat_calls", report.stat_calls},
      {"store_requests", ToJson(report.store_requests)},
      {"recursive", report.recursive},
      {"known_prefixes", report.known_prefixes},
      {"complete", report.complete},
      {"issues", std::move(issues)},
  };
}

nlohmann::ordered_json ToJson(const StoreRequests& requests) {
  return {{"list", requests.list},
          {"head", requests.head},
          {"get", requests.get},
          {"retries", requests.retries},
          {"bytes", requests.bytes}};
}

nlohmann::ordered_json ToJson(const ScanMetrics& metrics) {
  return {
      {"files_opened", metrics.files_opened},
      {"footers_cached", metrics.footers_cached},
      {"files_pruned", metrics.files_pruned},
      {"row_groups_read", metrics.row_groups_read},
      {"row_groups_pruned", metrics.row_groups_pruned},
      {"requests", metrics.requests},
      {"bytes_read", metrics.bytes_read},
      {"rows_decoded", metrics.rows_decoded},
      {"rows_returned", metrics.rows_returned},
      {"batches_returned", metrics.batches_returned},
      {"peak_bytes", metrics.peak_bytes},
      {"store_requests", ToJson(metrics.store_requests)},
      {"planning_requests", ToJson(metrics.planning_requests)},
      {"listing", ToJson(metrics.listing)},
      {"skipped", metrics.skipped},
      {"unseen_columns", metrics.unseen_columns},
  };
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace shoal::cli
