// The options of all verbs, and how their values are read.
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include <arrow/type.h>

#include "arguments.h"
#include "exit_status.h"

namespace shoal::cli {

namespace {

using arrow::Status;

constexpr unsigned Bits(Verb verb) { return static_cast<unsigned>(verb); }
constexpr unsigned kRows = Bits(Verb::kHead) | Bits(Verb::kScan);
constexpr unsigned kCounting = kRows | Bits(Verb::kCount);
constexpr unsigned kQuestions = kCounting | Bits(Verb::kExplain);
constexpr unsigned kAll = kQuestions | Bits(Verb::kLs) | Bits(Verb::kSchema) | Bits(Verb::kStats);

/// Splits at commas outside double quotes.
std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool quoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i == text.size() || (text[i] == ',' && !quoted)) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// A whole number of at least `least`.
arrow::Result<int64_t> ParseNumber(std::string_view option, std::string_view text, int64_t least,
                                   int64_t most = std::numeric_limits<int64_t>::max()) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return UsageError("--", option, " is '", text, "', but must be a whole number");
  }
  if (error != std::errc() || number > most) {
    return UsageError("--", option, " is ", text, ", but must be at most ", most);
  }
  if (number < least)
    return UsageError("--", option, " is ", text, ", but must be at least ", least);
  return number;
}

/// `256MB`, `1GiB`, `100000`.
arrow::Result<int64_t> ParseBytes(std::string_view option, std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"", 1},
      {"B", 1},
      {"KB", 1'000},
      {"MB", 1'000'000},
      {"GB", 1'000'000'000},
      {"TB", 1'000'000'000'000},
      {"KiB", int64_t{1} << 10},
      {"MiB", int64_t{1} << 20},
      {"GiB", int64_t{1} << 30},
      {"TiB", int64_t{1} << 40},
  };
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = Trimmed(text.substr(digits));
  for (const auto& [name, bytes] : kUnits) {
    if (digits == 0 || unit != name) continue;
    ARROW_ASSIGN_OR_RAISE(const int64_t count,
                          ParseNumber(option, text.substr(0, digits), 1,
                                      std::numeric_limits<int64_t>::max() / bytes));
    return count * bytes;
  }
  return UsageError("--", option, " is '", text,
                    "', but must be a size such as 256MB, 1GiB or 100000 (bytes)");
}

Status TakeWhere(std::string_view text, Arguments* arguments) {
  auto filter = ParseFilter(text);
  if (!filter.ok()) {
    // The lines below the first one point at the place, which takes more than one line.
    const std::string message = filter.status().message();
    return UsageError("--where: ", message.substr(0, message.find('\n')), ": ", text);
  }
  arguments->request.filter = *std::move(filter);
  return Status::OK();
}

/// The name that a projected column gets: that of the column, or of the path to the field.
std::string OutputName(const arrow::FieldRef& ref) {
  if (const std::string* name = ref.name()) return *name;
  std::string joined;
  if (const auto* parts = ref.nested_refs()) {
    for (const arrow::FieldRef& part : *parts)
      joined += (joined.empty() ? "" : ".") + OutputName(part);
  }
  return joined;
}

Status TakeColumns(std::string_view text, Arguments* arguments) {
  auto& columns = arguments->request.columns.emplace();
  if (Trimmed(text).empty()) return Status::OK();
  std::set<std::string> names;
  for (const std::string_view part : SplitAtCommas(text)) {
    auto ref = ParseColumn(Trimmed(part));
    if (!ref.ok()) {
      const std::string message = ref.status().message();
      return UsageError("--columns: '", part,
                        "' is no column: ", message.substr(0, message.find('\n')));
    }
    std::string name = OutputName(*ref);
    if (!names.insert(name).second) return UsageError("--columns names '", name, "' twice");
    columns.push_back({std::move(name), arrow::compute::field_ref(*std::move(ref))});
  }
  return Status::OK();
}

Status TakeLimit(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(arguments->request.limit, ParseNumber("limit", text, 0));
  return Status::OK();
}

Status TakeOffset(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(arguments->request.offset, ParseNumber("offset", text, 0));
  return Status::OK();
}

Status TakeFormat(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(auto format, GetFileFormat(text));
  arguments->open.format = format->name();
  return Status::OK();
}

