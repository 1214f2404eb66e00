// What listing left out or has a word about, for people.
#pragma once

#include <string>

#include <shoal/listing.h>

namespace shoal::cli {

/// "left out zero_byte: 1, such as a.parquet", or "noted ..." where the files are read all the
/// same. Empty if there is none.
std::string DescribeIssue(const ListingReport& report, ListingIssue issue);

}  // namespace shoal::cli
