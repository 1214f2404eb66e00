// What is reported, and when a report becomes an error.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <arrow/status.h>

#include <shoal/listing.h>

namespace shoal::list {

/// Why something with the issue is not read: "it is empty".
std::string_view Explain(ListingIssue issue);
/// What such things are, to follow a number of them: "hidden by name".
std::string_view Words(ListingIssue issue);

/// An error naming the first example of the first issue in `report` that `strict` asks for.
arrow::Status CheckStrict(const ListingReport& report, const std::set<ListingIssue>& strict);

/// Reports the files whose paths lack one of the table's keys (kMissingKey).
arrow::Status ReportMissingKeys(const FileTable& files, const std::vector<std::string>& keys,
                                const std::set<ListingIssue>& strict, ListingReport* report);

}  // namespace shoal::list
