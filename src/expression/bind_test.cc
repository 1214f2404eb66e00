// What is bound, by example; comparison_test.cc compares whole type matrices with an oracle.
#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/json/from_string.h>

#include <shoal/filter.h>

#include "expression/conjuncts.h"
#include "expression/evaluate.h"

namespace shoal::expression {
namespace {

namespace cp = arrow::compute;
using arrow::field;

const auto kMicro = arrow::timestamp(arrow::TimeUnit::MICRO);
const auto kZoned = arrow::timestamp(arrow::TimeUnit::NANO, "UTC");

std::shared_ptr<arrow::Schema> TestSchema() {
  return arrow::schema({
      field("tiny", arrow::int8()),
      field("i", arrow::int64()),
      field("u", arrow::uint64()),
      field("f", arrow::float32()),
      field("d", arrow::float64()),
      field("dec", arrow::decimal128(20, 2)),
      field("t", arrow::utf8()),
      field("large", arrow::large_utf8()),
      field("view", arrow::utf8_view()),
      field("dict", arrow::dictionary(arrow::int32(), arrow::utf8())),
      field("dict_view", arrow::dictionary(arrow::int8(), arrow::utf8_view())),
      field("ts", kMicro),
      field("tz", kZoned),
      field("day", arrow::date32()),
      field("b", arrow::boolean()),
      field("s", arrow::struct_({field("x", arrow::int64()), field("v", arrow::utf8_view())})),
      field("s.x", arrow::int32()),
      field("clock", arrow::time32(arrow::TimeUnit::SECOND)),
      field("nothing", arrow::null()),
      field("half", arrow::float16()),
      field("bytes", arrow::binary()),
      field("list", arrow::list(arrow::int64())),
  });
}

std::string Bound(const cp::Expression& filter) {
  auto bound = BindFilter(filter, TestSchema());
  return bound.ok() ? ToText(*bound) : bound.status().ToString();
}
std::string Bound(const std::string& text) { return Bound(ParseFilter(text).ValueOrDie()); }

arrow::Status Failure(const std::string& text) {
  return BindFilter(ParseFilter(text).ValueOrDie(), TestSchema()).status();
}

TEST(Bind, LiteralsTakeTheColumnsType) {
  EXPECT_EQ(Bound("5 < i"), "i > 5");
  EXPECT_EQ(Bound("tiny = 5"), "tiny = 5");
  EXPECT_EQ(Bound("tiny < 1.5"), "tiny <= 1");
  EXPECT_EQ(Bound("tiny >= 1.5"), "tiny > 1");
  EXPECT_EQ(Bound("tiny > -1.5"), "tiny > -2");
  EXPECT_EQ(Bound("tiny > 300"), "tiny > 127");
  EXPECT_EQ(Bound("tiny < 300"), "tiny <= 127");
  EXPECT_EQ(Bound("u = -1"), "u > 18446744073709551615");
  EXPECT_EQ(Bound("dec = 5.0"), "dec = 5.00");
  EXPECT_EQ(Bound("dec = 5"), "dec = 5.00");
  EXPECT_EQ(Bound("dec < 5.005"), "dec <= 5.00");
  EXPECT_EQ(Bound("dec != 5.005"), "dec <= 999999999999999999.99");
  EXPECT_EQ(Bound(cp::equal(cp::field_ref("dec"), cp::literal(0.1))), "dec = 0.10");
  EXPECT_EQ(Bound("d = 0.1"), "d = 0.1");
  EXPECT_EQ(Bound("d > 9007199254740993"), "d > 9007199254740992.0");
  EXPECT_EQ(Bound("f = 0.5"), "f = 0.5");
  EXPECT_EQ(Bound("ts = '2024-01-31'"), "ts = timestamp '2024-01-31T00:00:00.000000'");
  EXPECT_EQ(Bound("ts > '2024-01-31T10:00:00.123456789'"),
            "ts > timestamp '2024-01-31T10:00:00.123456'");
  EXPECT_EQ(Bound("tz = '2024-01-31T10:00:00+02:00'"),
            "tz = timestamp '2024-01-31T08:00:00.000000000Z'");
  EXPECT_EQ(Bound("tz = date '2024-01-31'"), "tz = timestamp '2024-01-31T00:00:00.000000000Z'");
  EXPECT_EQ(Bound("day < timestamp '2024-01-31T12:00:00'"), "day <= date '2024-01-31'");
  EXPECT_EQ(Bound("clock > '10:00'"), "clock > time '10:00:00'");
  EXPECT_EQ(Bound("view = 'a'"), "view = 'a'");
  EXPECT_EQ(Bound("large = 'a'"), "large = 'a'");
  EXPECT_EQ(Bound("dict = 'a'"), "cast(dict as string) = 'a'");
  EXPECT_EQ(Bound("i in (1, 2.5, 3)"), "i in (1, 3)");
  EXPECT_EQ(Bound("tz in ('2024-01-31T10:00:00Z')"),
            "tz in (timestamp '2024-01-31T10:00:00.000000000Z')");
}

TEST(Bind, BoundLiteralsHaveTheColumnsType) {
  for (const char* text : {"tiny > 300", "dec = 5", "ts = '2024-01-31'", "view = 'a'",
                           "large = 'a'", "f = 1", "u < 2"}) {
    auto bound = BindFilter(ParseFilter(text).ValueOrDie(), TestSchema()).ValueOrDie();
    ASSERT_NE(bound.call(), nullptr);
    EXPECT_NE(bound.call()->arguments[0].field_ref(), nullptr) << text;
    EXPECT_EQ(*bound.call()->arguments[0].type(), *bound.call()->arguments[1].type()) << text;
  }
}

TEST(Bind, ReferencesBecomeNames) {
  EXPECT_EQ(Bound("s.x = 1"), "s.x = 1");  // the column of that name, an int32
  auto nested = cp::equal(cp::field_ref(arrow::FieldRef("s", "x")), cp::literal(int64_t{1}));
  auto bound = BindFilter(nested, TestSchema()).ValueOrDie();
  EXPECT_EQ(*bound.call()->arguments[0].field_ref(), arrow::FieldRef("s", "x"));
  auto by_path =
      cp::equal(cp::field_ref(arrow::FieldRef(arrow::FieldPath({15, 0}))), cp::literal(1));
  EXPECT_TRUE(BindFilter(by_path, TestSchema()).ValueOrDie().Equals(bound));
  auto by_function = cp::equal(
      cp::call("struct_field", {cp::field_ref("s")}, cp::StructFieldOptions({0})), cp::literal(1));
  EXPECT_TRUE(BindFilter(by_function, TestSchema()).ValueOrDie().Equals(bound));
  EXPECT_EQ(Bound("s.v = 'q'"), "s.v = 'q'");
}

TEST(Bind, AColumnWithoutFieldsDoesNotHideAStruct) {
  auto b = arrow::struct_({field("b", arrow::int64())});
  auto schema =
      arrow::schema({field("s.a", arrow::int64()), field("s", arrow::struct_({field("a", b)}))});
  auto filter = cp::equal(cp::field_ref("s.a.b"), cp::literal(int64_t{1}));
  auto bound = BindFilter(filter, schema).ValueOrDie();
  EXPECT_EQ(*bound.call()->arguments[0].field_ref(), arrow::FieldRef("s", "a", "b"));
  const auto message =
      BindFilter(cp::equal(cp::field_ref("s.a.c.d"), cp::literal(1)), schema).status().message();
  EXPECT_NE(message.find("`c.d` in `s.a`"), std::string::npos) << message;
}

TEST(Bind, UnknownAndAmbiguousColumnsAreNamed) {
  std::string message = Failure("tinny = 1").message();
  EXPECT_EQ(message.find("There is no column `tinny`; did you mean `tiny`? The columns are "), 0u)
      << message;
  message = Failure("s.y = 1").message();
  EXPECT_NE(message.find("`y` in `s`"), std::string::npos) << message;
  message = Failure("i.x = 1").message();
  EXPECT_EQ(message, "`i` has no fields to name: it is int64");
  auto twice = arrow::schema({field("a", arrow::int64()), field("a", arrow::int32())});
  message = BindFilter(ParseFilter("a = 1").ValueOrDie(), twice).status().message();
  EXPECT_EQ(message.find("2 columns are named `a`"), 0u) << message;
  message = BindFilter(ParseFilter("a = 1").ValueOrDie(), arrow::schema({})).status().message();
  EXPECT_NE(message.find("there are no columns"), std::string::npos) << message;
}

TEST(Bind, TextInDoubleQuotesIsHintedAt) {
  const std::string hint = "For the text, write '";
  for (const char* text : {"t = \"UA\"", "\"UA\" != t", "t in ('a', \"UA\")", "t = UA",
                           "lower(t) < \"UA\"", "not (i = 1 or t = \"UA\")"}) {
    const std::string message = Failure(text).message();
    EXPECT_NE(message.find(". " + hint + "UA' in single quotes"), std::string::npos) << message;
    EXPECT_EQ(message.find("There is no column `UA`"), 0u) << message;
  }
  EXPECT_NE(Failure("day > \"2024-01-31\"").message().find(hint + "2024-01-31'"),
            std::string::npos);
  // Here no text could be meant.
  for (const char* text : {"i > \"UA\"", "\"UA\" = 'x'", "UA", "length(\"UA\") = 2"}) {
    EXPECT_EQ(Failure(text).message().find(hint), std::string::npos) << text;
  }
}

TEST(Bind, ZonedAndNaiveErrorsSayHowToWriteTheLiteral) {
  const std::string both = ": one has a time zone and the other has none; ";
  for (const char* text : {"tz > timestamp '2024-01-31T10:00:00'", "tz > '2024-01-31T10:00:00'",
                           "tz in ('2024-01-31T10:00:00')"}) {
    const std::string message = Failure(text).message();
    EXPECT_NE(message.find(both + "write the literal with one, as timestamp "
                                  "'2024-01-31T10:00:00Z' (UTC) or '2024-01-31T10:00:00+02:00'"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("`tz` (timestamp[ns, tz=UTC]) can't be compared with "),
              std::string::npos)
        << message;
  }
  for (const char* text :
       {"ts > timestamp '2024-01-31T10:00:00.5Z'", "ts > '2024-01-31T12:00:00.5+02:00'"}) {
    const std::string message = Failure(text).message();
    EXPECT_NE(message.find(both + "write the literal without Z or offset, as timestamp "
                                  "'2024-01-31T10:00:00.500'"),
              std::string::npos)
        << message;
  }
  EXPECT_NE(Failure("ts = tz").message().find(both + "local_timestamp(x) is the wall clock time"),
            std::string::npos);
  EXPECT_NE(Bound("ts = local_timestamp(tz)"), "");
}

TEST(Bind, NothingIsSaidTwice) {
  EXPECT_EQ(
      Failure("i = 'x'").message(),
      "`i` (int64) can't be compared with `'x'` (string): a number is written without quotes");
  EXPECT_EQ(Failure("b = 1").message(),
            "`b` (bool) can't be compared with `1` (int64): a truth value is true or false");
  EXPECT_EQ(
      Failure("t = true").message(),
      "`t` (string) can't be compared with `true` (bool): such values have no common order or "
      "equality");
  EXPECT_EQ(
      Failure("day = 'soon'").message(),
      "`day` (date32[day]) can't be compared with `'soon'` (string): 'soon' is no date "
      "(2024-01-31) and no timestamp (2024-01-31T10:00:00, with Z or +02:00 for a zoned one)");
}

TEST(Bind, IncomparableTypesAreNamed) {
  for (const char* text : {"i = 'x'",
                           "i = '5'",
                           "b = 1",
                           "b = 'true'",
                           "t = true",
                           "t = b",
                           "i = b",
                           "i = t",
                           "i = ts",
                           "ts = clock",
                           "day = 5",
                           "day = clock",
                           "list = 1",
                           "list = list",
                           "s = s",
                           "s = 1",
                           "bytes = 1",
                           "i in ('a')",
                           "t in (true)",
                           "tz = timestamp '2024-01-31T10:00:00'",
                           "ts = '2024-01-31T10:00:00Z'",
                           "ts = tz",
                           "tz in ('2024-01-31T10:00:00')",
                           "i = timestamp '2024-01-31T10:00:00'",
                           "lower(i) = 'a'",
                           "year(t) = 3",
                           "t + 1 > 2"}) {
    arrow::Status status = Failure(text);
    EXPECT_TRUE(status.IsTypeError()) << text << ": " << status;
  }
  std::string message = Failure("ts = tz").message();
  EXPECT_NE(message.find("timestamp[us]"), std::string::npos);
  EXPECT_NE(message.find("timestamp[ns, tz=UTC]"), std::string::npos);
  message = Failure("i = 'x'").message();
  EXPECT_NE(message.find("`i` (int64)"), std::string::npos) << message;
  EXPECT_NE(message.find("string"), std::string::npos) << message;
  EXPECT_TRUE(Failure("day = 'soon'").IsInvalid());
}

TEST(Bind, FiltersAreBoolean) {
  for (const char* text : {"i", "i + 1", "'x'", "lower(t)", "not i", "i and b", "b or t"}) {
    arrow::Status status = Failure(text);
    EXPECT_TRUE(status.IsTypeError()) << text << status;
    EXPECT_NE(status.message().find("must evaluate to bool"), std::string::npos) << status;
  }
  EXPECT_EQ(Bound("b"), "b");
  EXPECT_EQ(Bound("true"), "true");
  EXPECT_EQ(Bound("null"), "null");
  EXPECT_EQ(Bound("nothing"), "null");
  auto bound = Bind(cp::field_ref("i"), TestSchema());  // a projection need not be
  EXPECT_TRUE(bound.ok());
}

TEST(Bind, NullsAreUnknown) {
  EXPECT_EQ(Bound("i = null"), "null");
  EXPECT_EQ(Bound("not (i = null)"), "null");
  EXPECT_EQ(Bound("nothing = 1"), "null");
  EXPECT_EQ(Bound("i = null or b"), "null or b");
  EXPECT_EQ(Bound("nothing is null and b"), "nothing is null and b");
}

TEST(Bind, LiteralsAreFolded) {
  EXPECT_EQ(Bound("1 = 1.0 and i > 2"), "i > 2");
  EXPECT_EQ(Bound("i > 2 or true"), "true");
  EXPECT_EQ(Bound("i > 1 + 2"), "i > 3");
  EXPECT_EQ(Bound("day = cast('2024-01-31' as date)"), "day = date '2024-01-31'");
  EXPECT_EQ(Bound("false and i > 1"), "false");
}

TEST(Bind, LikeBecomesAPrefixOrEquality) {
  EXPECT_EQ(Bound("t like 'abc%'"), "starts_with(t, 'abc')");
  EXPECT_EQ(Bound("t like 'abc'"), "t = 'abc'");
  EXPECT_EQ(Bound("t like 'a%c'"), "t like 'a%c'");
  EXPECT_EQ(Bound("t like 'a\\%%'"), "t like 'a\\%%'");
  EXPECT_EQ(Bound("t ilike 'abc%'"), "t ilike 'abc%'");
  EXPECT_EQ(Bound("view like 'abc%'"), "starts_with(cast(view as string), 'abc')");
}

TEST(Bind, TakesExpressionsAsPythonBuildsThem) {
  auto column = cp::field_ref("i");
  auto set = arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 2, null]").ValueOrDie();
  auto filter = cp::and_(cp::equal(column, cp::literal(1)),
                         cp::not_(cp::call("is_in", {column}, cp::SetLookupOptions(set))));
  EXPECT_EQ(Bound(filter), "i = 1 and i is not null and i not in (1, 2)");
  auto dictionary = arrow::DictionaryScalar::Make(
      arrow::MakeScalar(0),
      arrow::json::ArrayFromJSONString(arrow::utf8(), "[\"a\"]").ValueOrDie());
  EXPECT_EQ(Bound(cp::equal(cp::field_ref("t"), cp::literal(arrow::Datum(dictionary)))), "t = 'a'");
  EXPECT_EQ(Bound(cp::greater(
                cp::call("cast", {cp::field_ref("tiny")}, cp::CastOptions::Safe(arrow::int64())),
                cp::literal(300))),
            "cast(tiny as int64) > 300");
  auto bound_already = filter.Bind(*TestSchema()).ValueOrDie();
  EXPECT_EQ(Bound(bound_already), Bound(filter));
  auto chunked = std::make_shared<arrow::ChunkedArray>(arrow::ArrayVector{set, set});
  EXPECT_EQ(Bound(cp::call("is_in", {column}, cp::SetLookupOptions(arrow::Datum(chunked), true))),
            "i in (1, 2, 1, 2)");
  EXPECT_TRUE(BindFilter(cp::call("sum", {column}), TestSchema()).status().IsTypeError());
  EXPECT_FALSE(BindFilter(cp::Expression(), TestSchema()).ok());
}

TEST(Bind, DeepExpressionsAreAnErrorAndLongOnesAreFine) {
  auto deep = cp::field_ref("b");
  for (int i = 0; i < 5000; ++i) deep = cp::not_(deep);
  EXPECT_TRUE(BindFilter(deep, TestSchema()).status().IsInvalid());
  auto chain = cp::field_ref("b");
  for (int i = 0; i < 5000; ++i)
    chain = cp::or_(chain, cp::equal(cp::field_ref("i"), cp::literal(i)));
  EXPECT_TRUE(BindFilter(chain, TestSchema()).ok());
}

TEST(Bind, FunctionsWithoutAKernelGetDecodedArguments) {
  EXPECT_EQ(Bound("lower(view) = 'a'"), "lower(cast(view as string)) = 'a'");
  EXPECT_EQ(Bound("length(dict) = 1"), "length(cast(dict as string)) = 1");
  EXPECT_EQ(Bound("view in ('a')"), "cast(view as string) in ('a')");
  EXPECT_EQ(Bound("half in (1, 2.5)"), "cast(half as float32) in (1.0, 2.5)");
  EXPECT_EQ(Bound("power(d, 0.5) > 1"), "power(d, 0.5) > 1.0");
}

}  // namespace
}  // namespace shoal::expression
