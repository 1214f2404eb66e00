#include "statistics/merge.h"

#include <cmath>
#include <limits>
#include <string>

#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace shoal::statistics {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();
using Rows = Precision<int64_t>;

std::shared_ptr<arrow::Array> Array(const std::shared_ptr<arrow::DataType>& type,
                                    const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

ColumnBounds Bounds(const std::shared_ptr<arrow::DataType>& type, const std::string& min,
                    const std::string& max, const std::string& nulls, bool exact = true) {
  ColumnBounds bounds;
  bounds.min = Array(type, min);
  bounds.max = Array(type, max);
  bounds.null_count = std::static_pointer_cast<arrow::Int64Array>(Array(arrow::int64(), nulls));
  bounds.min_exact.assign(bounds.min->length(), exact);
  bounds.max_exact.assign(bounds.min->length(), exact);
  return bounds;
}

std::vector<Rows> Exactly(const std::vector<int64_t>& counts) {
  std::vector<Rows> rows;
  for (int64_t count : counts) rows.push_back(Rows::Exact(count));
  return rows;
}

template <typename T>
T Value(const Precision<std::shared_ptr<arrow::Scalar>>& scalar) {
  return static_cast<T>(
      static_cast<const typename arrow::CTypeTraits<T>::ScalarType&>(*scalar.value()).value);
}

TEST(Summarise, ExtremesOfExactBoundsAreExact) {
  auto summary = Summarise(Bounds(arrow::int64(), "[3, 1]", "[4, 2]", "[1, 2]"), Exactly({5, 5}));
  EXPECT_EQ(summary.null_count.exact_value(), 3);
  EXPECT_TRUE(summary.min.is_exact());
  EXPECT_EQ(Value<int64_t>(summary.min), 1);
  EXPECT_EQ(Value<int64_t>(summary.max), 4);
  EXPECT_TRUE(summary.distinct_count.is_absent());
}

TEST(Summarise, ABoundMissingInOneContainerIsAbsent) {
  auto summary = Summarise(Bounds(arrow::utf8(), R"(["a", null])", R"(["b", null])", "[0, 0]"),
                           Exactly({2, 2}));
  EXPECT_TRUE(summary.min.is_absent());
  EXPECT_TRUE(summary.max.is_absent());
}

TEST(Summarise, ContainersWithoutValuesDoNotCount) {
  auto bounds = Bounds(arrow::int64(), "[3, null, null]", "[4, null, null]", "[0, 5, null]");
  auto summary = Summarise(bounds, Exactly({2, 5, 0}));
  EXPECT_TRUE(summary.max.is_exact());
  EXPECT_EQ(Value<int64_t>(summary.max), 4);
  EXPECT_EQ(summary.null_count.exact_value(), 5);
}

TEST(Summarise, BoundsThatNeedNotBeAttainedAreInexact) {
  auto summary =
      Summarise(Bounds(arrow::utf8(), R"(["a"])", R"(["b"])", "[0]", false), Exactly({2}));
  EXPECT_TRUE(summary.max.is_inexact());
}

TEST(Summarise, ExactnessIsNotAssumed) {
  auto bounds = Bounds(arrow::int64(), "[1]", "[2]", "[0]");
  bounds.min_exact.clear();
  EXPECT_TRUE(Summarise(bounds, Exactly({2})).min.is_inexact());
}

TEST(Summarise, ImpossibleNullCountsAreAbsent) {
  EXPECT_TRUE(
      Summarise(Bounds(arrow::int64(), "[1]", "[2]", "[9]"), Exactly({2})).null_count.is_absent());
  EXPECT_TRUE(
      Summarise(Bounds(arrow::int64(), "[1]", "[2]", "[-1]"), Exactly({2})).null_count.is_absent());
}

TEST(Summarise, TheSignOfAZeroBoundMeansNothing) {
  auto summary = Summarise(Bounds(arrow::float64(), "[-0.0]", "[-0.0]", "[0]"), Exactly({2}));
  EXPECT_FALSE(std::signbit(Value<double>(summary.min)));
  EXPECT_FALSE(std::signbit(Value<double>(summary.max)));
}

TEST(Summarise, NaNBoundsAreAbsent) {
  auto bounds = Bounds(arrow::float64(), "[1, 2]", "[3, 4]", "[0, 0]");
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.AppendValues({std::numeric_limits<double>::quiet_NaN(), 3.0}).ok());
  bounds.max = builder.Finish().ValueOrDie();
  auto summary = Summarise(bounds, Exactly({2, 2}));
  EXPECT_TRUE(summary.max.is_absent());
  EXPECT_EQ(Value<double>(summary.min), 1.0);
}

