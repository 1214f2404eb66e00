#include "arguments.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "exit_status.h"
#include "verb.h"

namespace shoal::cli {

namespace {

using arrow::Status;

/// Letters to insert, delete or replace to get from `a` to `b`.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string_view NameOf(Verb verb) {
  for (const VerbInfo& info : kVerbs) {
    if (info.verb == verb) return info.name;
  }
  return "";
}

arrow::Result<const Option*> FindOption(Verb verb, std::string_view name) {
  std::vector<std::string_view> taken;
  for (const Option& option : Options()) {
    if (option.name == name) {
      if (option.TakenBy(verb)) return &option;
      std::string verbs;
      for (const VerbInfo& info : kVerbs) {
        if (option.TakenBy(info.verb))
          verbs += (verbs.empty() ? "" : ", ") + std::string(info.name);
      }
      return UsageError("'", NameOf(verb), "' does not take --", name,
                        "; it is an option of: ", verbs);
    }
    if (option.TakenBy(verb)) taken.push_back(option.name);
  }
  return UsageError("There is no option --", name, DidYouMean(name, "--", taken), "; `shoal ",
                    NameOf(verb), " --help` lists the options");
}

/// What only makes sense, or no sense, together.
Status CheckTogether(Verb verb, const Arguments& arguments) {
  if (arguments.help) return Status::OK();
  if (arguments.sources.empty()) {
    return UsageError("'", NameOf(verb),
                      "' needs a source: a file, a folder or a pattern, such as `shoal ",
                      NameOf(verb), " data/`");
  }
  if (verb == Verb::kScan && arguments.json && !arguments.stats) {
    return UsageError("--json is for reports, such as --stats; --to jsonl writes rows as JSON");
  }
  if (arguments.force && arguments.output == "-") {
    return UsageError("--force is about an existing file: name it with --output");
  }
  if (arguments.open.cache.empty() && arguments.open.cache_limit != OpenOptions().cache_limit) {
    return UsageError("--cache-limit is about the folder of --cache: give that too");
  }
  return Status::OK();
}

/// The options that are the format's own.
Status TakeFormatOptions(Arguments* arguments) {
  const bool csv = !arguments->csv_option.empty();
  if (!csv && !arguments->infer) return Status::OK();
  std::string& format = arguments->open.format;
  if (csv && !format.empty() && format != "csv") {
    return UsageError("--", arguments->csv_option, " is about CSV files, but --format is ", format);
  }
  if (csv) {
    format = "csv";
    arguments->csv.infer = arguments->infer.value_or(InferFrom::kSample);
    auto made = MakeCsvFormat(arguments->csv);
    if (!made.ok()) return UsageError(made.status().message());
    arguments->open.file_format = *std::move(made);
    return Status::OK();
  }
  const auto named = GetFileFormat(format);
  const bool is_other = named.ok() && !(*named)->text_typing() && format != "by_extension";
  if (is_other) return UsageError("--infer is about files of text, but --format is ", format);
  arguments->open.infer = *arguments->infer;
  return Status::OK();
}

}  // namespace

arrow::Result<Arguments> ParseArguments(Verb verb, const std::vector<std::string_view>& words) {
  Arguments arguments;
  std::set<std::string_view> given;
  bool options_end = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (options_end || !word.starts_with('-') || word == "-") {
      if (word.empty()) return UsageError("A source is empty: name a file, a folder or a pattern");
      if (word == "-")
        return UsageError("Standard input can't be a source: name a file or a folder");
      arguments.sources.emplace_back(word);
      continue;
    }
    if (word == "--") {
      options_end = true;
      continue;
    }
    if (word == "-h") {
      arguments.help = true;
      continue;
    }
    if (!word.starts_with("--")) {
      return UsageError("There is no option ", word,
                        "; options begin with two dashes. A source of that name is ./", word);
    }
    const size_t equals = word.find('=');
    const bool attached = equals != std::string_view::npos;
    const std::string_view name = word.substr(2, attached ? equals - 2 : word.npos);
    ARROW_ASSIGN_OR_RAISE(const Option* option, FindOption(verb, name));
    if (!given.insert(option->name).second && !option->repeats)
      return UsageError("--", name, " is given twice");

    const bool is_switch = option->value.empty();
    const bool may_stand_alone = option->value.starts_with('[');
    std::string_view value;
    if (attached) {
      if (is_switch) return UsageError("--", name, " takes no value");
      value = word.substr(equals + 1);
      if (may_stand_alone && value.empty()) return UsageError("--", name, "= has no value");
    } else if (!is_switch && !may_stand_alone) {
      if (i + 1 == words.size()) return UsageError("--", name, " needs a value: ", option->value);
      value = words[++i];
    }
    const Status taken = option->take(value, &arguments);
    if (!taken.ok()) return WithExitStatus(taken, kUsage);
  }
  ARROW_RETURN_NOT_OK(CheckTogether(verb, arguments));
  ARROW_RETURN_NOT_OK(TakeFormatOptions(&arguments));
  return arguments;
}

std::string DidYouMean(std::string_view word, const std::string& prefix,
                       const std::vector<std::string_view>& candidates) {
  std::string_view nearest;
  size_t distance = (word.size() <= 3 ? 1 : std::max<size_t>(2, word.size() / 3)) + 1;
  for (const std::string_view candidate : candidates) {
    const size_t this_far = Distance(word, candidate);
    if (this_far < distance) {
      distance = this_far;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : " (did you mean " + prefix + std::string(nearest) + "?)";
}

}  // namespace shoal::cli
