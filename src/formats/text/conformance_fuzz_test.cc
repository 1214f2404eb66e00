// The laws of formats, and damaged files, for CSV and JSON lines. Run under the sanitizers as well.
#include <string>
#include <vector>

#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <shoal/csv.h>
#include <shoal/json.h>
#include <shoal/testing/format_conformance.h>

#include "must.h"
#include "temporary_directory.h"

namespace shoal::formats::text {
namespace {

using oracle::Must;

struct Column {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
  const char* values;
};

std::shared_ptr<arrow::Table> TableOf(const std::vector<Column>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(Must(arrow::json::ArrayFromJSONString(column.type, column.values)));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

void KeepsTheLaws(std::shared_ptr<const FileFormat> format,
                  std::vector<testing::SampleFile> samples) {
  testing::TemporaryDirectory directory;
  testing::FormatConformance conformance;
  conformance.format = std::move(format);
  conformance.samples = std::move(samples);
  conformance.folder = directory.path().string();
  conformance.mutations = 300;
  const arrow::Status status = testing::RunFileFormatConformance(conformance);
  EXPECT_TRUE(status.ok()) << status;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// `before` and `after` around each of so many numbers.
std::string Numbered(int rows, const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += before + std::to_string(i) + after;
  return text;
}

std::shared_ptr<arrow::Table> TableOfNumbers(int rows) {
  std::string values = Numbered(rows, "", ",");
  values.back() = ']';
  values.insert(0, "[");
  return TableOf({{"i", arrow::int64(), values.c_str()}});
}

const char kCsv[] =
    "i,s,f,d,\"quoted \"\"name\"\"\",t\n"
    "1,one,0.5,2024-01-01,\"a, b\",2024-01-01 10:00:00\n"
    "2,\"two\nlines\",-1.5e3,2024-02-29,\"say \"\"hi\"\"\",\n"
    "3,,,,,2024-03-01 00:00:00\n"
    "-4,\xC3\xA9t\xC3\xA9,nan,1999-12-31,z,2024-03-01 10:00:00\n"
    "5,x,inf,2000-01-01,z,1970-01-01 00:00:00";

std::shared_ptr<arrow::Table> RowsOfCsv() {
  return TableOf({
      {"i", arrow::int64(), "[1, 2, 3, -4, 5]"},
      {"s", arrow::utf8(), "[\"one\", \"two\\nlines\", null, \"\xC3\xA9t\xC3\xA9\", \"x\"]"},
      {"f", arrow::float64(), "[0.5, -1500, null, NaN, Inf]"},
      {"d", arrow::date32(), "[19723, 19782, null, 10956, 10957]"},
      {"quoted \"name\"", arrow::utf8(), R"(["a, b", "say \"hi\"", null, "z", "z"])"},
      {"t", arrow::timestamp(arrow::TimeUnit::SECOND),
       "[1704103200, null, 1709251200, 1709287200, 0]"},
  });
}

TEST(CsvConformanceFuzz, KeepsTheLawsOfFormatsAndSurvivesDamage) {
  const auto rows = RowsOfCsv();
  const std::string plain = kCsv;
  std::vector<testing::SampleFile> samples;
  samples.push_back({"plain", plain, rows});
  const std::string returns = Replaced(Replaced(plain, "\n", "\r\n"), "two\r\n", "two\n");
  samples.push_back({"carriage returns", returns, rows});
  samples.push_back({"a mark of the order of bytes", "\xEF\xBB\xBF" + plain, rows});
  samples.push_back({"many rows", "i\n" + Numbered(2000, "", "\n"), TableOfNumbers(2000)});
  KeepsTheLaws(Must(MakeCsvFormat()), std::move(samples));
}

TEST(CsvConformanceFuzz, KeepsTheLawsInOtherDialects) {
  CsvOptions options;
  options.delimiter = ';';
  options.header = false;
  options.column_names = {"i", "s"};
  KeepsTheLaws(Must(MakeCsvFormat(options)),
               {{"without a header", "7;\"a;b\"\n;c\n9;\n",
                 TableOf({{"i", arrow::int64(), "[7, null, 9]"},
                          {"s", arrow::utf8(), R"(["a;b", "c", null])"}})}});
}

const char kJson[] =
    "{\"i\": 1, \"s\": \"one\", \"l\": [1, 2, null], \"o\": {\"x\": 1.5, \"y\": \"q\"}, \"b\": "
    "true}\n"
    "{\"i\": null, \"s\": \"t\\u00e9\\\"\", \"l\": [], \"o\": {\"x\": -2e3}}\n"
    "\n"
    "{\"s\": \"\xC3\xA9\", \"o\": null, \"l\": null, \"b\": false}\r\n"
    "  {\"i\": -9007199254740993}  \n"
    "{}";

TEST(JsonConformanceFuzz, KeepsTheLawsOfFormatsAndSurvivesDamage) {
  const auto xy =
      arrow::struct_({arrow::field("x", arrow::float64()), arrow::field("y", arrow::utf8())});
  const auto rows = TableOf({
      {"i", arrow::int64(), "[1, null, null, -9007199254740993, null]"},
      {"s", arrow::utf8(), "[\"one\", \"t\xC3\xA9\\\"\", \"\xC3\xA9\", null, null]"},
      {"l", arrow::list(arrow::int64()), "[[1, 2, null], [], null, null, null]"},
      {"o", xy, R"([{"x": 1.5, "y": "q"}, {"x": -2000, "y": null}, null, null, null])"},
      {"b", arrow::boolean(), "[true, null, false, null, null]"},
  });
  const std::string plain = kJson;
  std::vector<testing::SampleFile> samples;
  samples.push_back({"plain", plain, rows});
  samples.push_back({"empty lines at the end", plain + "\n\n", rows});
  samples.push_back({"many rows", Numbered(2000, "{\"i\": ", "}\n"), TableOfNumbers(2000)});
  KeepsTheLaws(Must(MakeJsonFormat()), std::move(samples));
}

}  // namespace
}  // namespace shoal::formats::text
