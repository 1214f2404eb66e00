// Bounds against the rows themselves.
#include <cmath>
#include <limits>
#include <random>

#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include "formats/memory_driver.h"
#include "formats/parquet/format.h"
#include "formats/parquet/test_files.h"

namespace shoal::formats::parquet {
namespace {

namespace cp = arrow::compute;
using arrow::TimeUnit;

const bool kInitialized = arrow::compute::Initialize().ok();

/// Small numbers, some of them null, as any type that numbers cast to.
std::shared_ptr<arrow::ChunkedArray> Random(const std::shared_ptr<arrow::DataType>& type,
                                            int64_t rows, uint32_t seed, int64_t low = 0,
                                            int64_t high = 100) {
  std::mt19937 random(seed);
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) {
    const auto value = static_cast<int64_t>(low + random() % (high - low));
    EXPECT_TRUE((random() % 5 == 0 ? builder.AppendNull() : builder.Append(value)).ok());
  }
  arrow::Datum datum(builder.Finish().ValueOrDie());
  if (type->id() == arrow::Type::DATE32 || type->id() == arrow::Type::TIME32) {
    datum = cp::Cast(datum, arrow::int32()).ValueOrDie();
  }
  if (arrow::is_decimal(type->id())) datum = cp::Cast(datum, arrow::utf8()).ValueOrDie();
  if (type->id() == arrow::Type::DATE64) {
    datum = cp::CallFunction("multiply", {datum, arrow::Datum(int64_t{86400000})}).ValueOrDie();
  }
  if (type->id() == arrow::Type::BINARY || type->id() == arrow::Type::FIXED_SIZE_BINARY) {
    arrow::FixedSizeBinaryBuilder fixed(arrow::fixed_size_binary(3));
    const auto array = datum.make_array();
    const auto& numbers = static_cast<const arrow::Int64Array&>(*array);
    for (int64_t i = 0; i < numbers.length(); ++i) {
      const std::string bytes = {static_cast<char>(numbers.IsValid(i) ? 100 + numbers.Value(i) : 0),
                                 '\xff', 'x'};
      EXPECT_TRUE((numbers.IsNull(i) ? fixed.AppendNull() : fixed.Append(bytes)).ok());
    }
    datum = fixed.Finish().ValueOrDie();
  }
  if (type->id() == arrow::Type::DICTIONARY) {
    datum =
        cp::Cast(datum, static_cast<const arrow::DictionaryType&>(*type).value_type()).ValueOrDie();
    datum = cp::DictionaryEncode(datum).ValueOrDie();
    return std::make_shared<arrow::ChunkedArray>(datum.make_array());
  }
  return std::make_shared<arrow::ChunkedArray>(cp::Cast(datum, type).ValueOrDie().make_array());
}

bool Holds(const char* comparison, const std::shared_ptr<arrow::Scalar>& a,
           const std::shared_ptr<arrow::Scalar>& b) {
  auto result = cp::CallFunction(comparison, {a, b});
  EXPECT_TRUE(result.ok()) << comparison << " " << a->ToString() << " " << b->ToString()
                           << result.status();
  return result.ok() && result->scalar_as<arrow::BooleanScalar>().value;
}

/// The smallest and the largest value, null where there is none.
std::vector<std::shared_ptr<arrow::Scalar>> Extremes(const std::shared_ptr<arrow::Array>& values) {
  const bool duration = values->type_id() == arrow::Type::DURATION;  // there is no kernel for these
  auto both = cp::MinMax(duration ? values->View(arrow::int64()).ValueOrDie() : values)
                  .ValueOrDie()
                  .scalar_as<arrow::StructScalar>()
                  .value;
  if (duration) {
    for (auto& value : both) value = value->CastTo(values->type()).ValueOrDie();
  }
  return both;
}

enum class Expect { kBounds, kNoBounds, kEither };

/// Every bound must hold for the rows of its row group; exact ones are attained; null counts are
/// right or unknown.
void Check(const std::shared_ptr<arrow::Table>& table,
           const std::shared_ptr<::parquet::WriterProperties>& properties, Expect expect,
           bool store_schema = true, int leaf = 0, int64_t row_group_rows = 50) {
  MemoryDriver driver(MakeFormat(), WriteFile(*table, row_group_rows, properties, store_schema));
  auto facts = driver.Facts().ValueOrDie();
  auto bounds = facts->Bounds(leaf).ValueOrDie();
  for (int g = 0; g < facts->num_row_groups(); ++g) {
    auto batches = driver.RowGroups(facts, {g}, {leaf}).ValueOrDie();
    ASSERT_EQ(batches.size(), 1u);
    std::shared_ptr<arrow::Array> rows = batches[0]->column(0);
    bool repeated = false;
    while (rows->type()->num_fields() > 0) {
      if (rows->type_id() == arrow::Type::STRUCT) {
        rows = static_cast<const arrow::StructArray&>(*rows).GetFlattenedField(0).ValueOrDie();
      } else {
        repeated = true;
        rows = static_cast<const arrow::ListArray&>(*rows).Flatten().ValueOrDie();
      }
    }
    if (rows->type_id() == arrow::Type::DICTIONARY) {
      rows = cp::Cast(*rows, static_cast<const arrow::DictionaryType&>(*rows->type()).value_type())
                 .ValueOrDie();
    }
    const std::string where = rows->type()->ToString() + ", row group " + std::to_string(g);
    if (!repeated && bounds.null_count->IsValid(g)) {
      EXPECT_EQ(bounds.null_count->Value(g), rows->null_count()) << where;
    }
    const bool has_min = bounds.min && bounds.min->IsValid(g),
               has_max = bounds.max && bounds.max->IsValid(g);
    if (expect == Expect::kBounds) {
      EXPECT_TRUE(has_min && has_max) << where;
    }
    if (expect == Expect::kNoBounds) {
      EXPECT_FALSE(has_min || has_max) << where;
    }
    if (!has_min && !has_max) continue;
    ASSERT_EQ(bounds.min->type()->ToString(), rows->type()->ToString());
    const auto both = Extremes(rows);
    if (!both[0]->is_valid) continue;
    if (has_min) {
      auto min = bounds.min->GetScalar(g).ValueOrDie();
      EXPECT_TRUE(Holds("less_equal", min, both[0])) << where << ": " << min->ToString();
      if (bounds.min_exact[g]) {
        EXPECT_TRUE(Holds("equal", min, both[0])) << where << ": " << min->ToString();
      }
    }
    if (has_max) {
      auto max = bounds.max->GetScalar(g).ValueOrDie();
      EXPECT_TRUE(Holds("greater_equal", max, both[1])) << where << ": " << max->ToString();
      if (bounds.max_exact[g]) {
        EXPECT_TRUE(Holds("equal", max, both[1])) << where << ": " << max->ToString();
      }
    }
  }
}

TEST(Bounds, HoldForTheRowsOfEveryType) {
  const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::int8(),
      arrow::int16(),
      arrow::int32(),
      arrow::int64(),
      arrow::uint8(),
      arrow::uint16(),
      arrow::uint32(),
      arrow::uint64(),
      arrow::float32(),
      arrow::float64(),
      arrow::boolean(),
      arrow::decimal128(5, 2),
      arrow::decimal128(15, 2),
      arrow::decimal128(30, 2),
      arrow::decimal256(60, 2),
      arrow::date32(),
      arrow::date64(),
      arrow::timestamp(TimeUnit::SECOND),
      arrow::timestamp(TimeUnit::MILLI),
      arrow::timestamp(TimeUnit::MICRO, "UTC"),
      arrow::timestamp(TimeUnit::NANO, "Europe/Paris"),
      arrow::timestamp(TimeUnit::SECOND, "America/New_York"),
      arrow::time32(TimeUnit::SECOND),
      arrow::time32(TimeUnit::MILLI),
      arrow::time64(TimeUnit::MICRO),
      arrow::time64(TimeUnit::NANO),
      arrow::duration(TimeUnit::SECOND),
      arrow::duration(TimeUnit::NANO),
      arrow::utf8(),
      arrow::large_utf8(),
      arrow::binary(),
      arrow::fixed_size_binary(3),
      arrow::dictionary(arrow::int32(), arrow::utf8()),
  };
  for (const auto& type : types) {
    SCOPED_TRACE(type->ToString());
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      auto table = OneColumn(Random(type, 200, seed));
      Check(table, Default(), Expect::kBounds);
      Check(table, Properties().disable_dictionary()->build(), Expect::kBounds);
      Check(table, Default(), Expect::kBounds, /*store_schema=*/false);
      const bool nanoseconds =
          type->id() == arrow::Type::TIMESTAMP &&
          static_cast<const arrow::TimestampType&>(*type).unit() == TimeUnit::NANO;
      // The first version of the format has no nanoseconds.
      if (!nanoseconds) {
        Check(table, Properties().version(::parquet::ParquetVersion::PARQUET_1_0)->build(),
              Expect::kEither);
      }
      Check(table, Properties().disable_statistics()->build(), Expect::kNoBounds);
    }
  }
}