TEST(Summarise, UnsignedTypesKeepTheirOrder) {
  auto summary =
      Summarise(Bounds(arrow::uint32(), "[0, 5]", "[4294967295, 6]", "[0, 0]"), Exactly({2, 2}));
  EXPECT_EQ(Value<uint32_t>(summary.max), 4294967295U);
}

TEST(Summarise, SomeContainersCanBeChosen) {
  const std::vector<int> chosen = {0, 2};
  auto summary = Summarise(Bounds(arrow::int64(), "[3, 1, 5]", "[4, 9, 6]", "[0, null, 1]"),
                           Exactly({2, 2, 2}), chosen);
  EXPECT_EQ(Value<int64_t>(summary.min), 3);
  EXPECT_EQ(Value<int64_t>(summary.max), 6);
  EXPECT_EQ(summary.null_count.exact_value(), 1);
}

TEST(Summarise, ViewsAndDictionariesHaveExtremes) {
  auto views = Summarise(Bounds(arrow::utf8_view(), R"(["b", "a"])", R"(["c", "d"])", "[0, 0]"),
                         Exactly({2, 2}));
  EXPECT_EQ(views.max.value()->ToString(), "d");
  EXPECT_TRUE(views.max.value()->type->Equals(*arrow::utf8_view()));
  auto dictionary = arrow::dictionary(arrow::int32(), arrow::utf8());
  auto values =
      Summarise(Bounds(dictionary, R"(["b", "a"])", R"(["c", "d"])", "[0, 0]"), Exactly({2, 2}));
  EXPECT_EQ(values.min.value()->ToString(), "a");
}

TableStatistics Table(Rows rows, std::shared_ptr<arrow::Scalar> min, Rows nulls, Rows distinct) {
  TableStatistics table;
  table.num_rows = rows;
  table.total_bytes = Rows::Exact(100);
  ColumnStatistics column;
  if (min)
    column.min = column.max = Precision<std::shared_ptr<arrow::Scalar>>::Exact(std::move(min));
  column.null_count = nulls;
  column.distinct_count = distinct;
  table.columns = {column};
  return table;
}

TEST(MergeStatistics, RowsBytesAndNullCountsAdd) {
  const std::vector<TableStatistics> parts = {
      Table(Rows::Exact(5), arrow::MakeScalar(int64_t{7}), Rows::Exact(1), Rows::Exact(3)),
      Table(Rows::Inexact(6), arrow::MakeScalar(int64_t{2}), Rows::Exact(2), Rows::Exact(4))};
  auto whole = Merge(parts);
  EXPECT_TRUE(whole.num_rows.is_inexact());
  EXPECT_EQ(whole.num_rows.value(), 11);
  EXPECT_EQ(whole.total_bytes.exact_value(), 200);
  EXPECT_EQ(whole.columns[0].null_count.exact_value(), 3);
  EXPECT_EQ(Value<int64_t>(whole.columns[0].min), 2);
  EXPECT_EQ(Value<int64_t>(whole.columns[0].max), 7);
  EXPECT_TRUE(whole.columns[0].distinct_count.is_inexact());
  EXPECT_EQ(whole.columns[0].distinct_count.value(), 4);
}

TEST(MergeStatistics, WhatOnePartLacksIsAbsent) {
  const std::vector<TableStatistics> parts = {
      Table(Rows::Exact(5), arrow::MakeScalar(int64_t{7}), Rows::Exact(1), Rows::Exact(3)),
      Table(Rows::Absent(), nullptr, Rows::Absent(), Rows::Absent())};
  auto whole = Merge(parts);
  EXPECT_TRUE(whole.num_rows.is_absent());
  EXPECT_TRUE(whole.columns[0].min.is_absent());
  EXPECT_TRUE(whole.columns[0].null_count.is_absent());
  EXPECT_TRUE(whole.columns[0].distinct_count.is_absent());
}

TEST(MergeStatistics, APartOfNullsHasNoSayInMinAndMax) {
  const std::vector<TableStatistics> parts = {
      Table(Rows::Exact(5), arrow::MakeScalar(int64_t{7}), Rows::Exact(1), Rows::Absent()),
      Table(Rows::Exact(4), nullptr, Rows::Exact(4), Rows::Absent())};
  EXPECT_TRUE(Merge(parts).columns[0].min.is_exact());
}

TEST(MergeStatistics, DifferentTypesDoNotMerge) {
  const std::vector<TableStatistics> parts = {
      Table(Rows::Exact(5), arrow::MakeScalar(int64_t{7}), Rows::Exact(1), Rows::Absent()),
      Table(Rows::Exact(5), arrow::MakeScalar(int32_t{7}), Rows::Exact(1), Rows::Absent())};
  EXPECT_TRUE(Merge(parts).columns[0].min.is_absent());
}

}  // namespace
}  // namespace shoal::statistics
