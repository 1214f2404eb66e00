#include "formats/csv/format.h"
#include "formats/text/options_json.h"

namespace shoal::formats::csv {

namespace {

template <typename Visitor, typename Options>
void Fields(Visitor& visit, Options& options) {
  const CsvOptions by_default;
  visit("delimiter", options.delimiter, by_default.delimiter);
  visit("quote", options.quote, by_default.quote);
  visit("double_quote", options.double_quote, by_default.double_quote);
  visit("escape", options.escape, by_default.escape);
  visit("comment", options.comment, by_default.comment);
  visit("skip_rows", options.skip_rows, by_default.skip_rows);
  visit("header", options.header, by_default.header);
  visit("column_names", options.column_names, by_default.column_names);
  visit("skip_empty_lines", options.skip_empty_lines, by_default.skip_empty_lines);
  visit("encoding", options.encoding, by_default.encoding);
  visit("null_values", options.null_values, by_default.null_values);
  visit("quoted_null", options.quoted_null, by_default.quoted_null);
  visit("string_null", options.string_null, by_default.string_null);
  visit("true_values", options.true_values, by_default.true_values);
  visit("false_values", options.false_values, by_default.false_values);
  visit("decimal_point", options.decimal_point, by_default.decimal_point);
  visit("quoted_text", options.quoted_text, by_default.quoted_text);
  visit("infer", options.infer, by_default.infer);
}

}  // namespace

arrow::Result<CsvOptions> OptionsFromJson(std::string_view json) {
  CsvOptions options;
  ARROW_ASSIGN_OR_RAISE(auto reader, text::OptionsReader::Make(json));
  Fields(reader, options);
  ARROW_RETURN_NOT_OK(reader.Finish("csv"));
  return options;
}

std::string OptionsToJson(const CsvOptions& options) {
  text::OptionsWriter writer;
  Fields(writer, options);
  return writer.text();
}

}  // namespace shoal::formats::csv