TEST(Bounds, OfUnsignedNumbersAreUnsigned) {
  for (const auto& type : {arrow::uint32(), arrow::uint64()}) {
    auto values = Random(type, 200, 5, int64_t{1} << 30, int64_t{1} << 32);
    Check(OneColumn(values), Default(), Expect::kBounds);
    // Format version 1.0 has no unsigned types: uint32 is stored as int64.
    Check(OneColumn(values), Properties().version(::parquet::ParquetVersion::PARQUET_1_0)->build(),
          Expect::kEither);
  }
}

TEST(Bounds, OfNegativeNumbersHold) {
  for (const auto& type :
       {arrow::int8(), arrow::int64(), arrow::decimal128(5, 2), arrow::decimal128(30, 2),
        arrow::float64(), arrow::timestamp(TimeUnit::NANO, "UTC")}) {
    Check(OneColumn(Random(type, 200, 6, -100, 100)), Default(), Expect::kBounds);
  }
}

TEST(Bounds, OfFloatsSayNothingAboutNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> groups = {{5, 5, nan},        {nan, 1, -1},
                                                   {nan, nan, nan},    {0.0, 0.0, 0.0},
                                                   {-0.0, -0.0, -0.0}, {-0.0, 0.0, nan}};
  arrow::DoubleBuilder builder;
  for (const auto& group : groups) ASSERT_TRUE(builder.AppendValues(group).ok());
  auto table = OneColumn(std::make_shared<arrow::ChunkedArray>(builder.Finish().ValueOrDie()));
  MemoryDriver driver(MakeFormat(), WriteFile(*table, 3, Default()));
  auto bounds = driver.Facts().ValueOrDie()->Bounds(0).ValueOrDie();
  const auto& min = static_cast<const arrow::DoubleArray&>(*bounds.min);
  const auto& max = static_cast<const arrow::DoubleArray&>(*bounds.max);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (double value : groups[g]) {
      if (std::isnan(value)) continue;
      if (min.IsValid(g)) {
        EXPECT_LE(min.Value(g), value) << g;
      }
      if (max.IsValid(g)) {
        EXPECT_GE(max.Value(g), value) << g;
      }
    }
    if (min.IsValid(g)) {
      EXPECT_FALSE(std::isnan(min.Value(g))) << g;
    }
    if (max.IsValid(g)) {
      EXPECT_FALSE(std::isnan(max.Value(g))) << g;
    }
  }
  EXPECT_EQ(min.Value(0), 5);
  EXPECT_EQ(max.Value(1), 1);
  EXPECT_TRUE(min.IsNull(2) && max.IsNull(2));
}

