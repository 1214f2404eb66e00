#include "left_out.h"

#include "json_text.h"

namespace shoal::cli {

std::string DescribeIssue(const ListingReport& report, ListingIssue issue) {
  const auto& entry = report[issue];
  if (entry.count == 0) return "";
  std::string text = IsKept(issue) ? "noted " : "left out ";
  text += std::string(ToString(issue)) + ": " + std::to_string(entry.count);
  for (size_t e = 0; e < entry.examples.size(); ++e) {
    text += e == 0 ? ", such as " : ", ";
    AppendVisible(entry.examples[e], &text);
  }
  return text;
}

}  // namespace shoal::cli
