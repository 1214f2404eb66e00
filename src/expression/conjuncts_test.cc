#include "expression/conjuncts.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>

#include <shoal/filter.h>

namespace shoal::expression {
namespace {

namespace cp = arrow::compute;

const auto kSchema =
    arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64()),
                   arrow::field("s", arrow::struct_({arrow::field("x", arrow::int64())})),
                   arrow::field("d.e", arrow::int64()), arrow::field("t", arrow::utf8())});

cp::Expression Filter(const std::string& text) { return ParseFilter(text).ValueOrDie(); }

TEST(SplitConjuncts, SplitsAtTheTopOnly) {
  auto parts = SplitConjuncts(Filter("a = 1 and (b = 2 or s.x = 3) and (a > 4 and true)"));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(ToText(parts[0]), "a = 1");
  EXPECT_EQ(ToText(parts[1]), "b = 2 or s.x = 3");
  EXPECT_EQ(ToText(parts[2]), "a > 4");
}

TEST(SplitConjuncts, BothKindsOfAndSplit) {
  auto strict = cp::call("and", {Filter("a = 1"), Filter("b = 2")});
  EXPECT_EQ(SplitConjuncts(strict).size(), 2u);
}

TEST(SplitConjuncts, TrueHasNoParts) {
  EXPECT_TRUE(SplitConjuncts(cp::literal(true)).empty());
  EXPECT_EQ(SplitConjuncts(cp::literal(false)).size(), 1u);
  auto null = cp::literal(arrow::Datum(arrow::MakeNullScalar(arrow::boolean())));
  EXPECT_EQ(SplitConjuncts(null).size(), 1u);
}

TEST(UsedColumns, NamesEachOnceByPath) {
  auto used =
      UsedColumns(Filter("s.x = 1 and a = 2 and s.x > 3 and d.e = 4"), *kSchema).ValueOrDie();
  std::vector<arrow::FieldPath> expected = {{2, 0}, {0}, {3}};
  EXPECT_EQ(used, expected);
  auto unknown = UsedColumns(Filter("aa = 1"), *kSchema);
  EXPECT_NE(unknown.status().message().find("`aa`"), std::string::npos);
}

TEST(UsesOnly, LooksAtTopLevelNames) {
  EXPECT_TRUE(UsesOnly(Filter("a = 1 and s.x = 2"), {"a", "s"}, *kSchema));
  EXPECT_FALSE(UsesOnly(Filter("a = 1 and b = 2"), {"a", "s"}, *kSchema));
  EXPECT_TRUE(UsesOnly(Filter("d.e = 1"), {"d.e"}, *kSchema));
  // A column that is called so is no field of a struct.
  EXPECT_FALSE(UsesOnly(Filter("d.e = 1"), {"d"}, *kSchema));
  EXPECT_TRUE(UsesOnly(cp::equal(cp::field_ref(arrow::FieldRef("s", "x")), cp::literal(1)), {"s"},
                       *kSchema));
  EXPECT_TRUE(UsesOnly(cp::literal(true), {}, *kSchema));
  EXPECT_TRUE(
      UsesOnly(cp::equal(cp::field_ref(arrow::FieldRef(0)), cp::literal(1)), {"a"}, *kSchema));
}

TEST(ToText, SaysWhatNullsDo) {
  auto values = arrow::Datum(arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), 1).ValueOrDie());
  auto is_in = [&](cp::SetLookupOptions::NullMatchingBehavior behavior) {
    return cp::call("is_in", {cp::field_ref("a")}, cp::SetLookupOptions(values, behavior));
  };
  auto match = is_in(cp::SetLookupOptions::MATCH);
  EXPECT_EQ(ToText(match), "a in (1)");
  EXPECT_EQ(ToText(cp::not_(match)), "a is null or a not in (1)");
  EXPECT_EQ(ToText(cp::not_(cp::or_(match, cp::field_ref("b")))),
            "not (coalesce(a in (1), false) or b)");
  EXPECT_EQ(ToText(cp::not_(is_in(cp::SetLookupOptions::INCONCLUSIVE))), "a not in (1)");
}

