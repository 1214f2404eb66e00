#include "prune/pruner.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <shoal/filter.h>

#include "prune/containers.h"
#include "prune/failed_container.h"

namespace shoal::prune {
namespace {

using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::literal;
using Lookup = arrow::compute::SetLookupOptions;

constexpr double kNaNValue = std::numeric_limits<double>::quiet_NaN();

const bool kInitialized = arrow::compute::Initialize().ok();

std::shared_ptr<arrow::Array> Array(const std::shared_ptr<arrow::DataType>& type,
                                    const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

ColumnBounds Bounds(const std::shared_ptr<arrow::DataType>& type, const std::string& min,
                    const std::string& max, const std::string& null_count = "") {
  ColumnBounds bounds;
  if (!min.empty()) bounds.min = Array(type, min);
  if (!max.empty()) bounds.max = Array(type, max);
  if (!null_count.empty()) {
    bounds.null_count =
        std::static_pointer_cast<arrow::Int64Array>(Array(arrow::int64(), null_count));
  }
  return bounds;
}

// One column `x`, and what a filter over it can give.
struct OneColumn {
  std::shared_ptr<arrow::Schema> schema;
  ContainerTable containers;

  OneColumn(std::shared_ptr<arrow::DataType> type, std::vector<int64_t> rows, ColumnBounds bounds)
      : schema(arrow::schema({arrow::field("x", std::move(type))})), containers(std::move(rows)) {
    containers.SetBounds({0}, std::move(bounds));
  }

  ConjunctResult operator()(const Expression& filter) const {
    auto result = Prune({filter.Bind(*schema).ValueOrDie()}, *schema, containers).ValueOrDie();
    return result.conjuncts[0];
  }
};

using Sets = std::vector<Outcomes>;
constexpr Outcomes kTF = kTrue | kFalse, kFN = kFalse | kNull, kTN = kTrue | kNull;

Expression X() { return field_ref("x"); }
template <typename T>
Expression Compare(const char* op, T value) {
  return call(op, {X(), literal(value)});
}
Expression Not(Expression e) { return call("invert", {std::move(e)}); }
Expression In(const std::shared_ptr<arrow::Array>& set,
              Lookup::NullMatchingBehavior nulls = Lookup::MATCH) {
  return call("is_in", {X()}, Lookup(set, nulls));
}
Expression TimestampLiteral(int64_t value, arrow::TimeUnit::type unit, const std::string& zone) {
  return literal(std::make_shared<arrow::TimestampScalar>(value, arrow::timestamp(unit, zone)));
}

// ---- bounds ------------------------------------------------------------------------------------

TEST(Prune, ComparisonsFollowTheBounds) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 5]", "[4, 9]", "[0, 0]"));
  EXPECT_EQ(x(Compare<int64_t>("less", 5)).outcomes, (Sets{kTrue, kFalse}));
  EXPECT_EQ(x(Compare<int64_t>("less_equal", 5)).outcomes, (Sets{kTrue, kTF}));
  EXPECT_EQ(x(Compare<int64_t>("greater", 4)).outcomes, (Sets{kFalse, kTrue}));
  EXPECT_EQ(x(Compare<int64_t>("greater_equal", 4)).outcomes, (Sets{kTF, kTrue}));
  EXPECT_EQ(x(Compare<int64_t>("equal", 5)).outcomes, (Sets{kFalse, kTF}));
  EXPECT_EQ(x(Compare<int64_t>("not_equal", 5)).outcomes, (Sets{kTrue, kTF}));
  EXPECT_EQ(x(Compare<int64_t>("equal", 5)).limitation, "");
}

TEST(Prune, OneValueBetweenTheBoundsDecidesEquality) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "[5]", "[5]", "[0]"));
  EXPECT_EQ(x(Compare<int64_t>("equal", 5)).outcomes, Sets{kTrue});
  EXPECT_EQ(x(Compare<int64_t>("not_equal", 5)).outcomes, Sets{kFalse});
}

TEST(Prune, TheLiteralMayStandOnTheLeft) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 5]", "[4, 9]", "[0, 0]"));
  EXPECT_EQ(x(call("greater", {literal(int64_t{5}), X()})).outcomes, (Sets{kTrue, kFalse}));
}

