#include "plan/sort_ranges.h"

#include <memory>
#include <string>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace shoal::plan {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

std::shared_ptr<arrow::Array> Values(const std::shared_ptr<arrow::DataType>& type,
                                     const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

/// Two pieces of five rows each, without nulls.
SortRanges TwoPieces(const std::shared_ptr<arrow::DataType>& type, const std::string& min,
                     const std::string& max, bool descending = false) {
  ColumnBounds bounds;
  bounds.min = Values(type, min);
  bounds.max = Values(type, max);
  bounds.null_count = std::static_pointer_cast<arrow::Int64Array>(Values(arrow::int64(), "[0, 0]"));
  return SortRanges::Make({{"c", descending, false}}, {bounds},
                          {Precision<int64_t>::Exact(5), Precision<int64_t>::Exact(5)})
      .ValueOrDie();
}

TEST(SortRanges, EveryTypeThatAFileMayDeclareSortedIsCompared) {
  struct Case {
    std::shared_ptr<arrow::DataType> type;
    std::string low, high;
  };
  const std::vector<Case> cases = {
      {arrow::boolean(), "false", "true"},
      {arrow::int8(), "-1", "1"},
      {arrow::int64(), "-9007199254740993", "-9007199254740992"},
      {arrow::uint64(), "1", "18446744073709551615"},
      {arrow::date32(), "-1", "1"},
      {arrow::date64(), "0", "86400000"},
      {arrow::time32(arrow::TimeUnit::MILLI), "1", "2"},
      {arrow::time64(arrow::TimeUnit::NANO), "1", "2"},
      {arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "1", "2"},
      {arrow::duration(arrow::TimeUnit::SECOND), "-1", "2"},
      {arrow::decimal128(5, 2), "\"-1.00\"", "\"1.00\""},
      {arrow::decimal256(60, 2), "\"-1.00\"", "\"1.00\""},
      {arrow::utf8(), "\"Z\"", "\"\\u00e9\""},
      {arrow::large_utf8(), "\"\"", "\"a\""},
      {arrow::utf8_view(), "\"a\"", "\"b\""},
      {arrow::binary(), "\"a\"", "\"aa\""},
      {arrow::binary_view(), "\"a\"", "\"b\""},
      {arrow::fixed_size_binary(2), "\"ab\"", "\"b0\""},
  };
  for (const auto& [type, low, high] : cases) {
    const std::string pieces = "[" + low + ", " + high + "]";
    const auto up = TwoPieces(type, pieces, pieces);
    EXPECT_TRUE(up.Precedes(0, 1, 1)) << type->ToString();
    EXPECT_FALSE(up.Precedes(1, 0, 1)) << type->ToString();
    EXPECT_TRUE(up.BeginsBefore(0, 1, 1)) << type->ToString();
    const auto down = TwoPieces(type, pieces, pieces, /*descending=*/true);
    EXPECT_TRUE(down.Precedes(1, 0, 1)) << type->ToString();
    EXPECT_FALSE(down.Precedes(0, 1, 1)) << type->ToString();
  }
}

TEST(SortRanges, FloatsAreNotCompared) {
  for (const auto& type : {arrow::float32(), arrow::float64()}) {
    const auto ranges = TwoPieces(type, "[0, 2]", "[1, 3]");
    EXPECT_FALSE(ranges.Precedes(0, 1, 1));
    EXPECT_FALSE(ranges.Precedes(1, 0, 1));
  }
}

TEST(SortRanges, ThatOverlapOrAreUnknownPrecedeNothing) {
  const auto overlapping = TwoPieces(arrow::int32(), "[0, 4]", "[5, 9]");
  EXPECT_FALSE(overlapping.Precedes(0, 1, 1));
  const auto half = TwoPieces(arrow::int32(), "[0, 6]", "[null, 9]");
  EXPECT_FALSE(half.Precedes(0, 1, 1));
  EXPECT_FALSE(half.Precedes(1, 0, 1));
  EXPECT_TRUE(TwoPieces(arrow::int32(), "[0, 5]", "[5, 9]").Precedes(0, 1, 1));
}

}  // namespace
}  // namespace shoal::plan
