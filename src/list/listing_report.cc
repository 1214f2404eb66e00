#include <shoal/listing.h>

#include <sstream>

#include "base/text.h"

namespace shoal {

namespace {

constexpr std::array<std::string_view, kNumListingIssues> kNames = {
    "hidden",      "zero_byte", "directory_marker", "extension",    "misfit",
    "missing_key", "not_utf8",  "subdirectory",     "special_file", "unseen_column",
};

}  // namespace

std::string_view ToString(ListingIssue issue) { return kNames[static_cast<size_t>(issue)]; }

arrow::Result<ListingIssue> ParseListingIssue(std::string_view name) {
  std::string known;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ListingIssue>(i);
    known += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  }
  return arrow::Status::Invalid("strict: '", name, "' is no kind of listing issue; the kinds are ",
                                known, ".");
}

bool IsKept(ListingIssue issue) {
  return issue == ListingIssue::kMissingKey || issue == ListingIssue::kUnseenColumn;
}

void ListingReport::Add(ListingIssue issue, std::string_view path) {
  Entry& entry = issues[static_cast<size_t>(issue)];
  ++entry.count;
  if (entry.examples.size() < kMaxExamples) entry.examples.emplace_back(path);
}

void ListingReport::Merge(const ListingReport& other) {
  for (size_t i = 0; i < issues.size(); ++i) {
    issues[i].count += other.issues[i].count;
    for (const std::string& example : other.issues[i].examples) {
      if (issues[i].examples.size() < kMaxExamples) issues[i].examples.push_back(example);
    }
  }
  files += other.files;
  directories_listed += other.directories_listed;
  directories_cached += other.directories_cached;
  directories_pruned += other.directories_pruned;
  files_pruned += other.files_pruned;
  stat_calls += other.stat_calls;
  store_requests += other.store_requests;
  recursive = recursive || other.recursive;
  known_prefixes.insert(known_prefixes.end(), other.known_prefixes.begin(),
                        other.known_prefixes.end());
  complete = complete && other.complete;
}

std::string ListingReport::ToString() const {
  std::ostringstream out;
  const std::string_view listing = recursive ? "recursive directory listing" : "directory listing";
  out << base::Count(files, "file", "files") << " in "
      << base::Count(directories_listed, listing, std::string(listing) + "s");
  if (!complete) out << " (ended early)";
  if (directories_cached > 0) out << ", " << directories_cached << " remembered";
  for (const std::string& prefix : known_prefixes) out << ", straight to '" << prefix << "'";
  if (directories_pruned > 0)
    out << ", " << base::Count(directories_pruned, "directory", "directories") << " pruned";
  if (files_pruned > 0) out << ", " << base::Count(files_pruned, "file", "files") << " pruned";
  if (stat_calls > 0) out << ", " << base::Count(stat_calls, "stat call", "stat calls");
  if (store_requests.total() > 0) out << " (" << store_requests.ToString() << ")";
  for (size_t i = 0; i < issues.size(); ++i) {
    if (issues[i].count == 0) continue;
    out << "\n" << kNames[i] << ": " << issues[i].count << " (";
    for (size_t j = 0; j < issues[i].examples.size(); ++j)
      out << (j == 0 ? "" : ", ") << issues[i].examples[j];
    if (static_cast<int64_t>(issues[i].examples.size()) < issues[i].count) out << ", …";
    out << ")";
  }
  return out.str();
}

}  // namespace shoal
