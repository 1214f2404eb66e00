// What listing left out or has a word about, for people.
#pragma once

#include <string>
#include <string_view>

#include <shoal/listing.h>

namespace shoal::cli {

/// A line for each kind, behind `prefix`: "left out 2 files of 0 bytes (zero_byte), such as
/// a.parquet, b.parquet", or "read ..." where the files are read all the same.
std::string DescribeIssues(const ListingReport& report, std::string_view prefix = "");

/// A line of warning for each kind that may have been meant: all but hidden files, as `_SUCCESS`
/// and the like lie everywhere.
std::string WarningsOf(ListingReport report);

}  // namespace shoal::cli
