#include "schema/cast.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace shoal::schema {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

arrow::Result<std::shared_ptr<arrow::Array>> Cast(const std::shared_ptr<arrow::DataType>& from,
                                                  const std::string& values,
                                                  const std::shared_ptr<arrow::DataType>& to) {
  ARROW_ASSIGN_OR_RAISE(auto array, arrow::json::ArrayFromJSONString(from, values));
  return CastArray(*array, to, arrow::default_memory_pool());
}

TEST(CastArray, TakesTheIntegersThatAFloatHoldsHoweverLarge) {
  const auto exact =
      Cast(arrow::int64(), "[null, 0, -9007199254740994, 4611686018427387904]", arrow::float64());
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_EQ(static_cast<const arrow::DoubleArray&>(**exact).Value(2), -9007199254740994.0);
  EXPECT_TRUE((*exact)->IsNull(0));
  EXPECT_TRUE(Cast(arrow::int64(), "[-9223372036854775808]", arrow::float64()).ok());
  EXPECT_TRUE(Cast(arrow::uint64(), "[9223372036854775808]", arrow::float32()).ok());
}

TEST(CastArray, NamesTheIntegerThatAFloatDoesNotHold) {
  struct Case {
    std::shared_ptr<arrow::DataType> from, to;
    std::string value;
  };
  for (const auto& [from, to, value] :
       {Case{arrow::int64(), arrow::float64(), "-9007199254740993"},
        Case{arrow::int64(), arrow::float64(), "9223372036854775807"},
        Case{arrow::uint64(), arrow::float64(), "18446744073709551615"},
        Case{arrow::int32(), arrow::float32(), "16777217"},
        Case{arrow::uint32(), arrow::float32(), "4294967295"}}) {
    const auto status = Cast(from, "[1, null, " + value + "]", to).status();
    EXPECT_TRUE(status.IsInvalid()) << status;
    EXPECT_NE(status.message().find(value), std::string::npos) << status;
  }
}

TEST(MayCast, PermissiveTakesWhatAThirdFileHasMadeNarrower) {
  // int64 and uint64 made int64, and that and a decimal this one.
  EXPECT_TRUE(MayCast(arrow::uint64(), arrow::decimal128(19, 0), CastPolicy::kPermissive));
  EXPECT_FALSE(MayCast(arrow::uint64(), arrow::decimal128(19, 0), CastPolicy::kWidening));
  EXPECT_TRUE(MayCast(arrow::int64(), arrow::float64(), CastPolicy::kPermissive));
  EXPECT_FALSE(MayCast(arrow::float64(), arrow::int64(), CastPolicy::kPermissive));
  EXPECT_FALSE(MayCast(arrow::int64(), arrow::utf8(), CastPolicy::kPermissive));
  EXPECT_TRUE(Cast(arrow::uint64(), "[9]", arrow::decimal128(19, 0)).ok());
  EXPECT_FALSE(Cast(arrow::uint64(), "[18446744073709551615]", arrow::decimal128(19, 0)).ok());
}

}  // namespace
}  // namespace shoal::schema