TEST(Prune, TwoColumnsAreComparedByBothBounds) {
  auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())});
  ContainerTable table({2, 2, 2});
  table.SetBounds({0}, Bounds(arrow::int64(), "[1, 5, 3]", "[2, 6, 8]", "[0, 0, 0]"));
  table.SetBounds({1}, Bounds(arrow::int64(), "[3, 1, 4]", "[4, 5, 5]", "[0, 0, 0]"));
  auto filter = call("less", {field_ref("a"), field_ref("b")}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({filter}, *schema, table).ValueOrDie().outcomes, (Sets{kTrue, kFalse, kTF}));
}

TEST(Prune, UnknownBoundsKeepTheContainer) {
  OneColumn none(arrow::int64(), {3, 3}, ColumnBounds());
  const auto result = none(Compare<int64_t>("equal", 5));
  EXPECT_EQ(result.outcomes, (Sets{kAny, kAny}));
  EXPECT_EQ(result.limitation, "no statistics for column x");
  OneColumn some(arrow::int64(), {3, 3},
                 Bounds(arrow::int64(), "[1, null]", "[4, null]", "[0, 0]"));
  EXPECT_EQ(some(Compare<int64_t>("equal", 5)).outcomes, (Sets{kFalse, kTF}));
  OneColumn half(arrow::int64(), {3}, Bounds(arrow::int64(), "[6]", "", "[0]"));
  EXPECT_EQ(half(Compare<int64_t>("equal", 5)).outcomes, Sets{kFalse});
  EXPECT_EQ(half(Compare<int64_t>("less", 7)).outcomes, Sets{kTF});
}

TEST(Prune, AColumnNothingIsKnownOfKeepsTheContainer) {
  auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  auto filter = Compare<int64_t>("equal", 5).Bind(*schema).ValueOrDie();
  auto result = Prune({filter}, *schema, ContainerTable({1})).ValueOrDie();
  EXPECT_TRUE(result.kept(0));
  EXPECT_EQ(result.conjuncts[0].limitation, "no statistics for column x");
}

TEST(Prune, CrossedBoundsAreNoBounds) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[9, 1]", "[1, 4]", "[0, 0]"));
  EXPECT_EQ(x(Compare<int64_t>("equal", 5)).outcomes, (Sets{kTF, kFalse}));
}

TEST(Prune, BoundsOfAnotherTypeAreNoBounds) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::utf8(), R"(["a"])", R"(["b"])", "[0]"));
  EXPECT_EQ(x(Compare<int64_t>("equal", 5)).outcomes, Sets{kTF});
}

TEST(Prune, AContainerWithoutRowsHasNoOutcome) {
  OneColumn x(arrow::int64(), {0, 1}, Bounds(arrow::int64(), "[null, 5]", "[null, 5]", "[0, 0]"));
  EXPECT_EQ(x(Compare<int64_t>("equal", 5)).outcomes, (Sets{kNone, kTrue}));
}

TEST(Prune, NoConjunctsKeepEverything) {
  auto schema = arrow::schema({});
  auto result = Prune({}, *schema, ContainerTable({1, 2})).ValueOrDie();
  EXPECT_TRUE(result.kept(0) && result.kept(1));
  EXPECT_TRUE(result.all_true(0) && result.all_true(1));
}

TEST(Prune, LiteralFiltersAreDecided) {
  OneColumn x(arrow::int64(), {3}, ColumnBounds());
  EXPECT_EQ(x(literal(false)).outcomes, Sets{kFalse});
  EXPECT_EQ(x(literal(true)).outcomes, Sets{kTrue});
  EXPECT_EQ(x(call("less", {literal(1), literal(2)})).outcomes, Sets{kTrue});
}

TEST(Prune, TheFirstConjunctThatRulesOutIsNamed) {
  auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  ContainerTable table({3, 3, 3});
  table.SetBounds({0}, Bounds(arrow::int64(), "[1, 5, 3]", "[2, 9, 6]", "[0, 0, 0]"));
  auto a = Compare<int64_t>("greater", 2).Bind(*schema).ValueOrDie();
  auto b = Compare<int64_t>("less", 5).Bind(*schema).ValueOrDie();
  auto result = Prune({a, b}, *schema, table).ValueOrDie();
  EXPECT_EQ(result.pruned_by, (std::vector<int>{0, 1, -1}));
}

// ---- nulls -------------------------------------------------------------------------------------

TEST(Prune, NullableRangesPruneAsWellAsOthers) {
  // x = [1, 5, null], [10, 15, null]
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 10]", "[5, 15]", "[1, 1]"));
  EXPECT_EQ(x(Compare<int64_t>("greater", 8)).outcomes, (Sets{kFN, kTN}));
  EXPECT_EQ(x(Compare<int64_t>("equal", 100)).outcomes, (Sets{kFN, kFN}));
  EXPECT_EQ(x(In(Array(arrow::int64(), "[100]"))).outcomes, (Sets{kFalse, kFalse}));
  EXPECT_EQ(x(call("is_null", {X()})).outcomes, (Sets{kTF, kTF}));
}

