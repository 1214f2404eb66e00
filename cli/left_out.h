// What listing left out or has a word about, for people.
#pragma once

#include <string>

#include <shoal/listing.h>

namespace shoal::cli {

/// "left out 2 files of 0 bytes (zero_byte), such as a.parquet, b.parquet", or "read ..." where the
/// files are read all the same. Empty if there is none.
std::string DescribeIssue(const ListingReport& report, ListingIssue issue);

/// A line of warning for each kind that may have been meant: all but hidden files, as `_SUCCESS`
/// and the like lie everywhere.
std::string DescribeLeftOut(const ListingReport& report);

}  // namespace shoal::cli
