#include "json_text.h"

#include <limits>

#include <arrow/api.h>
#include <arrow/extension/uuid.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "temporal_text.h"

namespace shoal::cli {

namespace {

std::string JsonOf(const arrow::Array& array) {
  std::string text;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (i > 0) text += ' ';
    const arrow::Status status = AppendJson(array, i, &text);
    if (!status.ok()) return status.ToString();
  }
  return text;
}

std::string JsonOf(const std::shared_ptr<arrow::DataType>& type, const std::string& values) {
  return JsonOf(*arrow::json::ArrayFromJSONString(type, values).ValueOrDie());
}

TEST(JsonText, ViewsReadAsWhatTheyShow) {
  EXPECT_EQ(JsonOf(arrow::list_view(arrow::int8()), "[[1, null], null, [], [2]]"),
            "[1,null] null [] [2]");
  EXPECT_EQ(
      JsonOf(arrow::large_list_view(arrow::utf8_view()), R"([["a"], ["longer than twelve"]])"),
      R"(["a"] ["longer than twelve"])");
  EXPECT_EQ(JsonOf(arrow::utf8_view(), R"(["v", null])"), R"("v" null)");
}

TEST(JsonText, IntervalsAreObjectsOfTheirParts) {
  EXPECT_EQ(JsonOf(arrow::month_interval(), "[14, null]"), R"({"months":14} null)");
  EXPECT_EQ(JsonOf(arrow::day_time_interval(), "[[1, -5]]"), R"({"days":1,"milliseconds":-5})");
  EXPECT_EQ(JsonOf(arrow::month_day_nano_interval(), "[[1, 2, 3]]"),
            R"({"months":1,"days":2,"nanoseconds":3})");
}

TEST(JsonText, UnionsShowTheValueThatIsChosen) {
  const arrow::FieldVector fields = {arrow::field("a", arrow::int32()),
                                     arrow::field("b", arrow::utf8())};
  const std::string values = R"([[0, 1], [1, "x"], [0, null]])";
  EXPECT_EQ(JsonOf(arrow::dense_union(fields), values), R"(1 "x" null)");
  EXPECT_EQ(JsonOf(arrow::sparse_union(fields), values), R"(1 "x" null)");
}

TEST(JsonText, RunsAreSpread) {
  const auto ends = arrow::json::ArrayFromJSONString(arrow::int32(), "[2, 3, 5]").ValueOrDie();
  const auto values =
      arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["a", null, "b"])").ValueOrDie();
  const auto runs = arrow::RunEndEncodedArray::Make(5, ends, values).ValueOrDie();
  EXPECT_EQ(JsonOf(*runs), R"("a" "a" null "b" "b")");
  EXPECT_EQ(JsonOf(*runs->Slice(1, 3)), R"("a" null "b")");
}

TEST(JsonText, SlicesOfNestedValuesStartWhereTheyShould) {
  const auto type = arrow::struct_({arrow::field("l", arrow::list(arrow::int8())),
                                    arrow::field("f", arrow::fixed_size_list(arrow::int8(), 2)),
                                    arrow::field("m", arrow::map(arrow::utf8(), arrow::int8()))});
  const auto array = arrow::json::ArrayFromJSONString(type, R"([
      {"l": [1], "f": [1, 2], "m": [["a", 1]]},
      {"l": [2, 3], "f": [3, 4], "m": [["b", 2], ["c", null]]}])")
                         .ValueOrDie();
  EXPECT_EQ(JsonOf(*array->Slice(1)),
            R"({"l":[2,3],"f":[3,4],"m":[{"key":"b","value":2},{"key":"c","value":null}]})");
}

TEST(JsonText, DecimalsOfEveryWidthAreExactText) {
  EXPECT_EQ(JsonOf(arrow::decimal32(5, 2), R"(["1.10"])"), R"("1.10")");
  EXPECT_EQ(JsonOf(arrow::decimal64(18, 0), R"(["-123456789012345678"])"),
            R"("-123456789012345678")");
  EXPECT_EQ(JsonOf(arrow::decimal256(76, 1), R"(["1234567890123456789012345678901234567890.5"])"),
            R"("1234567890123456789012345678901234567890.5")");
}

TEST(JsonText, ExtensionsAreTheirStorage) {
  const auto storage =
      arrow::json::ArrayFromJSONString(arrow::fixed_size_binary(16), R"(["0123456789abcdef"])");
  EXPECT_EQ(
      JsonOf(*arrow::ExtensionType::WrapArray(arrow::extension::uuid(), storage.ValueOrDie())),
      R"("MDEyMzQ1Njc4OWFiY2RlZg==")");
}

TEST(JsonText, EveryControlCharacterIsEscaped) {
  std::string text;
  for (char c = 0; c < 0x20; ++c) AppendEscaped(std::string_view(&c, 1), &text);
  for (const char c : text) EXPECT_GE(c, 0x20);
  EXPECT_EQ(text.substr(0, 12), "\\u0000\\u0001");
}

TEST(JsonText, StructsWithFieldsOfOneNameAreRefused) {
  const auto twice = arrow::list(
      arrow::struct_({arrow::field("a", arrow::int8()), arrow::field("a", arrow::int8())}));
  EXPECT_FALSE(CheckJsonType("c", *twice).ok());
  EXPECT_TRUE(CheckJsonType("c", *arrow::map(arrow::utf8(), arrow::int8())).ok());
}

TEST(TemporalText, TheWholeRangeOfSecondsHasDates) {
  std::string text;
  AppendTimestamp(std::numeric_limits<int64_t>::max(), arrow::TimeUnit::SECOND, true, &text);
  EXPECT_EQ(text, "+292277026596-12-04T15:30:07Z");
  text.clear();
  AppendTimestamp(std::numeric_limits<int64_t>::min(), arrow::TimeUnit::SECOND, false, &text);
  EXPECT_EQ(text, "-292277022657-01-27T08:29:52");
  text.clear();
  AppendTimestamp(std::numeric_limits<int64_t>::min(), arrow::TimeUnit::NANO, false, &text);
  EXPECT_EQ(text, "1677-09-21T00:12:43.145224192");
}

TEST(TemporalText, YearsBeyondFourDigitsHaveASign) {
  std::string text;
  AppendDate(2932897, &text);
  text += ' ';
  AppendDate(2932896, &text);
  text += ' ';
  AppendDate(-719528, &text);
  text += ' ';
  AppendDate(-719529, &text);
  EXPECT_EQ(text, "+010000-01-01 9999-12-31 0000-01-01 -000001-12-31");
}

}  // namespace

}  // namespace shoal::cli