TEST(Prune, AnUnknownNullCountMayBeAnything) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "[1]", "[1]", "[null]"));
  EXPECT_EQ(x(Compare<int64_t>("equal", 1)).outcomes, Sets{kTN});
  EXPECT_EQ(x(call("is_null", {X()})).outcomes, Sets{kTF});
  OneColumn none(arrow::int64(), {3}, Bounds(arrow::int64(), "[1]", "[1]"));
  EXPECT_EQ(none(call("is_null", {X()})).limitation, "no null counts for column x");
}

TEST(Prune, ImpossibleNullCountsAreUnknown) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 1]", "[1, 1]", "[4, -1]"));
  EXPECT_EQ(x(call("is_null", {X()})).outcomes, (Sets{kTF, kTF}));
  EXPECT_EQ(x(Compare<int64_t>("equal", 1)).outcomes, (Sets{kTN, kTN}));
}

TEST(Prune, NullsOnlyCompareToNull) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "[null]", "[null]", "[3]"));
  EXPECT_EQ(x(Compare<int64_t>("equal", 1)).outcomes, Sets{kNull});
  EXPECT_EQ(x(Not(Compare<int64_t>("equal", 1))).outcomes, Sets{kNull});
  EXPECT_EQ(x(call("is_null", {X()})).outcomes, Sets{kTrue});
  EXPECT_EQ(x(call("is_valid", {X()})).outcomes, Sets{kFalse});
}

TEST(Prune, NullCountsDecideIsNull) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "", "", "[0]"));
  EXPECT_EQ(x(call("is_null", {X()})).outcomes, Sets{kFalse});
  EXPECT_EQ(x(call("is_valid", {X()})).outcomes, Sets{kTrue});
}

TEST(Prune, NullLiteralsGiveNull) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "[1]", "[1]", "[0]"));
  EXPECT_EQ(x(call("equal", {X(), literal(arrow::MakeNullScalar(arrow::int64()))})).outcomes,
            Sets{kNull});
}

// ---- NaN and signed zero -----------------------------------------------------------------------

TEST(Prune, BoundsSayNothingOfNaN) {
  // x = [5, 5, NaN]
  OneColumn x(arrow::float64(), {3}, Bounds(arrow::float64(), "[5]", "[5]", "[0]"));
  EXPECT_EQ(x(Compare("not_equal", 5.0)).outcomes, Sets{kTF});
  EXPECT_EQ(x(Not(Compare("less", 10.0))).outcomes, Sets{kTF});
  EXPECT_EQ(x(call("is_nan", {X()})).outcomes, Sets{kTF});
  EXPECT_EQ(x(Not(In(Array(arrow::float64(), "[5]")))).outcomes, Sets{kTF});
  EXPECT_EQ(x(Compare("greater", 10.0)).outcomes, Sets{kFalse});
  EXPECT_EQ(x(Compare("equal", 4.0)).outcomes, Sets{kFalse});
}

TEST(Prune, NaNIsNamedAsTheReason) {
  OneColumn x(arrow::float64(), {3}, Bounds(arrow::float64(), "[5]", "[5]", "[0]"));
  EXPECT_EQ(x(Not(Compare("less", 10.0))).limitation, "float column x: rows may hold NaN");
  EXPECT_EQ(x(Compare("less", 10.0)).limitation, "");
}

TEST(Prune, NaNBoundsAreNoBounds) {
  ColumnBounds bounds = Bounds(arrow::float64(), "", "", "[0, 0]");
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.AppendValues({kNaNValue, 1.0}).ok());
  bounds.min = builder.Finish().ValueOrDie();
  ASSERT_TRUE(builder.AppendValues({4.0, kNaNValue}).ok());
  bounds.max = builder.Finish().ValueOrDie();
  OneColumn x(arrow::float64(), {3, 3}, bounds);
  EXPECT_EQ(x(Compare("less", 0.0)).outcomes, (Sets{kTF, kFalse}));
  EXPECT_EQ(x(Compare("greater", 5.0)).outcomes, (Sets{kFalse, kTF}));
}

