#include "list/strictness.h"

#include <algorithm>

namespace shoal::list {

std::string_view Explain(ListingIssue issue) {
  switch (issue) {
    case ListingIssue::kHidden:
      return "its name begins with a prefix that marks names to be ignored";
    case ListingIssue::kZeroByte:
      return "it is empty";
    case ListingIssue::kDirectoryMarker:
      return "it is an object that stands for a folder";
    case ListingIssue::kExtension:
      return "its name misses the wanted extension";
    case ListingIssue::kMisfit:
      return "its path lacks keys of the partitioning";
    case ListingIssue::kMissingKey:
      return "its path lacks a key that others have";
    case ListingIssue::kNotUtf8:
      return "its name is not UTF-8 (shown percent-encoded)";
    case ListingIssue::kSubdirectory:
      return "it is a subdirectory, and ignore_subdirectory is set";
    case ListingIssue::kSpecialFile:
      return "it is a pipe, socket or device";
    case ListingIssue::kUnseenColumn:
      return "it has a column that no inspected file had";
  }
  return "";
}

std::string_view Words(ListingIssue issue) {
  switch (issue) {
    case ListingIssue::kHidden:
      return "hidden by name";
    case ListingIssue::kZeroByte:
      return "empty (0 bytes)";
    case ListingIssue::kDirectoryMarker:
      return "that only stand for a folder";
    case ListingIssue::kExtension:
      return "of another extension";
    case ListingIssue::kMisfit:
      return "whose path does not fit the partitioning";
    case ListingIssue::kMissingKey:
      return "without all keys";
    case ListingIssue::kNotUtf8:
      return "whose path is not UTF-8";
    case ListingIssue::kSubdirectory:
      return "in subdirectories, which ignore_subdirectory leaves out";
    case ListingIssue::kSpecialFile:
      return "that are pipes, sockets or devices";
    case ListingIssue::kUnseenColumn:
      return "with a column that no inspected file had";
  }
  return "";
}

arrow::Status CheckStrict(const ListingReport& report, const std::set<ListingIssue>& strict) {
  for (const ListingIssue issue : strict) {
    if (report[issue].count == 0) continue;
    if (issue == ListingIssue::kMissingKey) {
      return arrow::Status::Invalid(
          "The path '", report[issue].examples[0],
          "' lacks a key of the partitioning. Move the "
          "file, or take 'missing_key' out of strict to read it as null.");
    }
    return arrow::Status::Invalid("'", report[issue].examples[0], "' is not read: ", Explain(issue),
                                  ". Remove it, or take '", ToString(issue), "' out of strict.");
  }
  return arrow::Status::OK();
}

arrow::Status ReportMissingKeys(const FileTable& files, const std::vector<std::string>& keys,
                                const std::set<ListingIssue>& strict, ListingReport* report) {
  for (int64_t i = 0; i < files.num_files(); ++i) {
    for (const std::string& key : keys) {
      const KeyColumn* column = files.keys().Find(key);
      if (column != nullptr && column->index[i] != KeyColumn::kAbsent) continue;
      report->Add(ListingIssue::kMissingKey, files.path(i));
      if (strict.contains(ListingIssue::kMissingKey)) {
        std::string who = "is declared";
        if (column != nullptr) {
          const auto other = std::find_if(column->index.begin(), column->index.end(),
                                          [](int32_t v) { return v != KeyColumn::kAbsent; });
          who = "'" + files.path(other - column->index.begin()) + "' has";
        }
        return arrow::Status::Invalid(
            "The path '", files.path(i), "' lacks the key '", key, "', which ", who,
            ". Move the file, or take 'missing_key' out of strict to read it as null.");
      }
      break;
    }
  }
  return arrow::Status::OK();
}

}  // namespace shoal::list