/// The option was given, so the files are CSV.
Arguments* Csv(std::string_view option, Arguments* arguments) {
  if (arguments->csv_option.empty()) arguments->csv_option = option;
  return arguments;
}

arrow::Result<char> ParseCharacter(std::string_view option, std::string_view text) {
  if (text == "\\t" || text == "tab") return '\t';
  if (text.size() != 1)
    return UsageError("--", option, " is '", text, "', but must be one ASCII character, or tab");
  return text[0];
}

Status TakeDelimiter(std::string_view text, Arguments* arguments) {
  return ParseCharacter("delimiter", text)
      .Value(&Csv("delimiter", arguments)->csv.delimiter.emplace());
}

Status TakeQuote(std::string_view text, Arguments* arguments) {
  Csv("quote", arguments)->csv.quote.reset();
  if (text == "none") return Status::OK();
  return ParseCharacter("quote", text).Value(&arguments->csv.quote.emplace());
}

Status TakeEscape(std::string_view text, Arguments* arguments) {
  return ParseCharacter("escape", text).Value(&Csv("escape", arguments)->csv.escape.emplace());
}

Status TakeComment(std::string_view text, Arguments* arguments) {
  return ParseCharacter("comment", text).Value(&Csv("comment", arguments)->csv.comment.emplace());
}

Status TakeDecimalPoint(std::string_view text, Arguments* arguments) {
  return ParseCharacter("decimal-point", text)
      .Value(&Csv("decimal-point", arguments)->csv.decimal_point);
}

Status TakeNoHeader(std::string_view, Arguments* arguments) {
  Csv("no-header", arguments)->csv.header = false;
  return Status::OK();
}

Status TakeColumnNames(std::string_view text, Arguments* arguments) {
  for (const std::string_view name : SplitAtCommas(text)) {
    const std::string_view trimmed = Trimmed(name);
    const bool quoted = trimmed.size() >= 2 && trimmed.front() == '"' && trimmed.back() == '"';
    Csv("column-names", arguments)
        ->csv.column_names.emplace_back(quoted ? trimmed.substr(1, trimmed.size() - 2) : trimmed);
  }
  return Status::OK();
}

Status TakeSkipRows(std::string_view text, Arguments* arguments) {
  return ParseNumber("skip-rows", text, 0).Value(&Csv("skip-rows", arguments)->csv.skip_rows);
}

Status TakeEncoding(std::string_view text, Arguments* arguments) {
  Csv("encoding", arguments)->csv.encoding = text;
  return Status::OK();
}

Status TakeNullValues(std::string_view text, Arguments* arguments) {
  Csv("null-values", arguments)->csv.null_values.clear();
  for (const std::string_view value : SplitAtCommas(text)) {
    arguments->csv.null_values.emplace_back(value);
  }
  return Status::OK();
}

Status TakeQuotedText(std::string_view, Arguments* arguments) {
  Csv("quoted-text", arguments)->csv.quoted_text = true;
  return Status::OK();
}

Status TakeInfer(std::string_view text, Arguments* arguments) {
  if (text != "all" && text != "sample")
    return UsageError("--infer is '", text, "'; it can be sample or all");
  arguments->infer = text == "all" ? InferFrom::kAll : InferFrom::kSample;
  return Status::OK();
}

Status TakeSchema(std::string_view text, Arguments* arguments) {
  auto schema = ParseSchema(text);
  if (!schema.ok()) return UsageError("--schema: ", schema.status().message());
  arguments->open.schema = *std::move(schema);
  return Status::OK();
}

Status TakePartitioning(std::string_view text, Arguments* arguments) {
  const size_t colon = text.find(':');
  const std::string_view layout = text.substr(0, colon);
  const bool positional = layout == "directory" || layout == "filename";
  if (positional && colon != text.npos) {
    PositionalOptions options;
    for (const std::string_view key : SplitAtCommas(text.substr(colon + 1))) {
      const std::string name(Trimmed(key));
      if (name.empty()) return UsageError("--partitioning ", text, " has a key without a name");
      for (const std::string& before : options.field_names) {
        if (before == name) return UsageError("--partitioning ", text, " names '", name, "' twice");
      }
      options.field_names.push_back(name);
    }
    arguments->open.partitioning = layout == "directory"
                                       ? MakeDirectoryPartitioning(std::move(options))
                                       : MakeFilenamePartitioning(std::move(options));
  } else if (positional) {
    return UsageError("--partitioning ", layout, " needs the names of the keys: --partitioning ",
                      layout, ":year,month");
  } else if (text == "hive") {
    arguments->open.partitioning = MakeHivePartitioning();
  } else if (text == "none") {
    arguments->open.partitioning = MakeNoPartitioning();
  } else {
    return UsageError("--partitioning is '", text,
                      "'; it can be hive, none, directory:KEY,... or filename:KEY,...");
  }
  return Status::OK();
}