TEST(Prune, ANaNLiteralEqualsNothing) {
  OneColumn x(arrow::float64(), {3}, Bounds(arrow::float64(), "[1]", "[5]", "[0]"));
  EXPECT_EQ(x(Compare("equal", kNaNValue)).outcomes, Sets{kFalse});
  EXPECT_EQ(x(Compare("less", kNaNValue)).outcomes, Sets{kFalse});
  EXPECT_EQ(x(Compare("not_equal", kNaNValue)).outcomes, Sets{kTrue});
}

TEST(Prune, SignedZerosAreEqual) {
  OneColumn x(arrow::float64(), {3}, Bounds(arrow::float64(), "[0.0]", "[0.0]", "[0]"));
  EXPECT_EQ(x(Compare("equal", -0.0)).outcomes, Sets{kTF});
  EXPECT_EQ(x(Compare("less", 0.0)).outcomes, Sets{kFalse});
  EXPECT_TRUE(x(In(Array(arrow::float64(), "[-0.0]"))).outcomes[0] & kTrue);
  // Lookup tells the zeros apart, bounds do not.
  EXPECT_TRUE(x(Not(In(Array(arrow::float64(), "[0.0]")))).outcomes[0] & kTrue);
}

// ---- IN ----------------------------------------------------------------------------------------

TEST(Prune, InNeedsAMemberWithinTheBounds) {
  OneColumn x(arrow::int64(), {3, 3, 3},
              Bounds(arrow::int64(), "[1, 5, 7]", "[4, 6, 7]", "[0, 0, 0]"));
  EXPECT_EQ(x(In(Array(arrow::int64(), "[7, 0, 4]"))).outcomes, (Sets{kTF, kFalse, kTrue}));
  OneColumn half(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[8, null]", "", "[0, 0]"));
  EXPECT_EQ(half(In(Array(arrow::int64(), "[7]"))).outcomes, (Sets{kFalse, kTF}));
}

TEST(Prune, InTreatsNullsAsItsOptionsSay) {
  // Nulls only; and values without nulls outside the set.
  OneColumn x(arrow::int64(), {2, 2}, Bounds(arrow::int64(), "[null, 1]", "[null, 1]", "[2, 0]"));
  auto with_null = Array(arrow::int64(), "[7, null]");
  EXPECT_EQ(x(In(with_null, Lookup::MATCH)).outcomes, (Sets{kTrue, kFalse}));
  EXPECT_EQ(x(In(with_null, Lookup::SKIP)).outcomes, (Sets{kFalse, kFalse}));
  EXPECT_EQ(x(In(with_null, Lookup::EMIT_NULL)).outcomes, (Sets{kNull, kFalse}));
  EXPECT_EQ(x(In(with_null, Lookup::INCONCLUSIVE)).outcomes, (Sets{kNull, kNull}));
  auto without = Array(arrow::int64(), "[7]");
  EXPECT_EQ(x(In(without, Lookup::MATCH)).outcomes, (Sets{kFalse, kFalse}));
  EXPECT_EQ(x(In(without, Lookup::INCONCLUSIVE)).outcomes, (Sets{kNull, kFalse}));
}

TEST(Prune, InWithNaNMatchesNaNRows) {
  OneColumn x(arrow::float64(), {3}, Bounds(arrow::float64(), "[5]", "[5]", "[0]"));
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.Append(kNaNValue).ok());
  EXPECT_TRUE(x(In(builder.Finish().ValueOrDie())).outcomes[0] & kTrue);
  EXPECT_EQ(x(In(Array(arrow::float64(), "[6]"))).outcomes, Sets{kFalse});
}

TEST(Prune, InWorksForTypesWithoutBinarySearch) {
  auto type = arrow::decimal128(9, 2);
  OneColumn x(type, {3, 3}, Bounds(type, R"(["1.00", "5.00"])", R"(["2.00", "5.00"])", "[0, 0]"));
  EXPECT_EQ(x(In(Array(type, R"(["5.00", "9.00"])"))).outcomes, (Sets{kFalse, kTrue}));
}

// ---- logic -------------------------------------------------------------------------------------

TEST(Prune, NotIsThreeValued) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 1]", "[5, 5]", "[0, null]"));
  EXPECT_EQ(x(Not(Compare<int64_t>("less", 10))).outcomes, (Sets{kFalse, kFN}));
  EXPECT_EQ(x(Not(Compare<int64_t>("less", 0))).outcomes, (Sets{kTrue, kTN}));
}

TEST(Prune, OrPrunesWhenBothSidesDo) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 10]", "[5, 15]", "[0, 0]"));
  auto filter = call("or_kleene", {Compare<int64_t>("less", 0), Compare<int64_t>("greater", 8)});
  EXPECT_EQ(x(filter).outcomes, (Sets{kFalse, kTrue}));
}

