#include <random>

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>

#include <shoal/filter.h>

#include "expression/conjuncts.h"

namespace shoal {
namespace {

std::string Reread(const std::string& text) {
  auto parsed = ParseFilter(text);
  if (!parsed.ok()) return parsed.status().message();
  return expression::ToText(*parsed);
}

std::string Message(const std::string& text) { return ParseFilter(text).status().message(); }

TEST(FilterParser, WritesWhatItRead) {
  for (const char* text : {
           "a = 1",
           "a != -1",
           "a = 1 and b > 2.50 or not c",
           "(a = 1 or b = 2) and c < 3",
           "not (a = 1 or b = 2)",
           "a in (1, 2, null)",
           "a not in ('x', 'it''s')",
           "a like 'x%_'",
           "a not ilike 'X\\%'",
           "a is null",
           "s.x is not null and s.\"odd.name\" is not nan",
           "\"select one\" = 'x'",
           "\"and\" = true",
           "d >= date '2024-01-31'",
           "t < timestamp '2024-01-31T10:00:00'",
           "t < timestamp '2024-01-31T10:00:00.123456Z'",
           "t = time '10:30:00'",
           "a + b * (c - 1) / 2 > -c",
           "year(t) = 2013",
           "starts_with(s, 'a')",
           "regex(s, '^a.*')",
           "cast(x as int64) > 3",
           "cast(x as decimal128(9, 2)) = 1.5",
           "cast(x as timestamp[us, tz=Europe/Paris]) is null",
           "a = 9223372036854775808",
           "a = -9223372036854775808",
           "a = 123456789012345678901234567890",
           "a = 1e+30",
           "coalesce(a, b, 0) = 1",
           "null",
           "true",
           "größe = 'é'",
       }) {
    EXPECT_EQ(Reread(text), text);
  }
}

TEST(FilterParser, AcceptsOtherSpellings) {
  EXPECT_EQ(Reread("a == 1 AND b <> 2"), "a = 1 and b != 2");
  EXPECT_EQ(Reread("!(a = 1) && b = 2 || c"), "not (a = 1) and b = 2 or c");
  EXPECT_EQ(Reread("a Between 1 And 2"), "a >= 1 and a <= 2");
  EXPECT_EQ(Reread("a not between 1 and 2"), "not (a >= 1 and a <= 2)");
  EXPECT_EQ(Reread("a in [1,2]"), "a in (1, 2)");
  EXPECT_EQ(Reread("a in (1, 2.5)"), "a in (1, 2.5)");
  EXPECT_EQ(Reread("a in (1, 'x')"), "a = 1 or a = 'x'");
  EXPECT_EQ(Reread("a in (b, 2)"), "a = b or a = 2");
  EXPECT_EQ(Reread(".5 < a"), "0.5 < a");
  EXPECT_EQ(Reread("date = date '2024-01-31'"), "date = date '2024-01-31'");
  EXPECT_EQ(Reread("timestamp > '2024'"), "timestamp > '2024'");
  EXPECT_EQ(Reread("b is true"), "coalesce(b, false)");
  EXPECT_EQ(Reread("LOWER(a) = 'x'"), "lower(a) = 'x'");
  EXPECT_EQ(Reread("t = timestamp '2024-01-31T10:00:00+02:00'"),
            "t = timestamp '2024-01-31T08:00:00Z'");
  EXPECT_EQ(Reread("a = 007"), "a = 7");
  EXPECT_EQ(Reread("a is not false"), "not coalesce(not a, false)");
}

TEST(FilterParser, KeepsDecimalsExact) {
  auto parsed = ParseFilter("a = 0.10").ValueOrDie();
  const arrow::Datum* literal = parsed.call()->arguments[1].literal();
  EXPECT_EQ(*literal->type(), *arrow::decimal128(2, 2));
  EXPECT_EQ(literal->scalar()->ToString(), "0.10");
}

TEST(FilterParser, SqlListsTreatNullAsUnknown) {
  auto parsed = ParseFilter("a in (1, 2)").ValueOrDie();
  const auto& options =
      static_cast<const arrow::compute::SetLookupOptions&>(*parsed.call()->options);
  EXPECT_EQ(options.null_matching_behavior, arrow::compute::SetLookupOptions::INCONCLUSIVE);
}

TEST(FilterParser, ErrorsPointAtThePlace) {
  EXPECT_EQ(Message("x = 3 and )"),
            "Expected a column, a value or `(` but found `)`, at character 11 of the filter\n"
            "  x = 3 and )\n"
            "            ^");
  EXPECT_EQ(Message("é = 3 x"),
            "Expected `and`, `or` or the end but found `x`, at character 7 of the filter\n"
            "  é = 3 x\n"
            "        ^");
  EXPECT_EQ(Message(""), "The filter is empty");
  EXPECT_EQ(Message("  "), "The filter is empty");
  for (const char* text : {"a",
                           "a =",
                           "= a",
                           "a = 'x",
                           "a = \"x",
                           "a in",
                           "a in (",
                           "a in (1",
                           "a in ()",
                           "a between 1",
                           "a between 1 and",
                           "a like b",
                           "a like",
                           "a is",
                           "a is 3",
                           "not",
                           "(a = 1",
                           "a = 1)",
                           "a ; b",
                           "1 < a < 3",
                           "12ab = 3",
                           "foo(a) = 1",
                           "sum(a) = 1",
                           "length(a, b) = 1",
                           "strptime(a) = 1",
                           "cast(a) = 1",
                           "cast(a as nothing) = 1",
                           "cast(a as decimal(99, 1)) = 1",
                           "date 'x' = d",
                           "timestamp '2024-13-01' = t",
                           "a = 1e999",
                           "a and",
                           "and a",
                           "starts_with(a, b)",
                           "a not b",
                           "a = = 1",
                           "a @ 1",
                           "a = '\xff'",
                           "a. = 1",
                           "a..b = 1",
                           "date '2024-01-31T10:00:00' = d"}) {
    auto parsed = ParseFilter(text);
    if (std::string(text) == "a") {
      EXPECT_TRUE(parsed.ok());  // names alone may be boolean columns
    } else {
      EXPECT_TRUE(parsed.status().IsInvalid()) << text;
    }
  }
}

TEST(FilterParser, LongTextsAreShownAroundThePlace) {
  std::string text = "x in (1";
  for (int i = 0; i < 1000; ++i) text += ", 1";
  text += "; 2)";
  std::string message = Message(text);
  EXPECT_LT(message.size(), 300u);
  EXPECT_NE(message.find("; 2)"), std::string::npos) << message;
}

TEST(FilterParser, DeepNestingIsAnError) {
  auto repeat = [](const std::string& part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  constexpr int kDeep = 10000;
  for (const std::string& text :
       {repeat("(", kDeep) + "a" + repeat(")", kDeep), repeat("(", 1000000),
        repeat("not ", kDeep) + "a", "a = " + repeat("-", kDeep) + "b",
        "a = " + repeat("-", kDeep) + "1", "a = 1" + repeat(" + b", kDeep),
        repeat("abs(", kDeep) + "a" + repeat(")", kDeep) + " = 1", repeat("!", kDeep) + "a"}) {
    auto parsed = ParseFilter(text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_NE(parsed.status().message().find("nested"), std::string::npos)
        << parsed.status().message();
  }
  EXPECT_TRUE(ParseFilter(repeat("(", 100) + "a = 1" + repeat(")", 100)).ok());
}

TEST(FilterParser, LongListsOfAndAndOrAreFine) {
  std::string text = "x = 0";
  for (int i = 1; i < 20000; ++i) text += (i % 2 ? " or x = " : " and x = ") + std::to_string(i);
  ASSERT_TRUE(ParseFilter(text).ok());
  auto bound = BindFilter(*ParseFilter(text), arrow::schema({arrow::field("x", arrow::int64())}));
  EXPECT_TRUE(bound.ok());
}

TEST(FilterParser, AnySequenceOfWordsIsReadOrRefused) {
  static const char* const kWords[] = {
      "a",    "s.x",  "\"q r\"", "1",    "2.5",          "-3",   "1e3",   "'t'", "=",
      "<>",   "<",    "and",     "or",   "not",          "(",    ")",     "in",  ",",
      "is",   "null", "nan",     "like", "between",      "+",    "*",     "-",   "/",
      "cast", "as",   "int64",   "date", "'2024-01-31'", "true", "lower", "abs"};
  std::mt19937 random(5);
  int read = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (size_t i = 0, count = 1 + random() % 8; i < count; ++i) {
      text += std::string(i ? " " : "") + kWords[random() % std::size(kWords)];
    }
    auto parsed = ParseFilter(text);
    if (!parsed.ok()) {
      ASSERT_TRUE(parsed.status().IsInvalid()) << text;
      continue;
    }
    ++read;
    std::string written = expression::ToText(*parsed);
    auto again = ParseFilter(written);
    ASSERT_TRUE(again.ok()) << text << " / " << written << again.status();
    ASSERT_EQ(expression::ToText(*again), written) << text;
  }
  EXPECT_GT(read, 1000);
}

TEST(ParseColumn, ReadsNames) {
  EXPECT_EQ(*ParseColumn("a"), arrow::FieldRef("a"));
  EXPECT_EQ(*ParseColumn(" s.x "), arrow::FieldRef("s.x"));
  EXPECT_EQ(*ParseColumn("\"odd \"\"name\""), arrow::FieldRef("odd \"name"));
  EXPECT_EQ(*ParseColumn("s.\"x.y\""), arrow::FieldRef("s", "x.y"));
  for (const char* text : {"", "a b", "1", "'a'", "a = 1", "and", "\"a"})
    EXPECT_FALSE(ParseColumn(text).ok()) << text;
}

}  // namespace
}  // namespace shoal