TEST(Bounds, OfLongTextsAreLeftOut) {
  arrow::StringBuilder builder;
  ASSERT_TRUE(
      builder.AppendValues({"a", "b", std::string(5000, 'z'), std::string(5001, 'z')}).ok());
  auto table = OneColumn(std::make_shared<arrow::ChunkedArray>(builder.Finish().ValueOrDie()));
  MemoryDriver driver(MakeFormat(), WriteFile(*table, 2, Default()));
  auto bounds = driver.Facts().ValueOrDie()->Bounds(0).ValueOrDie();
  EXPECT_TRUE(bounds.min->IsValid(0) && bounds.max->IsValid(0));
  EXPECT_TRUE(bounds.min->IsNull(1) && bounds.max->IsNull(1));
  EXPECT_EQ(bounds.null_count->Value(1), 0);
}

TEST(Bounds, OfTextViewsHold) {
  auto text = Random(arrow::utf8(), 100, 3);
  auto views = cp::Cast(text, arrow::utf8_view()).ValueOrDie().chunked_array();
  MemoryDriver driver(MakeFormat(), WriteFile(*OneColumn(views), 50, Default()));
  auto facts = driver.Facts().ValueOrDie();
  ASSERT_EQ(facts->schema()->field(0)->type()->id(), arrow::Type::STRING_VIEW);
  auto bounds = facts->Bounds(0).ValueOrDie();
  ASSERT_NE(bounds.min, nullptr);
  EXPECT_EQ(bounds.min->type_id(), arrow::Type::STRING_VIEW);
  auto rows = driver.RowGroups(facts, {0}, {0}).ValueOrDie()[0]->column(0);
  const auto& column = static_cast<const arrow::StringViewArray&>(*rows);
  const auto& min = static_cast<const arrow::StringViewArray&>(*bounds.min);
  const auto& max = static_cast<const arrow::StringViewArray&>(*bounds.max);
  for (int64_t i = 0; i < column.length(); ++i) {
    if (column.IsNull(i)) continue;
    EXPECT_LE(min.GetView(0), column.GetView(i));
    EXPECT_GE(max.GetView(0), column.GetView(i));
  }
}

