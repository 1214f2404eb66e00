#include "expression/evaluate.h"

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/json/from_string.h>

#include <shoal/filter.h>

namespace shoal::expression {
namespace {

namespace cp = arrow::compute;
using arrow::field;

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// 1, 0 and - for true, false and null.
std::string Rows(const arrow::Array& array) {
  const auto& booleans = static_cast<const arrow::BooleanArray&>(array);
  std::string rows;
  for (int64_t i = 0; i < booleans.length(); ++i)
    rows += booleans.IsNull(i) ? '-' : booleans.Value(i) ? '1' : '0';
  return rows;
}

arrow::Result<std::string> Rows(const std::string& text,
                                const std::shared_ptr<arrow::Array>& column) {
  auto batch = arrow::RecordBatch::Make(arrow::schema({field("x", column->type())}),
                                        column->length(), {column});
  ARROW_ASSIGN_OR_RAISE(auto parsed, ParseFilter(text));
  ARROW_ASSIGN_OR_RAISE(auto bound, BindFilter(parsed, batch->schema()));
  ARROW_ASSIGN_OR_RAISE(auto mask, Evaluate(bound, *batch, arrow::default_memory_pool()));
  return Rows(*mask);
}

TEST(Evaluate, ScalarsFillTheBatch) {
  auto batch = arrow::RecordBatch::Make(arrow::schema({}), 3, arrow::ArrayVector{});
  auto bound = BindFilter(cp::literal(true), batch->schema()).ValueOrDie();
  EXPECT_EQ(Rows(*Evaluate(bound, *batch, arrow::default_memory_pool()).ValueOrDie()), "111");
  auto text = Bind(cp::literal("abc"), batch->schema()).ValueOrDie();
  EXPECT_EQ(Evaluate(text, *batch, arrow::default_memory_pool()).ValueOrDie()->length(), 3);
}

TEST(Evaluate, EmptyBatchesGiveEmptyMasks) {
  EXPECT_EQ(Rows("x > 3", Json(arrow::int64(), "[]")).ValueOrDie(), "");
  EXPECT_EQ(Rows("x > 3", Json(arrow::utf8(), "[]")).ValueOrDie(), "");
}

TEST(Evaluate, TheZerosAreEqualHoweverTheyAreWritten) {
  auto column = arrow::compute::Cast(*Json(arrow::utf8(), R"(["0", "-0", "1"])"), arrow::float64())
                    .ValueOrDie();
  for (const char* text : {"x = 0", "x = -0.0", "x = 0e0", "x in (0)", "x in (0.0, 7)",
                           "x in (0e0)", "x in (-0e0, 7e0)"}) {
    EXPECT_EQ(Rows(text, column).ValueOrDie(), "110") << text;
  }
}

TEST(Evaluate, DecimalsOfAnyDigitsCanBeChosenAmong) {
  auto column = Json(arrow::decimal128(7, 2), R"(["1.00", null, "50.25"])");
  EXPECT_EQ(Rows("coalesce(x, 43.5) >= 43.5", column).ValueOrDie(), "011");
  EXPECT_EQ(Rows("if_else(x > 2, x, 43.500) < 44", column).ValueOrDie(), "1-0");
  EXPECT_EQ(Rows("greatest(x, 12345678901234.5) > 100", column).ValueOrDie(), "111");
}

TEST(Evaluate, TimestampsOfAnyUnitAndZoneCanBeChosenAmong) {
  auto zoned = Json(arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Paris"),
                    R"(["2024-01-31T10:00:00Z", null])");
  EXPECT_EQ(Rows("coalesce(x, timestamp '2024-01-01T00:00:00Z') < timestamp '2024-01-15T00:00:00Z'",
                 zoned)
                .ValueOrDie(),
            "01");
  auto seconds =
      Json(arrow::timestamp(arrow::TimeUnit::SECOND), R"(["2024-01-31 10:00:00", null])");
  EXPECT_EQ(
      Rows("coalesce(x, timestamp '2024-01-01T00:00:00.5') = timestamp '2024-01-01T00:00:00.5'",
           seconds)
          .ValueOrDie(),
      "01");
}

TEST(Evaluate, EveryKindOfText) {
  for (const auto& type : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view(), arrow::binary(),
                           arrow::binary_view()}) {
    auto column = Json(type, R"(["a", "abc", "b", null, "abc longer than twelve"])");
    EXPECT_EQ(Rows("x = 'abc'", column).ValueOrDie(), "010-0");
    EXPECT_EQ(Rows("x > 'abc'", column).ValueOrDie(), "001-1");
    EXPECT_EQ(Rows("x = 'abc longer than twelve'", column).ValueOrDie(), "000-1");
    EXPECT_EQ(Rows("x in ('abc', 'b')", column).ValueOrDie(), "011-0");
    EXPECT_EQ(Rows("x not in ('abc', null)", column).ValueOrDie(), "-0---");
    EXPECT_EQ(Rows("x like 'abc%'", column).ValueOrDie(), "010-1");
    EXPECT_EQ(Rows("x like '%b%'", column).ValueOrDie(), "011-1");
    EXPECT_EQ(Rows("x is null", column).ValueOrDie(), "00010");
  }
}

TEST(Evaluate, DictionariesOfText) {
  auto indices = Json(arrow::int8(), "[0, 1, null, 2]");
  for (const auto& values : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view()}) {
    auto column =
        arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int8(), values), indices,
                                           Json(values, R"(["a", "abc longer than twelve", "b"])"))
            .ValueOrDie();
    EXPECT_EQ(Rows("x = 'a'", column).ValueOrDie(), "10-0") << values->ToString();
    EXPECT_EQ(Rows("x in ('a', 'b')", column).ValueOrDie(), "10-1");
    EXPECT_EQ(Rows("x like 'abc%'", column).ValueOrDie(), "01-0");
    EXPECT_EQ(Rows("length(x) > 1", column).ValueOrDie(), "01-0");
  }
}

