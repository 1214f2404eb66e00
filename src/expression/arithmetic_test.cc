#include "expression/arithmetic.h"

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/json/from_string.h>

#include <shoal/filter.h>

#include "expression/evaluate.h"

namespace shoal::expression {
namespace {

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// 1, 0 and - for the rows of column `x` where the filter is true, false and null.
arrow::Result<std::string> Rows(const std::string& text,
                                const std::shared_ptr<arrow::Array>& column) {
  auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", column->type())}),
                                        column->length(), {column});
  ARROW_ASSIGN_OR_RAISE(auto parsed, ParseFilter(text));
  ARROW_ASSIGN_OR_RAISE(auto bound, BindFilter(parsed, batch->schema()));
  ARROW_ASSIGN_OR_RAISE(auto mask, Evaluate(bound, *batch, arrow::default_memory_pool()));
  const auto& booleans = static_cast<const arrow::BooleanArray&>(*mask);
  std::string rows;
  for (int64_t i = 0; i < booleans.length(); ++i)
    rows += booleans.IsNull(i) ? '-' : booleans.Value(i) ? '1' : '0';
  return rows;
}

std::string MessageOf(const arrow::Result<std::string>& rows) { return rows.status().message(); }

struct Case {
  const char* filter;
  const char* rows;
};

void Check(const std::shared_ptr<arrow::Array>& column, const std::vector<Case>& cases) {
  for (const auto& [filter, rows] : cases) {
    auto found = Rows(filter, column);
    EXPECT_TRUE(found.ok()) << filter << " of " << *column->type() << ": " << found.status();
    if (found.ok()) {
      EXPECT_EQ(*found, rows) << filter << " of " << *column->type();
    }
  }
}

TEST(Arithmetic, DecimalsMeetIntegers) {
  for (const auto& type : {arrow::decimal128(15, 2), arrow::decimal256(15, 2),
                           arrow::decimal64(15, 2), arrow::decimal32(9, 2)}) {
    Check(Json(type, R"(["50.00", "50.01", "-3.99", null])"), {
                                                                  {"x * 2 > 100", "010-"},
                                                                  {"2 * x = 100.02", "010-"},
                                                                  {"x + 1 = 51", "100-"},
                                                                  {"1 - x > 4", "001-"},
                                                                  {"x - 1000000 < 0", "111-"},
                                                                  {"x / 2 > 25", "010-"},
                                                                  {"100 / x = 2", "100-"},
                                                                  {"x / 3 > 16.66", "110-"},
                                                                  {"x * 1.5 = 75", "100-"},
                                                                  {"x * 1e0 = 50", "100-"},
                                                                  {"-x = 3.99", "001-"},
                                                                  {"abs(x) < 4", "001-"},
                                                              });
  }
}

TEST(Arithmetic, IntegersAreCastToDecimalsThatHoldThem) {
  auto column = Json(arrow::int64(), "[3, 1000, null]");
  EXPECT_EQ(Rows("cast(x as decimal(6, 2)) = 3.00", column).ValueOrDie(), "10-");
  EXPECT_NE(MessageOf(Rows("cast(x as decimal(4, 2)) = 3", column)).find("does not fit"),
            std::string::npos);
}

TEST(Arithmetic, DecimalColumnsOfAnyScaleMeet) {
  // The smallest quotient above 3 that a decimal(4, 2) and a decimal(6, 4) have: 3.0002.
  auto column = Json(arrow::decimal128(4, 2), R"(["29.99", "30.00", "30.01"])");
  Check(column, {{"x / 9.9999 > 3", "011"}, {"x / 10.0000 > 3", "001"}, {"x / x = 1", "111"}});
}

TEST(Arithmetic, IntegersDoNotOverflowTheirOwnWidth) {
  Check(Json(arrow::int8(), "[127, -128, 0, null]"), {
                                                         {"x + 1 = 128", "100-"},
                                                         {"1 + x = 128", "100-"},
                                                         {"x - 1 = -129", "010-"},
                                                         {"x * x > 16000", "110-"},
                                                         {"x * 1000 = 127000", "100-"},
                                                         {"-x = 128", "010-"},
                                                         {"abs(x) = 128", "010-"},
                                                         {"x / -1 = 128", "010-"},
                                                         {"power(x, 2) = 16384", "010-"},
                                                         {"x + x = 254", "100-"},
                                                         {"x + 0.5 > 127", "100-"},
                                                     });
  Check(Json(arrow::int32(), "[2147483647, 0]"), {{"x + 1 > 2147483647", "10"}});
  Check(Json(arrow::uint8(), "[255, 0]"),
        {{"x - 1 < 0", "01"}, {"x + 1 = 256", "10"}, {"-x = -255", "10"}});
  Check(Json(arrow::uint32(), "[4294967295, 0]"), {{"x + 1 > x", "11"}, {"x - 1 < 0", "01"}});
}

TEST(Arithmetic, Uint64IsExact) {
  Check(Json(arrow::uint64(), "[18446744073709551615, 0, 7]"),
        {
            {"x + 1 = 18446744073709551616", "100"},
            {"x - 1 < 0", "010"},
            {"x * 2 > x", "101"},
            {"-x < 0", "101"},
            {"x / 2 = 3", "001"},
            {"x / 2 > 9223372036854775806", "100"},
        });
  EXPECT_NE(MessageOf(Rows("x / -2 < 0", Json(arrow::uint64(), "[18446744073709551615]")))
                .find("can't be computed"),
            std::string::npos);
}

TEST(Arithmetic, FloatsMeetAllElseAsDoubles) {
  Check(Json(arrow::int64(), "[9007199254740993, 1]"),
        {{"x + 0.5e0 > 0", "11"}, {"x * 1e0 = 9007199254740992e0", "10"}});
  Check(Json(arrow::float32(), "[0.5, 3]"), {{"x * 2 = 1", "10"}, {"x + 0.25 = 0.75", "10"}});
  Check(Json(arrow::float64(), "[0.1, 3]"), {{"x + 0.2 = 0.3", "00"}, {"x * 10 = 1", "10"}});
}

TEST(Arithmetic, LiteralsAloneDoNotOverflowEither) {
  Check(
      Json(arrow::int8(), "[1]"),
      {{"127 + 1 = 128", "1"}, {"x < 100 * 100", "1"}, {"x = 0.5 * 2", "1"}, {"-(128) < x", "1"}});
  EXPECT_EQ(MessageOf(Rows("x < 1 / 0", Json(arrow::int8(), "[1]"))),
            "`1 / 0` can't be computed: divide by zero");
  EXPECT_EQ(MessageOf(Rows("x < 9223372036854775807 + 1", Json(arrow::int8(), "[1]"))),
            "`9223372036854775807 + 1` can't be computed: overflow");
}

TEST(Arithmetic, ErrorsNameThePartThatRaisesThem) {
  auto column = Json(arrow::int64(), "[9223372036854775807, 0]");
  EXPECT_EQ(MessageOf(Rows("x > 5 or x + 1 > 7", column)), "`x + 1` can't be computed: overflow");
  EXPECT_EQ(MessageOf(Rows("not (10 / x > 3)", column)),
            "`10 / x` can't be computed: divide by zero");
  auto decimals = Json(arrow::decimal128(5, 2), R"(["0.00"])");
  const std::string quotient = MessageOf(Rows("1 / x > 3", decimals));
  EXPECT_NE(quotient.find(" / x` can't be computed: Divide by zero"), std::string::npos)
      << quotient;
  const std::string cast = MessageOf(Rows("cast(x as int8) = 1", column));
  EXPECT_EQ(cast.find("`cast(x as int8)` can't be computed: "), 0u) << cast;
}

TEST(Arithmetic, OfWideDecimalsWithLiteralsIsExact) {
  auto column =
      Json(arrow::decimal128(38, 0), R"(["10000000000000000000000000000000000000", "5"])");
  EXPECT_EQ(Rows("x - 7 = x", column).ValueOrDie(), "00");
  EXPECT_EQ(Rows("x - 7 < x", column).ValueOrDie(), "11");
  auto cents = Json(arrow::decimal128(37, 2), R"(["12345678901234567.89"])");
  EXPECT_EQ(Rows("x * 7 = 86419752308641975.23", cents).ValueOrDie(), "1");
  auto integers = Json(arrow::int64(), "[4611686018427387905]");
  EXPECT_EQ(Rows("x * 100000000000000000000 = 461168601842738790500000000000000000000", integers)
                .ValueOrDie(),
            "1");
}

TEST(Arithmetic, TooManyDigitsIsOneClearError) {
  auto column = Json(arrow::decimal128(37, 0), R"(["2"])");
  EXPECT_EQ(Rows("x * x = 4", column).ValueOrDie(), "1");
  const std::string message = MessageOf(Rows("x * x * x = 8", column));
  EXPECT_NE(message.find(" * x` can't be computed: the result may need more than 76 digits; cast a "
                         "part of it to float64"),
            std::string::npos)
      << message;
  EXPECT_EQ(Rows("cast(x as float64) * x * x = 8", column).ValueOrDie(), "1");
}

TEST(Arithmetic, TextHasNone) {
  EXPECT_EQ(MessageOf(Rows("x * 2 = 4", Json(arrow::utf8(), R"(["2"])"))),
            "`x * 2` can't be computed: there is no such arithmetic with string and int64");
}

}  // namespace
}  // namespace shoal::expression