TEST(Prune, NestedAndPrunesWhenOneSideDoes) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "[1]", "[5]", "[1]"));
  auto filter =
      call("and_kleene", {Compare<int64_t>("greater", 2), Compare<int64_t>("greater", 8)});
  EXPECT_EQ(x(filter).outcomes, Sets{kFN});
}

TEST(Prune, BooleanColumnsArePredicates) {
  OneColumn x(arrow::boolean(), {3, 3, 3},
              Bounds(arrow::boolean(), "[false, true, false]", "[false, true, true]", "[0, 0, 0]"));
  EXPECT_EQ(x(X()).outcomes, (Sets{kFalse, kTrue, kTF}));
  EXPECT_EQ(x(Not(X())).outcomes, (Sets{kTrue, kFalse, kTF}));
  EXPECT_EQ(x(call("equal", {X(), literal(true)})).outcomes, (Sets{kFalse, kTrue, kTF}));
}

TEST(Prune, PredicatesCanBeComparedAndTestedForNull) {
  OneColumn x(arrow::int64(), {3, 3}, Bounds(arrow::int64(), "[1, 1]", "[5, 5]", "[0, 1]"));
  EXPECT_EQ(x(call("is_null", {Compare<int64_t>("less", 3)})).outcomes, (Sets{kFalse, kTF}));
  EXPECT_EQ(x(call("equal", {Compare<int64_t>("less", 9), literal(false)})).outcomes,
            (Sets{kFalse, kFN}));
}

// ---- strings -----------------------------------------------------------------------------------

TEST(Prune, PrefixesAreRangesOfBytes) {
  OneColumn x(arrow::utf8(), {3, 3, 3, 3},
              Bounds(arrow::utf8(), R"(["a", "abc", "abd", "aa"])", R"(["ab", "abcz", "b", "z"])",
                     "[0, 0, 0, 0]"));
  arrow::compute::MatchSubstringOptions options("abc");
  EXPECT_EQ(x(call("starts_with", {X()}, options)).outcomes, (Sets{kFalse, kTrue, kFalse, kTF}));
  arrow::compute::MatchSubstringOptions like("abc%x");
  EXPECT_EQ(x(call("match_like", {X()}, like)).outcomes, (Sets{kFalse, kTF, kFalse, kTF}));
  arrow::compute::MatchSubstringOptions text("abc");
  EXPECT_EQ(x(call("match_like", {X()}, text)).outcomes, (Sets{kFalse, kTF, kFalse, kTF}));
}

TEST(Prune, PrefixesThatEndInTheLastByteHaveTheRightEnd) {
  OneColumn x(arrow::binary(), {3, 3}, ColumnBounds());
  ColumnBounds bounds = Bounds(arrow::binary(), "", "", "[0, 0]");
  arrow::BinaryBuilder builder;
  ASSERT_TRUE(builder.AppendValues(std::vector<std::string>{"b", "a\xFF\xFF"}).ok());
  bounds.min = builder.Finish().ValueOrDie();
  ASSERT_TRUE(builder.AppendValues(std::vector<std::string>{"c", "a\xFF\xFFz"}).ok());
  bounds.max = builder.Finish().ValueOrDie();
  x.containers.SetBounds({0}, bounds);
  arrow::compute::MatchSubstringOptions options("a\xFF");
  EXPECT_EQ(x(call("starts_with", {X()}, options)).outcomes, (Sets{kFalse, kTrue}));
  arrow::compute::MatchSubstringOptions last("\xFF");
  EXPECT_EQ(x(call("starts_with", {X()}, last)).outcomes, (Sets{kFalse, kFalse}));
}

TEST(Prune, PatternsWithoutAPrefixRuleOutNothing) {
  OneColumn x(arrow::utf8(), {3}, Bounds(arrow::utf8(), R"(["a"])", R"(["b"])", "[0]"));
  arrow::compute::MatchSubstringOptions like("%z");
  const auto result = x(call("match_like", {X()}, like));
  EXPECT_TRUE(result.outcomes[0] & kTrue);
  EXPECT_EQ(result.limitation, "the pattern '%z' begins with no literal text");
  arrow::compute::MatchSubstringOptions ignore_case("z", /*ignore_case=*/true);
  EXPECT_NE(x(call("starts_with", {X()}, ignore_case)).limitation, "");
}

