#include "left_out.h"

#include "json_text.h"
#include "text_table.h"

namespace shoal::cli {

namespace {

struct Words {
  const char* what;
  const char* advice = "";
};

Words WordsOf(ListingIssue issue) {
  switch (issue) {
    case ListingIssue::kHidden:
      return {"hidden by name", "; --ignore-prefixes says what hides them"};
    case ListingIssue::kZeroByte:
      return {"of 0 bytes"};
    case ListingIssue::kDirectoryMarker:
      return {"that only stand for a folder"};
    case ListingIssue::kExtension:
      return {"with another ending",
              "; --extension, or --format by_extension, says which endings are read"};
    case ListingIssue::kMisfit:
      return {"whose path does not fit the partitioning", "; --partitioning names another"};
    case ListingIssue::kMissingKey:
      return {"whose path lacks a key that others have: it is null there"};
    case ListingIssue::kNotUtf8:
      return {"whose path is not UTF-8"};
    case ListingIssue::kSubdirectory:
      return {"in folders without a key, as --ignore-subdirectory says"};
    case ListingIssue::kSpecialFile:
      return {"that are pipes, sockets or devices"};
    case ListingIssue::kUnseenColumn:
      return {"with a column that no inspected file had", "; --inspect all reads it"};
  }
  return {""};
}

}  // namespace

std::string DescribeIssues(const ListingReport& report, std::string_view prefix) {
  std::string text;
  for (int i = 0; i < kNumListingIssues; ++i) {
    const auto issue = static_cast<ListingIssue>(i);
    const auto& entry = report[issue];
    if (entry.count == 0) continue;
    const Words words = WordsOf(issue);
    text += prefix;
    text += IsKept(issue) ? "read " : "left out ";
    text += Count(entry.count, "file ", "files ") + words.what + " (";
    text += std::string(ToString(issue)) + ")";
    for (size_t e = 0; e < entry.examples.size(); ++e) {
      text += e == 0 ? ", such as " : ", ";
      AppendVisible(entry.examples[e], &text);
    }
    text += std::string(words.advice) + "\n";
  }
  return text;
}

std::string WarningsOf(ListingReport report) {
  report.issues[static_cast<size_t>(ListingIssue::kHidden)] = {};
  return DescribeIssues(report, "shoal: warning: ");
}

}  // namespace shoal::cli
