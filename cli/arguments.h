// The command line, parsed and checked into what the library takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include <shoal/csv.h>
#include <shoal/dataset.h>

namespace shoal::cli {

/// Bits, so that an option can name the verbs that take it.
enum class Verb : unsigned {
  kLs = 1,
  kSchema = 2,
  kCount = 4,
  kHead = 8,
  kScan = 16,
  kExplain = 32,
  kStats = 64,
};

struct Arguments {
  std::vector<std::string> sources;
  OpenOptions open;
  /// How CSV files are written; `csv_option` names the first option that says so, if any does.
  CsvOptions csv;
  std::string csv_option;
  std::optional<InferFrom> infer;
  ScanRequest request;
  PlanOptions planning;
  ScanOptions reading;

  std::string output = "-";
  std::string to;  // empty: not given
  bool force = false;
  bool json = false;
  bool stats = false;
  bool progress = true;
  bool help = false;
};

/// One option. No verb ignores an option: what it can't use, it does not take.
struct Option {
  std::string_view name;  // without dashes
  std::string_view
      value;  // what stands for the value in help; empty: a switch; `[=..]`: may be left out
  unsigned verbs;
  std::string_view help;
  arrow::Status (*take)(std::string_view value, Arguments* arguments);
  bool repeats = false;  // may be given several times

  bool TakenBy(Verb verb) const { return (verbs & static_cast<unsigned>(verb)) != 0; }
};

/// All options, in the order of help.
const std::vector<Option>& Options();

/// `words` follow the verb. Errors are usage errors that name the option.
arrow::Result<Arguments> ParseArguments(Verb verb, const std::vector<std::string_view>& words);

/// " (did you mean x?)" if a candidate is near to `word`; else empty. `prefix` goes before the
/// candidate.
std::string DidYouMean(std::string_view word, const std::string& prefix,
                       const std::vector<std::string_view>& candidates);

}  // namespace shoal::cli