TEST(Prune, TruncatedStringBoundsStayBounds) {
  const std::string a100(100, 'a');
  OneColumn x(arrow::utf8(), {2},
              Bounds(arrow::utf8(), R"(["aaaaaaaaaaaaaaaa"])", R"(["aaaaaaaaaaaaaaab"])", "[0]"));
  EXPECT_EQ(x(Compare("equal", a100 + "c")).outcomes, Sets{kTF});
  EXPECT_EQ(x(Compare("greater", std::string(50, 'a'))).outcomes, Sets{kTF});
  EXPECT_EQ(x(Compare("greater", std::string("b"))).outcomes, Sets{kFalse});
}

TEST(Prune, StringsCompareByBytes) {
  OneColumn x(arrow::utf8(), {2}, Bounds(arrow::utf8(), R"(["Z"])", R"(["é"])", "[0]"));
  EXPECT_EQ(x(Compare("equal", std::string("a"))).outcomes, Sets{kTF});
  EXPECT_EQ(x(Compare("less", std::string("A"))).outcomes, Sets{kFalse});
}

// ---- casts -------------------------------------------------------------------------------------

Expression CastTo(const std::shared_ptr<arrow::DataType>& type) {
  return call("cast", {X()}, arrow::compute::CastOptions::Safe(type));
}

TEST(Prune, CastsThatKeepOrderPrune) {
  OneColumn x(arrow::int32(), {3, 3}, Bounds(arrow::int32(), "[1, 10]", "[5, 15]", "[0, 0]"));
  EXPECT_EQ(x(call("greater", {CastTo(arrow::float64()), literal(8.5)})).outcomes,
            (Sets{kFalse, kTrue}));
  EXPECT_EQ(x(call("greater", {CastTo(arrow::int64()), literal(int64_t{8})})).outcomes,
            (Sets{kFalse, kTrue}));
  EXPECT_EQ(x(call("greater", {CastTo(arrow::decimal128(12, 2)),
                               literal(std::make_shared<arrow::Decimal128Scalar>(
                                   arrow::Decimal128(850), arrow::decimal128(12, 2)))}))
                .outcomes,
            (Sets{kFalse, kTrue}));
}

TEST(Prune, CastsThatLoseOrderRuleOutNothing) {
  OneColumn x(arrow::utf8(), {3}, Bounds(arrow::utf8(), R"(["10"])", R"(["9"])", "[0]"));
  const auto result = x(call("equal", {CastTo(arrow::int64()), literal(int64_t{500})}));
  EXPECT_TRUE(result.outcomes[0] & kTrue);
  EXPECT_EQ(result.limitation, "a cast from string to int64 need not keep the order of column x");
}

TEST(Prune, BoundsThatDoNotFitTheFinerUnitAreNoBounds) {
  auto type = arrow::timestamp(arrow::TimeUnit::SECOND);
  OneColumn x(type, {3}, Bounds(type, R"(["1970-01-01"])", R"(["9999-01-01"])", "[0]"));
  auto filter = call("equal", {CastTo(arrow::timestamp(arrow::TimeUnit::NANO)),
                               TimestampLiteral(-5, arrow::TimeUnit::NANO, "")});
  // min survives: nothing before 1970.
  EXPECT_EQ(x(filter).outcomes, Sets{kFalse});
  auto later = call("equal", {CastTo(arrow::timestamp(arrow::TimeUnit::NANO)),
                              TimestampLiteral(5, arrow::TimeUnit::NANO, "")});
  EXPECT_EQ(x(later).outcomes, Sets{kTF});
}

TEST(Prune, TimestampsOfOtherUnitsPrune) {
  auto us = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  OneColumn x(us, {2, 2, 2},
              Bounds(us, "[0, 7200000000, 14400000000]", "[3600000000, 10800000000, 18000000000]",
                     "[0, 0, 0]"));
  EXPECT_EQ(x(call("equal", {X(), TimestampLiteral(10800000000, arrow::TimeUnit::MICRO, "UTC")}))
                .outcomes,
            (Sets{kFalse, kTF, kFalse}));
  auto ns = arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
  EXPECT_EQ(x(call("greater_equal",
                   {CastTo(ns), TimestampLiteral(14400000000000, arrow::TimeUnit::NANO, "UTC")}))
                .outcomes,
            (Sets{kFalse, kFalse, kTrue}));
}

TEST(Prune, DictionariesPruneByTheirValues) {
  auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  for (const auto& bound_type : {type, arrow::utf8()}) {
    OneColumn x(type, {3, 3}, Bounds(bound_type, R"(["a", "m"])", R"(["c", "z"])", "[0, 0]"));
    EXPECT_EQ(x(call("equal", {CastTo(arrow::utf8()), literal(std::string("n"))})).outcomes,
              (Sets{kFalse, kTF}));
  }
}

