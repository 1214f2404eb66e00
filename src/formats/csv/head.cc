#include "formats/csv/head.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "formats/text/bytes.h"

namespace shoal::formats::csv {

namespace {

using arrow::Status;
using text::Place;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kQuotedInErrors = 80;

/// The fields of one record, without quotes and escapes.
arrow::Result<std::vector<std::string>> Fields(const Dialect& dialect, std::string_view record,
                                               int columns) {
  Layout layout{dialect, columns, true};
  arrow::csv::BlockParser parser(ParseOptionsOf(layout), columns);
  uint32_t parsed = 0;
  ARROW_RETURN_NOT_OK(parser.ParseFinal(record, &parsed));
  std::vector<std::string> fields;
  ARROW_RETURN_NOT_OK(
      parser.VisitLastRow([&](const uint8_t* data, uint32_t size, bool, bool) -> Status {
        fields.emplace_back(reinterpret_cast<const char*>(data), size);
        return Status::OK();
      }));
  return fields;
}

Status CheckNames(const std::vector<std::string>& names, const std::string& path, int64_t line) {
  for (const std::string& name : names) {
    if (!base::IsUtf8(name)) {
      return ErrorAt(path, line,
                     "the name of column '" + base::EscapeForMessage(name) +
                         "' is invalid UTF8 (bytes beyond ASCII are shown as %XX): name the "
                         "encoding");
    }
  }
  return Status::OK();
}

/// Past so many lines; nothing if they are not all there.
std::optional<size_t> SkipLines(std::string_view text, size_t at, int64_t lines, bool final) {
  for (; lines > 0 && at < text.size(); --lines) {
    at = text.find_first_of("\r\n", at);
    if (at == text.npos) return final ? std::optional(text.size()) : std::nullopt;
    if (text[at] == '\r' && at + 1 == text.size() && !final) return std::nullopt;
    at += text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
  }
  if (lines > 0 && !final) return std::nullopt;
  return at;
}

}  // namespace

Settings::Settings(CsvOptions given) : options(std::move(given)) {
  values.quoted_text = options.quoted_text;
  values.convert =
      std::make_shared<arrow::csv::ConvertOptions>(arrow::csv::ConvertOptions::Defaults());
  values.convert->null_values = options.null_values;
  values.convert->true_values = options.true_values;
  values.convert->false_values = options.false_values;
  values.convert->strings_can_be_null = options.string_null;
  values.convert->quoted_strings_can_be_null = options.quoted_null;
  values.convert->decimal_point = options.decimal_point;
}

Dialect Settings::DialectOf(const std::string& path) const {
  std::string name = path.substr(path.rfind('/') + 1);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool tabs = name.find(".tsv") != name.npos || name.find(".tab") != name.npos;
  Dialect dialect;
  dialect.delimiter = options.delimiter.value_or(tabs ? '\t' : ',');
  dialect.quoting = options.quote.has_value();
  dialect.quote = options.quote.value_or('"');
  dialect.double_quote = options.double_quote;
  dialect.escaping = options.escape.has_value();
  dialect.escape = options.escape.value_or('\\');
  dialect.comments = options.comment.has_value();
  dialect.comment = options.comment.value_or('#');
  return dialect;
}

Layout LayoutOf(const Settings& settings, const std::string& path, const Head& head) {
  Layout layout;
  layout.dialect = settings.DialectOf(path);
  layout.columns = static_cast<int>(head.names.size());
  layout.blank_is_row = layout.columns == 1 && !settings.options.skip_empty_lines;
  return layout;
}

arrow::csv::ParseOptions ParseOptionsOf(const Layout& layout) {
  auto options = arrow::csv::ParseOptions::Defaults();
  options.delimiter = layout.dialect.delimiter;
  options.quoting = layout.dialect.quoting;
  options.quote_char = layout.dialect.quote;
  options.double_quote = layout.dialect.double_quote;
  options.escaping = layout.dialect.escaping;
  options.escape_char = layout.dialect.escape;
  options.newlines_in_values = true;
  options.ignore_empty_lines = !layout.blank_is_row;
  return options;
}

Status ErrorAt(const std::string& path, int64_t line, const std::string& message) {
  return Status::Invalid("'", path, "', line ", line, ": ", message);
}

Status RaggedRecord(const std::string& path, int64_t line, const RecordReader& reader,
                    int columns) {
  std::string_view record(reader.begin(), static_cast<size_t>(reader.next() - reader.begin()));
  record = record.substr(0, std::min(record.find_first_of("\r\n"), kQuotedInErrors));
  return ErrorAt(path, line,
                 base::Count(reader.fields(), "value", "values") + " where there are " +
                     base::Count(columns, "column", "columns") + ": " +
                     (base::IsUtf8(record) ? std::string(record) : base::EscapeForMessage(record)));
}

Status TooLong(const std::string& path, int64_t line) {
  return ErrorAt(path, line,
                 "the record that begins here is longer than " + std::to_string(text::kMaxRecord) +
                     " bytes. Is a quote not closed?");
}

Status Unfinished(const std::string& path, int64_t line) {
  return ErrorAt(
      path, line,
      "what begins here does not end: a quote is not closed, or nothing follows an escape");
}

arrow::Result<std::optional<Head>> ParseHead(const Settings& settings, const std::string& path,
                                             std::string_view text, bool final) {
  const CsvOptions& options = settings.options;
  const Dialect dialect = settings.DialectOf(path);
  if (text.size() < kByteOrderMark.size() && !final) return std::nullopt;
  size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const auto skipped = SkipLines(text, at, options.skip_rows, final);
  if (!skipped) return std::nullopt;
  at = *skipped;

  Head head;
  head.names = options.column_names;
  RecordReader reader(dialect, text.substr(at), final);
  while (true) {
    const char* const before = reader.next();
    const auto outcome = reader.Next([](int, const char*, const char*) {});
    const auto line_of = [&](const char* place) {
      return 1 + text::CountLines(text.substr(0, static_cast<size_t>(place - text.data())));
    };
    if (outcome == RecordReader::kBlank || outcome == RecordReader::kComment) continue;
    if (outcome == RecordReader::kUnfinished && final) {
      return Unfinished(path, line_of(reader.unfinished()));
    }
    if (outcome == RecordReader::kUnfinished || (outcome == RecordReader::kEnd && !final)) {
      return std::nullopt;
    }
    if (outcome == RecordReader::kEnd) {
      head.data = {static_cast<int64_t>(text.size()), line_of(text.data() + text.size())};
      return head;
    }
    const std::string_view record(reader.begin(),
                                  static_cast<size_t>(reader.next() - reader.begin()));
    // Without a header blank lines may be rows: whoever reads them begins before them.
    const char* const data = options.header ? reader.next() : text.data() + at;
    if (options.header && head.names.empty()) {
      auto names = Fields(dialect, record, reader.fields());
      if (!names.ok()) return ErrorAt(path, line_of(before), names.status().message());
      head.names = *std::move(names);
    }
    if (head.names.empty()) {
      for (int i = 0; i < reader.fields(); ++i) head.names.push_back("f" + std::to_string(i));
    }
    ARROW_RETURN_NOT_OK(CheckNames(head.names, path, line_of(before)));
    head.names_line = line_of(before);
    head.data = {data - text.data(), line_of(data)};
    return head;
  }
}

}  // namespace shoal::formats::csv
