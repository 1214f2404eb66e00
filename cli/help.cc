#include "help.h"

#include <algorithm>

namespace shoal::cli {

namespace {

std::string Spelling(const Option& option) {
  std::string text = "--" + std::string(option.name);
  if (!option.value.empty() && option.value[0] != '[') text += ' ';
  return text + std::string(option.value);
}

/// `left` and `right` in two columns.
std::string Row(const std::string& left, std::string_view right, size_t width) {
  return "  " + left + std::string(width - left.size() + 2, ' ') + std::string(right) + "\n";
}

}  // namespace

std::string Help() {
  std::string text =
      "usage: shoal VERB SOURCE... [--option value]...\n"
      "\n"
      "Folders of files as one table: list, count, look at and filter it.\n"
      "A source is a file, a folder, a pattern in quotes or a URI (file:, s3:, gs:, abfs:).\n"
      "\n";
  for (const VerbInfo& verb : kVerbs) text += Row(std::string(verb.name), verb.summary, 8);
  text +=
      "\n"
      "`shoal VERB --help` lists the options of a verb. `shoal --version` tells the version.\n"
      "Exit status: 0 done, 1 failed, 2 wrong command line.\n"
      "\n"
      "example: ";
  return text + std::string(kVerbs[2].example) + "\n";
}

std::string Help(const VerbInfo& verb) {
  std::string text = "usage: shoal " + std::string(verb.name) +
                     " SOURCE... [--option value]...\n\n" + std::string(verb.name) + ": " +
                     std::string(verb.summary) + "\n\n";
  size_t width = 0;
  for (const Option& option : Options()) width = std::max(width, Spelling(option).size());
  for (const Option& option : Options()) {
    if (option.TakenBy(verb.verb)) text += Row(Spelling(option), option.help, width);
  }
  return text + "\nexample: " + std::string(verb.example) + "\n";
}

}  // namespace shoal::cli