TEST(Prune, StringViewsPruneAsStrings) {
  OneColumn x(arrow::utf8_view(), {3, 3},
              Bounds(arrow::utf8_view(), R"(["a", "m"])", R"(["c", "z"])", "[0, 0]"));
  EXPECT_EQ(x(call("equal", {CastTo(arrow::utf8()), literal(std::string("n"))})).outcomes,
            (Sets{kFalse, kTF}));
}

TEST(Prune, DecimalsPrune) {
  auto type = arrow::decimal128(9, 2);
  OneColumn x(
      type, {2, 2, 2},
      Bounds(type, R"(["1.00", "5.00", "9.00"])", R"(["2.00", "6.00", "9.50"])", "[0, 0, 0]"));
  auto five = literal(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(500), type));
  EXPECT_EQ(x(call("equal", {X(), five})).outcomes, (Sets{kFalse, kTF, kFalse}));
}

// ---- nested columns ----------------------------------------------------------------------------

TEST(Prune, StructLeavesPrune) {
  auto schema =
      arrow::schema({arrow::field("s", arrow::struct_({arrow::field("x", arrow::int64())}))});
  ContainerTable table({3, 3});
  table.SetBounds({0, 0}, Bounds(arrow::int64(), "[1, 10]", "[3, 12]", "[0, 3]"));
  auto leaf = field_ref(arrow::FieldRef("s", "x"));
  auto filter = call("greater", {leaf, literal(int64_t{8})}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({filter}, *schema, table).ValueOrDie().outcomes, (Sets{kFalse, kTN}));
  // As many nulls as rows need not be as many null rows inside a struct.
  auto null = call("is_null", {leaf}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({null}, *schema, table).ValueOrDie().outcomes, (Sets{kFalse, kTF}));
  auto parent = call("is_null", {field_ref("s")}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({parent}, *schema, table).ValueOrDie().outcomes, (Sets{kTF, kTF}));
}

// ---- constants ---------------------------------------------------------------------------------

TEST(Prune, ConstantsAreEvaluatedExactlyForAnyFunction) {
  auto schema = arrow::schema({arrow::field("k", arrow::utf8())});
  auto table = ContainerTable::OfUnknownRows(4);
  table.SetConstants({0}, Array(arrow::utf8(), R"(["01", "2", null, "20"])"));
  auto length =
      call("equal", {call("utf8_length", {field_ref("k")}), literal(2)}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({length}, *schema, table).ValueOrDie().outcomes,
            (Sets{kTrue, kFalse, kNull, kTrue}));
  auto number =
      call("less",
           {call("cast", {field_ref("k")}, arrow::compute::CastOptions::Safe(arrow::int64())),
            literal(int64_t{5})})
          .Bind(*schema)
          .ValueOrDie();
  EXPECT_EQ(Prune({number}, *schema, table).ValueOrDie().outcomes,
            (Sets{kTrue, kTrue, kNull, kFalse}));
}

TEST(Prune, ConstantViewsMeetLiteralsOfViews) {
  auto schema = arrow::schema({arrow::field("k", arrow::utf8_view())});
  ContainerTable table = ContainerTable::OfUnknownRows(2);
  table.SetConstants({0}, Array(arrow::utf8_view(), R"(["a", "b"])"));
  auto a = std::make_shared<arrow::StringViewScalar>("a");
  for (const Expression& filter :
       {call("less_equal", {field_ref("k"), literal(arrow::Datum(a))}),
        call("equal",
             {call("cast", {literal("a")}, arrow::compute::CastOptions::Safe(arrow::utf8_view())),
              field_ref("k")})}) {
    auto bound = BindFilter(filter, schema).ValueOrDie().Bind(*schema).ValueOrDie();
    EXPECT_EQ(Prune({bound}, *schema, table).ValueOrDie().outcomes, (Sets{kTrue, kFalse}))
        << filter.ToString();
  }
}

