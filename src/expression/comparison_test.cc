// Comparisons of every type with literals and columns of every other, against an oracle that knows
// only exact numbers: a value is null, NaN, or an integer count of 10^-12 (of a second, for time),
// in 256 bits.
#include <cmath>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>

#include <shoal/filter.h>

#include "expression/conjuncts.h"
#include "expression/evaluate.h"

namespace shoal::expression {
namespace {

namespace cp = arrow::compute;
using arrow::Decimal256;
using arrow::Scalar;
using arrow::TimeUnit;
using Random = std::mt19937_64;

constexpr int kScale = 12;

// A count beyond all finite ones stands for infinity.
struct Value {
  enum { kNull, kNan, kNumber } kind = kNull;
  Decimal256 count;
};

Decimal256 PowerOfTen(int exponent) { return Decimal256(Decimal256::GetScaleMultiplier(exponent)); }

struct Sample {
  std::shared_ptr<Scalar> scalar;
  Value value;
};

Sample Null(const std::shared_ptr<arrow::DataType>& type) {
  return {arrow::MakeNullScalar(type), {}};
}

// ---- samples: numbers
// ------------------------------------------------------------------------------------------------

Sample OfDecimal(const std::shared_ptr<arrow::DataType>& type, Random& random) {
  const auto& decimal = static_cast<const arrow::DecimalType&>(*type);
  Decimal256 limit = PowerOfTen(decimal.precision());
  Decimal256 unscaled(0);
  switch (random() % 4) {
    case 0:  // the ends
      unscaled = limit;
      unscaled -= Decimal256(static_cast<int64_t>(1 + random() % 2));
      break;
    default: {
      // Near small halves and quarters.
      int64_t quarters = static_cast<int64_t>(random() % 80);
      auto scaled = Decimal256(quarters * 25).Rescale(2, 20).ValueOrDie();
      unscaled = Decimal256(scaled.ReduceScaleBy(20 - decimal.scale(), false));
      if (random() % 2) unscaled += Decimal256(1);
      break;
    }
  }
  if (random() % 2) unscaled = Decimal256(-unscaled);
  if (!unscaled.FitsInPrecision(decimal.precision())) unscaled = Decimal256(0);
  Value value{Value::kNumber, unscaled.Rescale(decimal.scale(), kScale).ValueOrDie()};
  arrow::Decimal256Scalar wide(unscaled, arrow::decimal256(76, decimal.scale()));
  auto array = cp::Cast(*arrow::MakeArrayFromScalar(wide, 1).ValueOrDie(), type).ValueOrDie();
  return {array->GetScalar(0).ValueOrDie(), value};
}

Sample OfInteger(const std::shared_ptr<arrow::DataType>& type, Random& random) {
  static const int64_t kInteresting[] = {
      0,          1,          2,         5,       127,      128,       255,
      256,        -1,         -128,      -129,    32767,    65536,     2147483647,
      2147483648, 4294967295, 300,       1 << 24, 16777217, 1LL << 53, (1LL << 53) + 1,
      INT64_MAX,  INT64_MIN,  4294967296};
  if (type->id() == arrow::Type::UINT64 && random() % 5 == 0) {
    uint64_t value = UINT64_MAX - random() % 2;
    auto count = Decimal256(arrow::BasicDecimal256(value)).Rescale(0, kScale).ValueOrDie();
    return {arrow::MakeScalar(value), {Value::kNumber, count}};
  }
  while (true) {
    int64_t value = random() % 3 ? kInteresting[random() % std::size(kInteresting)]
                                 : static_cast<int64_t>(random() % 20);
    // Casts of scalars wrap around.
    auto scalar = arrow::MakeScalar(value)->CastTo(type).ValueOrDie();
    if (arrow::is_unsigned_integer(type->id()) && value < 0) continue;
    if (!scalar->CastTo(arrow::int64()).ValueOrDie()->Equals(*arrow::MakeScalar(value))) continue;
    return {scalar, {Value::kNumber, Decimal256(value).Rescale(0, kScale).ValueOrDie()}};
  }
}

Sample OfFloat(const std::shared_ptr<arrow::DataType>& type, Random& random) {
  static const double kInteresting[] = {0x1p24,  0x1p24 + 2, 0x1p53, 0x1p53 + 2,   0x1p63, 0x1p64,
                                        -0x1p63, 1e30,       -1e30,  127.5,        -128.5, 0.0,
                                        -0.0,    1.0,        0x1p31, 4294967295.5, 0x1p32};
  bool half = type->id() == arrow::Type::HALF_FLOAT;
  double number = static_cast<double>(random() % 160) / 8 - 10;
  if (!half && random() % 3 == 0) number = kInteresting[random() % std::size(kInteresting)];
  if (random() % 12 == 0) number = std::nan("");
  if (random() % 12 == 0) number = random() % 2 ? INFINITY : -INFINITY;
  if (type->id() == arrow::Type::FLOAT) number = static_cast<float>(number);
  std::shared_ptr<Scalar> scalar = std::make_shared<arrow::DoubleScalar>(number);
  if (type->id() == arrow::Type::FLOAT)
    scalar = std::make_shared<arrow::FloatScalar>(static_cast<float>(number));
  if (half) scalar = std::make_shared<arrow::HalfFloatScalar>(arrow::util::Float16(number).bits());
  if (std::isnan(number)) return {scalar, {Value::kNan, {}}};
  Decimal256 count = PowerOfTen(75);
  if (!std::isinf(number)) {
    double magnitude = std::abs(number);
    if (magnitude >= 0x1p53) {
      // A multiple of a power of two.
      int shift = 0;
      while (magnitude >= 0x1p53) {
        magnitude /= 2;
        ++shift;
      }
      count = Decimal256(static_cast<int64_t>(magnitude));
      for (int i = 0; i < shift; ++i) count += Decimal256(count);
      count = count.Rescale(0, kScale).ValueOrDie();
    } else {
      auto eighths = static_cast<int64_t>(magnitude * 8);
      count = Decimal256(arrow::BasicDecimal256(eighths)) * Decimal256(int64_t{125'000'000'000});
    }
  }
  if (std::signbit(number)) count = Decimal256(-count);
  return {scalar, {Value::kNumber, count}};
}

// ---- samples: time
// ---------------------------------------------------------------------------------------------------

int64_t PicosecondsPer(TimeUnit::type unit) {
  switch (unit) {
    case TimeUnit::SECOND:
      return 1'000'000'000'000;
    case TimeUnit::MILLI:
      return 1'000'000'000;
    case TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000;
  }
}

constexpr int64_t kPicosecondsPerDay = 86'400'000'000'000'000;

Sample OfTime(const std::shared_ptr<arrow::DataType>& type, Random& random) {
  int64_t tick = 0;
  bool narrow = false;
  int64_t nanoseconds =
      static_cast<int64_t>(random() % 4) * 86'400'000'000'000 / 2;  // midnights and noons
  bool time_of_day = false;
  switch (type->id()) {
    case arrow::Type::DATE32:
      tick = kPicosecondsPerDay;
      narrow = true;
      break;
    case arrow::Type::DATE64:
      tick = PicosecondsPer(TimeUnit::MILLI);
      break;
    case arrow::Type::TIMESTAMP:
      tick = PicosecondsPer(static_cast<const arrow::TimestampType&>(*type).unit());
      break;
    case arrow::Type::DURATION:
      tick = PicosecondsPer(static_cast<const arrow::DurationType&>(*type).unit());
      break;
    default:
      tick = PicosecondsPer(static_cast<const arrow::TimeType&>(*type).unit());
      time_of_day = true;
      narrow = type->id() == arrow::Type::TIME32;
      nanoseconds = static_cast<int64_t>(random() % 3) * 1'000'000'000;
      break;
  }
  static const int64_t kSteps[] = {0, 1, 999, 1'000, 1'001, 1'000'000, 1'500'000'000};
  nanoseconds += kSteps[random() % std::size(kSteps)];
  if (!time_of_day && random() % 2) nanoseconds = -nanoseconds;
  int64_t ticks = nanoseconds / (tick / 1000);
  if (!time_of_day && !narrow && random() % 8 == 0) ticks = random() % 2 ? INT64_MAX : INT64_MIN;
  if (type->id() == arrow::Type::DATE64) ticks -= ticks % 86'400'000;
  std::shared_ptr<Scalar> scalar;
  if (narrow) {
    scalar = arrow::MakeScalar(static_cast<int32_t>(ticks))->CastTo(type).ValueOrDie();
  } else {
    scalar = type->id() == arrow::Type::DATE64
                 ? std::static_pointer_cast<Scalar>(std::make_shared<arrow::Date64Scalar>(ticks))
                 : arrow::MakeScalar(ticks)->CastTo(type).ValueOrDie();
  }
  return {scalar, {Value::kNumber, Decimal256(ticks) * Decimal256(tick)}};
}

Sample Draw(const std::shared_ptr<arrow::DataType>& type, Random& random) {
  if (random() % 8 == 0) return Null(type);
  if (arrow::is_decimal(type->id())) return OfDecimal(type, random);
  if (arrow::is_integer(type->id())) return OfInteger(type, random);
  if (arrow::is_floating(type->id())) return OfFloat(type, random);
  return OfTime(type, random);
}

// ---- the oracle
// ------------------------------------------------------------------------------------------------------

std::optional<bool> Meant(const std::string& function, const Value& left, const Value& right) {
  if (left.kind == Value::kNull || right.kind == Value::kNull) return std::nullopt;
  if (left.kind == Value::kNan || right.kind == Value::kNan) return function == "not_equal";
  if (function == "equal") return left.count == right.count;
  if (function == "not_equal") return left.count != right.count;
  if (function == "less") return left.count < right.count;
  if (function == "less_equal") return left.count <= right.count;
  if (function == "greater") return left.count > right.count;
  return left.count >= right.count;
}

const char* const kFunctions[] = {"equal",      "not_equal", "less",
                                  "less_equal", "greater",   "greater_equal"};

struct Column {
  std::shared_ptr<arrow::Array> array;
  std::vector<Sample> samples;
};

Column DrawColumn(const std::shared_ptr<arrow::DataType>& type, int64_t count, Random& random) {
  Column column;
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (int64_t i = 0; i < count; ++i) {
    column.samples.push_back(Draw(type, random));
    EXPECT_TRUE(builder->AppendScalar(*column.samples.back().scalar).ok());
  }
  column.array = builder->Finish().ValueOrDie();
  return column;
}

std::optional<bool> At(const arrow::Array& mask, int64_t i) {
  if (mask.IsNull(i)) return std::nullopt;
  return static_cast<const arrow::BooleanArray&>(mask).Value(i);
}

std::string Word(std::optional<bool> outcome) {
  return !outcome ? "null" : *outcome ? "true" : "false";
}

const std::vector<std::shared_ptr<arrow::DataType>>& Numbers() {
  static const std::vector<std::shared_ptr<arrow::DataType>> types = {arrow::int8(),
                                                                      arrow::int16(),
                                                                      arrow::int32(),
                                                                      arrow::int64(),
                                                                      arrow::uint8(),
                                                                      arrow::uint16(),
                                                                      arrow::uint32(),
                                                                      arrow::uint64(),
                                                                      arrow::float16(),
                                                                      arrow::float32(),
                                                                      arrow::float64(),
                                                                      arrow::decimal32(5, 1),
                                                                      arrow::decimal64(9, 2),
                                                                      arrow::decimal128(4, 1),
                                                                      arrow::decimal128(20, 2),
                                                                      arrow::decimal128(38, 0),
                                                                      arrow::decimal256(40, 6)};
  return types;
}

std::vector<std::vector<std::shared_ptr<arrow::DataType>>> Families() {
  std::vector<std::shared_ptr<arrow::DataType>> naive = {arrow::date32(), arrow::date64()};
  std::vector<std::shared_ptr<arrow::DataType>> zoned = naive;
  std::vector<std::shared_ptr<arrow::DataType>> durations;
  for (auto unit : TimeUnit::values()) {
    naive.push_back(arrow::timestamp(unit));
    zoned.push_back(arrow::timestamp(unit, unit == TimeUnit::MICRO ? "Europe/Paris" : "UTC"));
    durations.push_back(arrow::duration(unit));
  }
  std::vector<std::shared_ptr<arrow::DataType>> times = {
      arrow::time32(TimeUnit::SECOND), arrow::time32(TimeUnit::MILLI),
      arrow::time64(TimeUnit::MICRO), arrow::time64(TimeUnit::NANO)};
  return {Numbers(), naive, zoned, durations, times};
}

// A decimal is compared with floats as a double, and a double with decimals as its shortest text,
// so at the far ends the exact number is not what is meant.
bool Approximate(const arrow::DataType& left, const arrow::DataType& right) {
  return (arrow::is_decimal(left.id()) && arrow::is_floating(right.id())) ||
         (arrow::is_floating(left.id()) && arrow::is_decimal(right.id()));
}
bool IsFar(const Value& value) {
  Decimal256 limit = Decimal256(int64_t{100'000}) * PowerOfTen(kScale);
  return value.kind == Value::kNumber && (value.count > limit || value.count < Decimal256(-limit));
}

TEST(Comparison, LiteralsOfAnyTypeCompareExactly) {
  Random random(2024);
  auto* pool = arrow::default_memory_pool();
  for (const auto& family : Families()) {
    for (const auto& column_type : family) {
      for (const auto& literal_type : family) {
        for (int round = 0; round < 12; ++round) {
          Column column = DrawColumn(column_type, 40, random);
          Sample literal = Draw(literal_type, random);
          auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", column_type)}), 40,
                                                {column.array});
          for (const char* function : kFunctions) {
            auto filter =
                cp::call(function, {cp::field_ref("x"), cp::literal(arrow::Datum(literal.scalar))});
            auto bound = BindFilter(filter, batch->schema());
            ASSERT_TRUE(bound.ok()) << bound.status();
            auto mask = Evaluate(*bound, *batch, pool);
            ASSERT_TRUE(mask.ok()) << mask.status() << ToText(*bound);
            for (int64_t i = 0; i < 40; ++i) {
              const Value& value = column.samples[i].value;
              if (Approximate(*column_type, *literal_type) && IsFar(value) && IsFar(literal.value))
                continue;
              auto meant = Meant(function, value, literal.value);
              ASSERT_EQ(At(**mask, i), meant)
                  << column_type->ToString() << " " << column.samples[i].scalar->ToString() << " "
                  << function << " " << literal_type->ToString() << " "
                  << literal.scalar->ToString() << " must be " << Word(meant) << "; bound as "
                  << ToText(*bound);
            }
          }
        }
      }
    }
  }
}

TEST(Comparison, ColumnsOfAnyTypesCompareExactly) {
  Random random(2025);
  auto* pool = arrow::default_memory_pool();
  for (const auto& family : Families()) {
    for (const auto& left_type : family) {
      for (const auto& right_type : family) {
        Column left = DrawColumn(left_type, 200, random);
        Column right = DrawColumn(right_type, 200, random);
        auto schema = arrow::schema({arrow::field("x", left_type), arrow::field("y", right_type)});
        auto batch = arrow::RecordBatch::Make(schema, 200, {left.array, right.array});
        for (const char* function : kFunctions) {
          auto bound =
              BindFilter(cp::call(function, {cp::field_ref("x"), cp::field_ref("y")}), schema);
          ASSERT_TRUE(bound.ok()) << bound.status();
          auto mask = Evaluate(*bound, *batch, pool);
          ASSERT_TRUE(mask.ok()) << mask.status() << ToText(*bound);
          for (int64_t i = 0; i < 200; ++i) {
            const Value& a = left.samples[i].value;
            const Value& b = right.samples[i].value;
            if (Approximate(*left_type, *right_type) && IsFar(a) && IsFar(b)) continue;
            auto meant = Meant(function, a, b);
            ASSERT_EQ(At(**mask, i), meant)
                << left_type->ToString() << " " << left.samples[i].scalar->ToString() << " "
                << function << " " << right_type->ToString() << " "
                << right.samples[i].scalar->ToString() << " must be " << Word(meant)
                << "; bound as " << ToText(*bound);
          }
        }
      }
    }
  }
}

TEST(Comparison, SetsOfAnyTypeAreSetsOfEqualValues) {
  Random random(2026);
  auto* pool = arrow::default_memory_pool();
  for (const auto& family : Families()) {
    for (const auto& column_type : family) {
      for (const auto& set_type : family) {
        for (int round = 0; round < 4; ++round) {
          Column column = DrawColumn(column_type, 60, random);
          Column set = DrawColumn(set_type, 6, random);
          auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", column_type)}), 60,
                                                {column.array});
          bool null_in_set = set.array->null_count() > 0;
          for (auto behavior :
               {cp::SetLookupOptions::MATCH, cp::SetLookupOptions::SKIP,
                cp::SetLookupOptions::EMIT_NULL, cp::SetLookupOptions::INCONCLUSIVE}) {
            auto filter =
                cp::call("is_in", {cp::field_ref("x")}, cp::SetLookupOptions(set.array, behavior));
            auto bound = BindFilter(filter, batch->schema());
            ASSERT_TRUE(bound.ok()) << bound.status();
            auto mask = Evaluate(*bound, *batch, pool);
            ASSERT_TRUE(mask.ok()) << mask.status();
            for (int64_t i = 0; i < 60; ++i) {
              const Value& value = column.samples[i].value;
              // is_in tells zeros apart and finds NaN, as Arrow's does.
              bool zero = value.kind == Value::kNumber && value.count == Decimal256(0);
              if (value.kind == Value::kNan || (zero && arrow::is_floating(column_type->id())))
                continue;
              if (Approximate(*column_type, *set_type) && IsFar(value)) continue;
              std::optional<bool> meant = false;
              for (const Sample& member : set.samples) {
                if (Meant("equal", value, member.value) == true) meant = true;
              }
              if (value.kind == Value::kNull) {
                if (behavior == cp::SetLookupOptions::MATCH) {
                  meant = null_in_set;
                } else if (behavior != cp::SetLookupOptions::SKIP) {
                  meant = std::nullopt;
                }
              } else if (meant == false && behavior == cp::SetLookupOptions::INCONCLUSIVE &&
                         null_in_set) {
                meant = std::nullopt;
              }
              ASSERT_EQ(At(**mask, i), meant)
                  << column_type->ToString() << " " << column.samples[i].scalar->ToString()
                  << " in " << set.array->ToString() << " must be " << Word(meant) << "; bound as "
                  << ToText(*bound);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace shoal::expression