TEST(ToText, BoundExpressionsReadBackAsEqualOnes) {
  for (const char* text : {"a > 1.5 and t like 'x%'", "s.x in (1, 2) or not (a = 1 and b != 2)",
                           "t in ('a', 'b') and a is null", "cast(a as float64) * 2.5 > 1",
                           "d.e = 3", "t > 3", "starts_with(t, 'a') and abs(a) = 2"}) {
    auto bound = BindFilter(Filter(text), kSchema).ValueOrDie();
    std::string written = ToText(bound);
    auto again = BindFilter(Filter(written), kSchema);
    ASSERT_TRUE(again.ok()) << written << ": " << again.status();
    EXPECT_EQ(ToText(*again), written);
    EXPECT_TRUE(again->Equals(bound))
        << written << " / " << again->ToString() << " / " << bound.ToString();
  }
}

TEST(ToText, Float32LiteralsStayFloat32) {
  auto equal = [](float value) {
    return ToText(cp::equal(cp::field_ref("a"), cp::literal(value)));
  };
  EXPECT_EQ(equal(1.5F), "a = 1.5");
  EXPECT_EQ(equal(0.1F), "a = cast(0.1 as float32)");
  auto schema = arrow::schema({arrow::field("a", arrow::float32())});
  for (float value : {0.1F, 13.400001F, 1e30F, 1e-40F, 16777217.0F, 3.4e38F, -0.3F}) {
    auto literal = cp::equal(cp::field_ref("a"), cp::literal(value));
    auto bound = BindFilter(literal, schema).ValueOrDie();
    auto again = BindFilter(ParseFilter(ToText(bound)).ValueOrDie(), schema).ValueOrDie();
    EXPECT_TRUE(again.Equals(bound)) << ToText(bound) << " / " << ToText(again);
  }
}

TEST(ToText, SetsOfFloatsKeepNaNAndTheSignOfZero) {
  auto is_in = [](std::vector<double> values) {
    arrow::DoubleBuilder builder;
    EXPECT_TRUE(builder.AppendValues(values).ok());
    return cp::call(
        "is_in", {cp::field_ref("a")},
        cp::SetLookupOptions(builder.Finish().ValueOrDie(), cp::SetLookupOptions::EMIT_NULL));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ToText(is_in({1, nan})), "a is nan or a in (1.0)");
  EXPECT_EQ(ToText(is_in({nan})), "a is nan");
  EXPECT_EQ(ToText(cp::not_(is_in({1, nan}))), "not (a is nan or a in (1.0))");
  EXPECT_EQ(ToText(is_in({0.0, -0.0, 2})), "a in (0.0, 2.0)");
  // The text would mean both zeros.
  EXPECT_FALSE(ParseFilter(ToText(is_in({0.0, 2}))).ok());
  EXPECT_FALSE(ParseFilter(ToText(is_in({-0.0}))).ok());
}

TEST(ToText, WhatCannotBeWrittenIsNotReadAsSomethingElse) {
  auto bytes = arrow::MakeScalar(arrow::binary(), arrow::Buffer::FromString("\xFF")).ValueOrDie();
  auto filter = cp::equal(cp::field_ref("t"), cp::literal(arrow::Datum(bytes)));
  EXPECT_EQ(ToText(filter), "t = {\"FF\"}");
  EXPECT_FALSE(ParseFilter(ToText(filter)).ok());
}

TEST(ToText, FallsBackToArrowsForm) {
  auto options = cp::StrptimeOptions("%Y", arrow::TimeUnit::SECOND);
  auto call = cp::call("strptime", {cp::field_ref("t")}, options);
  EXPECT_NE(ToText(call).find("strptime(t, {"), std::string::npos);
}

}  // namespace
}  // namespace shoal::expression