TEST(Prune, AnErrorNamesTheValueTheContainerAndTheConjunct) {
  auto schema = arrow::schema({arrow::field("k", arrow::utf8())});
  auto table = ContainerTable::OfUnknownRows(3);
  table.SetConstants({0}, Array(arrow::utf8(), R"(["1", "2", "x"])"));
  auto filter =
      call("less",
           {call("cast", {field_ref("k")}, arrow::compute::CastOptions::Safe(arrow::int64())),
            literal(int64_t{5})})
          .Bind(*schema)
          .ValueOrDie();
  auto other = call("is_valid", {field_ref("k")}).Bind(*schema).ValueOrDie();
  auto status = Prune({other, filter}, *schema, table).status();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("'x'"), std::string::npos) << status;
  const FailedContainer* failed = FailedContainer::Find(status);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->container(), 2);
  EXPECT_EQ(failed->conjunct(), 1u);
}

TEST(Prune, KeysAndDataMixInOneExpression) {
  // k = 1, 2, 3 with x = 0..4, 100..104, 200..204
  auto schema =
      arrow::schema({arrow::field("k", arrow::int32()), arrow::field("x", arrow::int64())});
  ContainerTable table({5, 5, 5});
  table.SetConstants({0}, Array(arrow::int32(), "[1, 2, 3]"));
  table.SetBounds({1}, Bounds(arrow::int64(), "[0, 100, 200]", "[4, 104, 204]", "[0, 0, 0]"));
  auto is_one = call("equal", {field_ref("k"), literal(1)});
  auto large = call("greater", {field_ref("x"), literal(int64_t{150})});
  auto either = call("or_kleene", {is_one, large}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({either}, *schema, table).ValueOrDie().outcomes, (Sets{kTrue, kFalse, kTrue}));
  auto both = call("and_kleene", {is_one, large}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({both}, *schema, table).ValueOrDie().outcomes, (Sets{kFalse, kFalse, kFalse}));
}

TEST(Prune, AColumnConstantInSomeContainersUsesBoundsInTheOthers) {
  auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  ContainerTable table({5, 5, 5});
  ColumnKnowledge knowledge;
  knowledge.constant = Array(arrow::int64(), "[7, null, null]");
  knowledge.is_constant = {true, true, false};
  knowledge.bounds =
      Bounds(arrow::int64(), "[null, null, 1]", "[null, null, 4]", "[null, null, 0]");
  table.Set({0}, knowledge);
  auto run = [&](Expression filter) {
    return Prune({filter.Bind(*schema).ValueOrDie()}, *schema, table).ValueOrDie().outcomes;
  };
  EXPECT_EQ(run(Compare<int64_t>("equal", 7)), (Sets{kTrue, kNull, kFalse}));
  EXPECT_EQ(run(call("is_null", {X()})), (Sets{kFalse, kTrue, kFalse}));
  EXPECT_EQ(run(call("equal", {call("add", {X(), literal(int64_t{1})}), literal(int64_t{8})})),
            (Sets{kTrue, kNull, kAny}));
}

TEST(Prune, AMissingColumnIsNull) {
  auto schema = arrow::schema({arrow::field("b", arrow::utf8())});
  ContainerTable table({1, 1});
  ColumnKnowledge knowledge;
  knowledge.constant = Array(arrow::utf8(), "[null, null]");
  knowledge.is_constant = {true, false};
  knowledge.bounds = Bounds(arrow::utf8(), R"([null, "z"])", R"([null, "z"])", "[null, 0]");
  table.Set({0}, knowledge);
  auto filter =
      call("equal", {field_ref("b"), literal(std::string("z"))}).Bind(*schema).ValueOrDie();
  EXPECT_EQ(Prune({filter}, *schema, table).ValueOrDie().outcomes, (Sets{kNull, kTrue}));
}

// ---- what is not understood --------------------------------------------------------------------

TEST(Prune, FunctionsWithoutARuleAreNamed) {
  OneColumn x(arrow::int64(), {3}, Bounds(arrow::int64(), "[1]", "[5]", "[0]"));
  auto filter = call("equal", {call("coalesce", {X(), literal(int64_t{0})}), literal(int64_t{9})});
  const auto result = x(filter);
  EXPECT_EQ(result.outcomes, Sets{kAny});
  EXPECT_EQ(result.limitation, "function `coalesce` has no pruning rule");
}

TEST(Prune, RandomFunctionsAreNotEvaluatedOnceForAllRows) {
  auto schema = arrow::schema({arrow::field("k", arrow::float64())});
  ContainerTable table({100});
  table.SetConstants({0}, Array(arrow::float64(), "[0.5]"));
  auto filter = call(
      "less", {call("random", {}, arrow::compute::RandomOptions::FromSeed(1)), field_ref("k")});
  auto bound = filter.Bind(*schema);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Prune({*bound}, *schema, table).ValueOrDie().outcomes[0] & kTF, kTF);
}

}  // namespace
}  // namespace shoal::prune