TEST(Evaluate, NestedColumns) {
  auto type = arrow::struct_({field("v", arrow::utf8_view()), field("n", arrow::int64())});
  auto column = Json(type, R"([{"v": "a", "n": 1}, null, {"v": null, "n": 3}])");
  EXPECT_EQ(Rows("x.n > 1", column).ValueOrDie(), "0-1");
  EXPECT_EQ(Rows("x.v = 'a'", column).ValueOrDie(), "1--");
  EXPECT_EQ(Rows("x is null", column).ValueOrDie(), "010");
}

TEST(Evaluate, TextAgainstNumbersComparesNumbers) {
  for (const auto& type : {arrow::utf8(), arrow::utf8_view(), arrow::large_utf8()}) {
    auto column = Json(type, R"(["1", "01", "1.50", "-2", null, "10", "9007199254740993"])");
    EXPECT_EQ(Rows("x = 1", column).ValueOrDie(), "1100-00");
    EXPECT_EQ(Rows("x > 1.4", column).ValueOrDie(), "0010-11");
    EXPECT_EQ(Rows("x in (1, 1.5)", column).ValueOrDie(), "1110-00");
    EXPECT_EQ(Rows("x = 9007199254740992", column).ValueOrDie(), "0000-00");
    EXPECT_EQ(Rows("x < 1e0", column).ValueOrDie(), "0001-00");
    auto bad = Rows("x = 1", Json(type, R"(["1", "one"])"));
    EXPECT_TRUE(bad.status().IsInvalid());
    EXPECT_NE(bad.status().message().find("one"), std::string::npos) << bad.status();
  }
}

TEST(Evaluate, NanIsNoNumberAndNotNull) {
  auto column =
      arrow::compute::Cast(*Json(arrow::utf8(), R"(["5", "nan", null, "inf"])"), arrow::float64())
          .ValueOrDie();
  EXPECT_EQ(Rows("x != 5", column).ValueOrDie(), "01-1");
  EXPECT_EQ(Rows("not (x < 10)", column).ValueOrDie(), "01-1");
  EXPECT_EQ(Rows("x is nan", column).ValueOrDie(), "01-0");
  EXPECT_EQ(Rows("x is not nan", column).ValueOrDie(), "10-1");
  EXPECT_EQ(Rows("x > 10", column).ValueOrDie(), "00-1");
  EXPECT_EQ(Rows("x != 9007199254740993", column).ValueOrDie(), "11-1");
  EXPECT_EQ(Rows("x = cast('nan' as double)", column).ValueOrDie(), "00-0");
  auto whole = Json(arrow::int64(), "[5, null]");
  EXPECT_EQ(Rows("x != cast('nan' as double)", whole).ValueOrDie(), "1-");
  EXPECT_EQ(Rows("x < cast('inf' as double)", whole).ValueOrDie(), "1-");
}

TEST(Evaluate, ListsOfValuesThatTheTypeLacks) {
  auto column = Json(arrow::int8(), "[1, 2, null]");
  EXPECT_EQ(Rows("x in (300, 2.5)", column).ValueOrDie(), "00-");
  EXPECT_EQ(Rows("x not in (300, 1)", column).ValueOrDie(), "01-");
  EXPECT_EQ(Rows("x in (null)", column).ValueOrDie(), "---");
  auto zeros = arrow::compute::Cast(*Json(arrow::utf8(), R"(["0", "-0", "1"])"), arrow::float64())
                   .ValueOrDie();
  EXPECT_EQ(Rows("x in (0, 3)", zeros).ValueOrDie(), "110");
}

TEST(Evaluate, ColumnsOfOneTypeEvenIfSliced) {
  auto column = Json(arrow::int64(), "[1, 2, 3, 4]")->Slice(1, 2);
  EXPECT_EQ(Rows("x >= 3", column).ValueOrDie(), "01");
}

}  // namespace
}  // namespace shoal::expression
