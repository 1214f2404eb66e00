#include "formats/csv/facts.h"

#include <gtest/gtest.h>

#include "formats/csv/format.h"
#include "formats/memory_driver.h"
#include "must.h"

namespace shoal::formats::csv {
namespace {

using oracle::Must;

std::shared_ptr<arrow::Schema> SchemaOf(std::string text, CsvOptions options = {},
                                        std::string path = "a.csv") {
  return Must(MemoryDriver(Must(MakeCsvFormat(options)), std::move(text), std::move(path)).Facts())
      ->schema();
}

/// Of a column with these values.
std::string TypeOf(const std::vector<std::string>& values, CsvOptions options = {}) {
  std::string text = "k,v\n";
  for (const std::string& value : values) text += "1," + value + "\n";
  return SchemaOf(text, options)->field(1)->type()->ToString();
}

TEST(CsvTypes, AreTheFirstThatAltersNoValue) {
  EXPECT_EQ(TypeOf({"1", "-2", ""}), "int64");
  EXPECT_EQ(TypeOf({"1", "01"}), "string");
  EXPECT_EQ(TypeOf({"+2"}), "string");
  EXPECT_EQ(TypeOf({"-0", "0.5"}), "string");
  EXPECT_EQ(TypeOf({"-0.0"}), "double");
  EXPECT_EQ(TypeOf({"0", "10"}), "int64");
  EXPECT_EQ(TypeOf({"1", "2.5"}), "double");
  EXPECT_EQ(TypeOf({"007.5"}), "string");
  EXPECT_EQ(TypeOf({"0.5", "-0.5"}), "double");
  EXPECT_EQ(TypeOf({"9007199254740993"}), "int64");
  EXPECT_EQ(TypeOf({"9007199254740993", "0.5"}), "string");
  EXPECT_EQ(TypeOf({"9007199254740992", "0.5"}), "double");
  EXPECT_EQ(TypeOf({"99999999999999999999"}), "string");
  EXPECT_EQ(TypeOf({"true", "False"}), "bool");
  EXPECT_EQ(TypeOf({"true", "1"}), "string");
  EXPECT_EQ(TypeOf({"2024-02-29"}), "date32[day]");
  EXPECT_EQ(TypeOf({"2024-02-30"}), "string");
  EXPECT_EQ(TypeOf({"2024-02-29", "2024-02-29 10:00:00"}), "timestamp[s]");
  EXPECT_EQ(TypeOf({"2024-02-29 10:00:00.5"}), "timestamp[ns]");
  EXPECT_EQ(TypeOf({"2024-02-29T10:00:00Z"}), "timestamp[s, tz=UTC]");
  EXPECT_EQ(TypeOf({"2024-02-29T10:00:00Z", "2024-02-29T10:00:00"}), "string");
  EXPECT_EQ(TypeOf({"10:00:00"}), "time32[s]");
  EXPECT_EQ(TypeOf({"", ""}), "null");
  EXPECT_EQ(TypeOf({"NA", "1"}), "string");
  EXPECT_EQ(TypeOf({"", "\"\""}), "string");
}

TEST(CsvTypes, OptionsSayWhatValuesMean) {
  CsvOptions nulls;
  nulls.null_values = {"", "NA"};
  EXPECT_EQ(TypeOf({"NA", "1"}, nulls), "int64");
  CsvOptions quoted;
  quoted.quoted_text = true;
  EXPECT_EQ(TypeOf({"\"1\"", "2"}, quoted), "string");
  EXPECT_EQ(TypeOf({"\"1\"", "2"}), "int64");
  CsvOptions comma;
  comma.delimiter = ';';
  comma.decimal_point = ',';
  EXPECT_EQ(SchemaOf("a;b\n1;0,5\n", comma)->field(1)->type()->ToString(), "double");
}

TEST(CsvTypes, FilesTogetherLoseNothingOfAny) {
  const auto format = Must(MakeCsvFormat());
  const auto facts = [&](std::string text, std::string path) {
    return FactsOf{path, Must(MemoryDriver(format, text, path).Facts())};
  };
  const std::vector<FactsOf> files = {facts("a,b,c\n1,1,\n", "1.csv"),
                                      facts("b,a\nx,2.5\n", "2.csv"), facts("a,d\n", "3.csv"),
                                      facts("d,c\n01,\n", "4.csv")};
  EXPECT_EQ(Must(format->text_typing()->Union(files))->ToString(),
            "a: double\nb: string\nc: null\nd: string");
}

TEST(CsvFacts, CountRowsOfFilesThatAreSmall) {
  const auto rows = [](std::string text) {
    return Must(MemoryDriver(Must(MakeCsvFormat()), std::move(text), "a.csv").Facts())
        ->num_rows()
        .exact_value();
  };
  EXPECT_EQ(rows("a,b\n"), 0);
  EXPECT_EQ(rows("a,b"), 0);
  EXPECT_EQ(rows("a,b\n1,2\n\n3,4"), 2);
  EXPECT_EQ(rows("a\n1\n\n\"\"\n"), 3);  // in one column, an empty line is a null
  std::string large = "a,b\n";
  while (large.size() < (2 << 20)) large += "1,2\n";
  EXPECT_EQ(rows(large), std::nullopt);
}

TEST(CsvFacts, LargeFilesAreSampledAfterTheirBeginningToo) {
  std::string text = "a,b\n";
  while (text.size() < (3 << 20)) text += "1,\"line one\nline two\"\n";
  EXPECT_EQ(SchemaOf(text + "x,y\n")->field(0)->type()->ToString(), "string");
  std::string middle = text + "x,y\n" + text.substr(4);
  EXPECT_EQ(SchemaOf(middle)->field(0)->type()->ToString(), "int64");
  CsvOptions all;
  all.infer = InferFrom::kAll;
  EXPECT_EQ(SchemaOf(middle, all)->field(0)->type()->ToString(), "string");
}

TEST(CsvFacts, BytesThatAreNoTextAreNamedByLineAndColumn) {
  CsvOptions comments;
  comments.comment = '#';
  std::string text = "k,v\n";
  for (int i = 0; i < 1000; ++i) text += "1,\"a\nb\"\n#\xFF\n\n";
  const auto facts =
      MemoryDriver(Must(MakeCsvFormat(comments)), text + "1,\xFF\n2,x\n", "a.csv").Facts();
  EXPECT_TRUE(facts.status().message().starts_with("'a.csv', line 4002: column 'v': "))
      << facts.status();
  EXPECT_TRUE(facts.status().message().ends_with("Name the encoding of the file (encoding)"));
}

TEST(CsvFacts, HeadersAreWhatTheOptionsSay) {
  EXPECT_EQ(SchemaOf("\xEF\xBB\xBF\"a \"\"x\"\"\",b\n1,2\n")->field_names(),
            (std::vector<std::string>{"a \"x\"", "b"}));
  EXPECT_EQ(SchemaOf("a\tb\n1\t2\n", {}, "x.tsv.gz2")->field_names(),
            (std::vector<std::string>{"a", "b"}));
  CsvOptions none;
  none.header = false;
  EXPECT_EQ(SchemaOf("1,2\n", none)->ToString(), "f0: int64\nf1: int64");
  CsvOptions names;
  names.column_names = {"p", "q"};
  EXPECT_EQ(SchemaOf("a,b\n1,2\n", names)->ToString(), "p: int64\nq: int64");
  names.header = false;
  EXPECT_EQ(SchemaOf("a,b\n1,2\n", names)->ToString(), "p: string\nq: string");
  CsvOptions skip;
  skip.skip_rows = 2;
  EXPECT_EQ(SchemaOf("x\r\ny,z,\"\r\na,b\r\n1,2\r\n", skip)->ToString(), "a: int64\nb: int64");
  EXPECT_EQ(SchemaOf("\n\n")->num_fields(), 0);
}

TEST(CsvFacts, TwoColumnsOfOneNameAreAnErrorUnlessTheTableHasOthers) {
  const auto format = Must(MakeCsvFormat());
  const TextTyping& typing = *format->text_typing();
  FactsOf file{"a.csv", Must(MemoryDriver(format, "v,v\n1,x\n", "a.csv").Facts())};
  const TableTypes table{
      arrow::schema({arrow::field("v", arrow::int64()), arrow::field("v_1", arrow::large_utf8())})};
  for (const auto& status : {typing.Union({file}).status(), typing.Retype(file, table).status()}) {
    EXPECT_EQ(status.message(),
              "'a.csv', line 1: two columns are named 'v'; rename one of them, give other names "
              "(column_names), or open it with duplicate_names = rename");
  }
  ASSERT_TRUE(typing.takes_names());
  file.names =
      arrow::schema({arrow::field("v", arrow::int64()), arrow::field("v_1", arrow::utf8())});
  EXPECT_TRUE(Must(typing.Union({file}))->Equals(file.names));
  EXPECT_TRUE(Must(typing.Retype(file, table))->schema()->Equals(table.schema));
}

TEST(CsvOptions, ThatMakeNoSenseAreErrorsThatNameThem) {
  CsvOptions same;
  same.delimiter = '"';
  EXPECT_EQ(MakeCsvFormat(same).status().message(), "quote is '\"', and so is delimiter");
  CsvOptions point;
  point.delimiter = ';';
  point.escape = point.decimal_point = '#';
  EXPECT_EQ(MakeCsvFormat(point).status().message(), "decimal_point is '#', and so is escape");
  CsvOptions by_default;
  by_default.comment = ',';
  EXPECT_EQ(MakeCsvFormat(by_default).status().message(),
            "comment is ',', and so is delimiter: give another");
  by_default.comment = '\t';
  EXPECT_EQ(MakeCsvFormat(by_default).status().message(),
            "comment is a tab, and so is delimiter in files named .tsv and .tab: give another");
  by_default.delimiter = ',';
  EXPECT_TRUE(MakeCsvFormat(by_default).ok());
  CsvOptions encoding;
  encoding.encoding = "no such";
  EXPECT_TRUE(MakeCsvFormat(encoding).status().message().starts_with("encoding is 'no such'"));
  EXPECT_TRUE(OptionsFromJson("{\"delimeter\": \";\"}")
                  .status()
                  .message()
                  .starts_with("The format csv has no option 'delimeter'; it has: "));
  EXPECT_EQ(OptionsFromJson("{\"header\": 1}").status().message(),
            "The option header is 1, but must be true or false");
}

TEST(CsvOptions, TravelAsJson) {
  EXPECT_EQ(OptionsToJson({}), "");
  CsvOptions options;
  options.delimiter = ';';
  options.quote.reset();
  options.null_values = {"NA", "-"};
  options.infer = InferFrom::kAll;
  const std::string json = OptionsToJson(options);
  const auto back = Must(GetFileFormat("csv", json));
  EXPECT_EQ(back->OptionsJson(), json);
  EXPECT_EQ(json, R"({"delimiter":";","infer":"all","null_values":["NA","-"],"quote":null})");
}

}  // namespace
}  // namespace shoal::formats::csv