TEST(Bounds, OfAllNullColumnsAreNullCountsOnly) {
  for (const auto& type : {arrow::int32(), arrow::utf8(), arrow::float64()}) {
    auto nulls =
        std::make_shared<arrow::ChunkedArray>(arrow::MakeArrayOfNull(type, 10).ValueOrDie());
    MemoryDriver driver(MakeFormat(), WriteFile(*OneColumn(nulls), 5, Default()));
    auto bounds = driver.Facts().ValueOrDie()->Bounds(0).ValueOrDie();
    for (int g = 0; g < 2; ++g) {
      EXPECT_TRUE(!bounds.min || bounds.min->IsNull(g));
      EXPECT_EQ(bounds.null_count->Value(g), 5);
    }
  }
}

TEST(Bounds, NullCountsBelowNullableStructsCountTheStructsNullsToo) {
  const auto dictionary = arrow::dictionary(arrow::int32(), arrow::utf8());
  for (const auto& type : {arrow::utf8(), dictionary, arrow::int64()}) {
    const bool text = type->id() != arrow::Type::INT64;
    auto x = Column(type, text ? R"(["a", "b", "c", "d"])" : "[1, 2, 3, 4]")->chunk(0);
    for (const bool struct_nulls : {false, true}) {
      auto valid = Column(arrow::boolean(),
                          struct_nulls ? "[true, false, true, false]" : "[true, true, true, true]");
      auto st = std::make_shared<arrow::StructArray>(arrow::struct_({arrow::field("x", type)}), 4,
                                                     arrow::ArrayVector{x},
                                                     valid->chunk(0)->data()->buffers[1]);
      auto table = OneColumn(std::make_shared<arrow::ChunkedArray>(st));
      Check(table, Default(), Expect::kBounds, true, 0, 2);
      MemoryDriver driver(MakeFormat(), WriteFile(*table, 2, Default()));
      auto bounds = driver.Facts().ValueOrDie()->Bounds(0).ValueOrDie();
      EXPECT_EQ(bounds.null_count->Value(0), struct_nulls ? 1 : 0) << *type;
      // Without a histogram of levels nothing is known.
      Properties properties;
      properties.set_size_statistics_level(::parquet::SizeStatisticsLevel::None);
      MemoryDriver plain(MakeFormat(), WriteFile(*table, 2, properties.build()));
      EXPECT_TRUE(plain.Facts().ValueOrDie()->Bounds(0).ValueOrDie().null_count->IsNull(0));
    }
  }
}

TEST(Bounds, OfDictionariesWithValuesThatNoRowHasAreNotExact) {
  // Arrow's writer takes "a" for the least value: see MayBeBoundsOfDictionary.
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  auto indices = Column(arrow::int32(), "[0, 1, null, 0, 1, 1]")->chunk(0);
  auto values = Column(arrow::utf8(), R"(["m", "z", "a"])")->chunk(0);
  auto table = OneColumn(std::make_shared<arrow::ChunkedArray>(
      arrow::DictionaryArray::FromArrays(type, indices, values).ValueOrDie()));
  for (const bool store_schema : {true, false}) {
    Check(table, Default(), Expect::kBounds, store_schema, 0, 3);
    MemoryDriver driver(MakeFormat(), WriteFile(*table, 3, Default(), store_schema));
    auto bounds = driver.Facts().ValueOrDie()->Bounds(0).ValueOrDie();
    EXPECT_FALSE(bounds.min_exact[0] || bounds.max_exact[0]);
    EXPECT_EQ(bounds.min->GetScalar(0).ValueOrDie()->ToString(), "a");
  }
}

TEST(Bounds, OfNestedLeavesAreThoseOfTheLeaf) {
  auto x = Random(arrow::int64(), 100, 1)->chunk(0), y = Random(arrow::utf8(), 100, 2)->chunk(0);
  auto st = arrow::StructArray::Make({x, y}, std::vector<std::string>{"x", "y"}).ValueOrDie();
  auto list_type = arrow::list(arrow::field("item", arrow::int32()));
  std::string json = "[";
  for (int i = 0; i < 100; ++i)
    json += (i ? "," : "") + std::string(i % 3 == 0 ? "[]" : "[" + std::to_string(i) + ", 7]");
  auto lists = Column(list_type, json + "]");
  auto table = arrow::Table::Make(
      arrow::schema({arrow::field("st", st->type()), arrow::field("l", list_type),
                     arrow::field("z", arrow::int64())}),
      {std::make_shared<arrow::ChunkedArray>(st), lists, Random(arrow::int64(), 100, 9)});
  for (int leaf = 0; leaf < 4; ++leaf) Check(table, Default(), Expect::kBounds, true, leaf);
}

}  // namespace
}  // namespace shoal::formats::parquet