Status TakePartitionBaseDir(std::string_view text, Arguments* arguments) {
  arguments->open.partition_base_dir = text;
  return Status::OK();
}

Status TakeStrict(std::string_view text, Arguments* arguments) {
  if (text.empty()) {
    for (int i = 0; i < kNumListingIssues; ++i) {
      arguments->open.strict.insert(static_cast<ListingIssue>(i));
    }
    return Status::OK();
  }
  for (const std::string_view part : SplitAtCommas(text)) {
    auto issue = ParseListingIssue(Trimmed(part));
    if (!issue.ok()) return UsageError("--", issue.status().message());
    arguments->open.strict.insert(*issue);
  }
  return Status::OK();
}

Status TakeInspect(std::string_view text, Arguments* arguments) {
  if (text == "all") {
    arguments->open.inspect = OpenOptions::kAll;
  } else if (text == "first") {
    arguments->open.inspect = 1;
  } else {
    auto number = ParseNumber("inspect", text, 1);
    if (!number.ok())
      return UsageError("--inspect is '", text, "'; it can be all, first or a number from 1");
    arguments->open.inspect = *number;
  }
  return Status::OK();
}

/// Of an option that is one of two words.
template <typename T>
struct Word {
  std::string_view text;
  T meaning;
};
template <typename T>
Status TakeWord(std::string_view option, std::string_view text, Word<T> first, Word<T> second,
                T* out) {
  if (text != first.text && text != second.text) {
    return UsageError("--", option, " is '", text, "', but must be ", first.text, " or ",
                      second.text);
  }
  *out = text == first.text ? first.meaning : second.meaning;
  return Status::OK();
}

Status TakeDuplicateNames(std::string_view text, Arguments* arguments) {
  return TakeWord<DuplicateNames>("duplicate-names", text, {"error", DuplicateNames::kError},
                                  {"rename", DuplicateNames::kRename},
                                  &arguments->open.duplicate_names);
}

Status TakeCaseInsensitive(std::string_view, Arguments* arguments) {
  arguments->open.case_insensitive = true;
  return Status::OK();
}

Status TakePromote(std::string_view text, Arguments* arguments) {
  return TakeWord<Promote>("promote", text, {"lossless", Promote::kLossless},
                           {"permissive", Promote::kPermissive}, &arguments->open.promote);
}

Status TakeWorkers(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(const int64_t workers, ParseNumber("workers", text, 0, 1024));
  arguments->reading.workers = static_cast<int>(workers);
  return Status::OK();
}

Status TakeMemoryBudget(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(arguments->reading.memory_budget, ParseBytes("memory-budget", text));
  return Status::OK();
}

Status TakeCache(std::string_view text, Arguments* arguments) {
  if (!text.empty()) {
    arguments->open.cache = text;
    return Status::OK();
  }
  auto customary = UserCacheDirectory();
  if (!customary.ok()) return UsageError("--cache: ", customary.status().message());
  arguments->open.cache = *std::move(customary);
  return Status::OK();
}

Status TakeStorageOption(std::string_view text, Arguments* arguments) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    return UsageError("--storage-option is '", text,
                      "', but must be NAME=VALUE, such as region=eu-west-1");
  }
  const std::string name(text.substr(0, equals));
  if (!arguments->open.storage_options.emplace(name, text.substr(equals + 1)).second)
    return UsageError("--storage-option gives '", name, "' twice");
  return Status::OK();
}

Status TakeNoStatistics(std::string_view, Arguments* arguments) {
  arguments->planning.collect_statistics = false;
  return Status::OK();
}

Status TakeCacheLimit(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(arguments->open.cache_limit, ParseBytes("cache-limit", text));
  return Status::OK();
}

Status TakeExtension(std::string_view text, Arguments* arguments) {
  if (text.empty()) return UsageError("--extension is empty: name an ending, such as .parquet");
  arguments->open.extension = text;
  return Status::OK();
}

Status TakeIgnorePrefixes(std::string_view text, Arguments* arguments) {
  arguments->open.ignore_prefixes.clear();
  if (text.empty()) return Status::OK();
  for (const std::string_view part : SplitAtCommas(text))
    arguments->open.ignore_prefixes.emplace_back(Trimmed(part));
  return Status::OK();
}

Status TakeIgnoreSubdirectory(std::string_view, Arguments* arguments) {
  arguments->open.ignore_subdirectory = true;
  return Status::OK();
}

Status TakeListConcurrency(std::string_view text, Arguments* arguments) {
  ARROW_ASSIGN_OR_RAISE(const int64_t requests, ParseNumber("list-concurrency", text, 1, 10'000));
  arguments->open.list_concurrency = static_cast<int>(requests);
  return Status::OK();
}

Status TakeOnBadFile(std::string_view option, std::string_view text, OnBadFile* out) {
  return TakeWord<OnBadFile>(option, text, {"error", OnBadFile::kError}, {"skip", OnBadFile::kSkip},
                             out);
}

Status TakeOnMissing(std::string_view text, Arguments* arguments) {
  return TakeOnBadFile("on-missing", text, &arguments->reading.on_missing);
}

Status TakeOnCorrupt(std::string_view text, Arguments* arguments) {
  return TakeOnBadFile("on-corrupt", text, &arguments->reading.on_corrupt);
}

Status TakeOutput(std::string_view text, Arguments* arguments) {
  if (text.empty()) return UsageError("--output is empty: name a file, or - for standard output");
  arguments->output = text;
  return Status::OK();
}

Status TakeTo(std::string_view text, Arguments* arguments) {
  if (text.empty()) return UsageError("--to is empty; it can be arrow, csv, jsonl or parquet");
  arguments->to = text;
  return Status::OK();
}

template <bool Arguments::* kMember, bool kValue>
Status TakeSwitch(std::string_view, Arguments* arguments) {
  arguments->*kMember = kValue;
  return Status::OK();
}

}  // namespace

const std::vector<Option>& Options() {
  static const std::vector<Option> options = {
      {"where", "FILTER", kAll & ~Bits(Verb::kSchema),
       "rows to keep, such as \"month = 6 and dep_delay > 60\"", TakeWhere},
      {"columns", "NAMES", (kQuestions & ~Bits(Verb::kCount)) | Bits(Verb::kSchema),
       "columns to read, such as a,b,s.x,\"odd, name\"", TakeColumns},
      {"limit", "N", kQuestions, "rows at most (head: 10)", TakeLimit},
      {"offset", "N", kQuestions, "rows to pass over first", TakeOffset},
      {"output", "PATH", Bits(Verb::kScan), "file to write; - is standard output (default)",
       TakeOutput},
      {"to", "FORMAT", Bits(Verb::kScan),
       "arrow, csv, jsonl or parquet; by default as the output's name says, jsonl on stdout",
       TakeTo},
      {"force", "", Bits(Verb::kScan), "overwrite the output file if it exists",
       TakeSwitch<&Arguments::force, true>},
      {"format", "NAME", kAll,
       "format of the files that are read; by default as their names or first bytes say",
       TakeFormat},
      {"delimiter", "CHAR", kAll,
       "CSV: what stands between values; by default a comma, in .tsv a tab", TakeDelimiter},
      {"quote", "CHAR|none", kAll, "CSV: what values are quoted with (\")", TakeQuote},
      {"escape", "CHAR", kAll, "CSV: what takes the meaning from the character after it (none)",
       TakeEscape},
      {"comment", "CHAR", kAll, "CSV: lines that begin with it are left out (none)", TakeComment},
      {"no-header", "", kAll, "CSV: the first record is data; columns are f0, f1, ...",
       TakeNoHeader},
      {"column-names", "NAMES", kAll, "CSV: the columns' names, in place of the header's",
       TakeColumnNames},
      {"skip-rows", "N", kAll, "CSV: lines to pass over before anything else (0)", TakeSkipRows},
      {"encoding", "NAME", kAll, "CSV: utf-8 (default), latin1, utf-16 or another that iconv knows",
       TakeEncoding},
      {"null-values", "TEXTS", kAll,
       "CSV: texts that mean null, in place of the empty one (NA, keeps it)", TakeNullValues},
      {"decimal-point", "CHAR", kAll, "CSV: the character before the decimals of a number (.)",
       TakeDecimalPoint},
      {"quoted-text", "", kAll, "CSV: quoted values are text, whatever they look like",
       TakeQuotedText},
      {"infer", "sample|all", kAll & ~Bits(Verb::kLs),
       "text: what of each CSV or JSON file the types of columns are found from (sample)",
       TakeInfer},
      {"schema", "COLUMNS", kAll,
       "the columns, such as \"a: int64, b: decimal(9, 2)\"; by default as the files say",
       TakeSchema},
      {"partitioning", "LAYOUT", kAll,
       "hive (default), none, directory:KEY,... or filename:KEY,...: how paths carry keys",
       TakePartitioning},
      {"partition-base-dir", "DIR", kAll,
       "the folder below which paths carry keys; by default each source's own",
       TakePartitionBaseDir},
      {"extension", "ENDING", kAll,
       "only files whose names end so; by default as the format that was found", TakeExtension},
      {"ignore-prefixes", "TEXTS", kAll,
       "files and folders whose names begin so are hidden (_,.); empty: none", TakeIgnorePrefixes},
      {"ignore-subdirectory", "", kAll, "only folders that carry keys are gone into",
       TakeIgnoreSubdirectory},
      {"list-concurrency", "N", kAll, "folders that are listed at once, at most (100)",
       TakeListConcurrency},
      {"strict", "[=KINDS]", kAll,
       "make kinds of listing issues errors (zero_byte,...); all without a list", TakeStrict},
      {"inspect", "all|first|N", kAll & ~Bits(Verb::kLs), "files whose schemas are looked at (256)",
       TakeInspect},
      {"duplicate-names", "error|rename", kAll & ~Bits(Verb::kLs),
       "what to do about a name that two columns of a file have (error); rename: v, v_1, v_2",
       TakeDuplicateNames},
      {"case-insensitive", "", kAll, "names of columns and keys match in upper and lower case",
       TakeCaseInsensitive},
      {"promote", "lossless|permissive", kAll & ~Bits(Verb::kLs),
       "which types of a column go together (lossless); permissive: values are checked",
       TakePromote},
      {"no-statistics", "", Bits(Verb::kExplain),
       "plan by names and keys alone, without reading the footers of the files", TakeNoStatistics},
      {"cache", "[=DIR]", kAll & ~Bits(Verb::kLs),
       "keep what files tell of themselves for the next run; by default in ~/.cache/shoal",
       TakeCache},
      {"cache-limit", "SIZE", kAll & ~Bits(Verb::kLs),
       "bytes that the cache folder may take (1GiB)", TakeCacheLimit},
      {"storage-option", "NAME=VALUE", kAll,
       "how to reach a store: access_key, endpoint, region, ... (may be repeated)",
       TakeStorageOption, /*repeats=*/true},
      {"on-missing", "error|skip", kCounting, "what to do about files that are gone (error)",
       TakeOnMissing},
      {"on-corrupt", "error|skip", kCounting,
       "what to do about files that are damaged or of another format (error)", TakeOnCorrupt},
      {"workers", "N", kCounting, "threads that decode; 0: none besides the main one", TakeWorkers},
      {"memory-budget", "SIZE", kCounting,
       "ceiling for data in memory, such as 256MB or 1GiB (256MiB)", TakeMemoryBudget},
      {"json", "", kAll, "the report as JSON", TakeSwitch<&Arguments::json, true>},
      {"stats", "", kCounting, "what reading took, on standard error",
       TakeSwitch<&Arguments::stats, true>},
      {"no-progress", "", kCounting, "no progress line on the terminal",
       TakeSwitch<&Arguments::progress, false>},
      {"help", "", kAll, "show this text", TakeSwitch<&Arguments::help, true>},
  };
  return options;
}

}  // namespace shoal::cli
