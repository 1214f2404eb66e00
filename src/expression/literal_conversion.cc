#include "expression/literal_conversion.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>
#include <arrow/util/value_parsing.h>

namespace shoal::expression {
namespace {

using arrow::DataType;
using arrow::Decimal256;
using arrow::Result;
using arrow::Scalar;
using arrow::Status;
using arrow::TimeUnit;
using arrow::Type;
using arrow::internal::checked_cast;
__extension__ using Int128 = __int128;
using TypePointer = std::shared_ptr<DataType>;

constexpr int kMaxDecimalDigits = 76;

Status NotComparable(const DataType& literal, const DataType& type) {
  const auto is_text = [](Type::type id) {
    return arrow::is_base_binary_like(id) || arrow::is_binary_view_like(id);
  };
  if (is_text(literal.id()) && (arrow::is_numeric(type.id()) || arrow::is_decimal(type.id()))) {
    return Status::TypeError("a number is written without quotes");
  }
  if (type.id() == Type::BOOL) return Status::TypeError("a truth value is true or false");
  return Status::TypeError("such values have no common order or equality");
}

PlacedLiteral Below() { return {Position::kBelow, nullptr}; }
PlacedLiteral Above() { return {Position::kAbove, nullptr}; }

// ---- numbers
// ---------------------------------------------------------------------------------------------------

// digits × 10^-scale; any scale.
struct ExactNumber {
  Decimal256 digits;
  int32_t scale;
};

bool IsNegative(const Decimal256& value) { return value < Decimal256(0); }

// The greatest integer n with n × 10^-scale <= number.
struct Floored {
  bool overflow;  // beyond 256 bits; the sign of the number says on which side
  bool exact;
  Decimal256 value;
};

Floored FloorToScale(const ExactNumber& number, int32_t scale) {
  if (number.digits == Decimal256(0)) return {false, true, number.digits};
  if (scale >= number.scale) {
    int64_t shift = static_cast<int64_t>(scale) - number.scale;
    if (shift > kMaxDecimalDigits) return {true, false, {}};
    auto scaled = number.digits.Rescale(0, static_cast<int32_t>(shift));
    if (!scaled.ok()) return {true, false, {}};
    return {false, true, *scaled};
  }
  int64_t shift = static_cast<int64_t>(number.scale) - scale;
  if (shift > kMaxDecimalDigits)
    return {false, false, Decimal256(IsNegative(number.digits) ? -1 : 0)};
  Decimal256 divisor(Decimal256::GetScaleMultiplier(static_cast<int32_t>(shift)));
  auto [quotient, remainder] = number.digits.Divide(divisor).ValueOrDie();  // never zero
  bool exact = remainder == Decimal256(0);
  if (IsNegative(remainder)) quotient -= Decimal256(1);
  return {false, exact, quotient};
}

Decimal256 FromUInt64(uint64_t value) { return Decimal256(arrow::BasicDecimal256(value)); }

int64_t LowWord(const Decimal256& value) {
  return static_cast<int64_t>(value.little_endian_array()[0]);
}

struct IntegerRange {
  Decimal256 least;
  Decimal256 greatest;
};

IntegerRange RangeOf(Type::type id) {
  switch (id) {
    case Type::INT8:
      return {Decimal256(INT8_MIN), Decimal256(INT8_MAX)};
    case Type::INT16:
      return {Decimal256(INT16_MIN), Decimal256(INT16_MAX)};
    case Type::INT32:
      return {Decimal256(INT32_MIN), Decimal256(INT32_MAX)};
    case Type::UINT8:
      return {Decimal256(0), Decimal256(UINT8_MAX)};
    case Type::UINT16:
      return {Decimal256(0), Decimal256(UINT16_MAX)};
    case Type::UINT32:
      return {Decimal256(0), Decimal256(int64_t{UINT32_MAX})};
    case Type::UINT64:
      return {Decimal256(0), FromUInt64(UINT64_MAX)};
    default:
      return {Decimal256(std::numeric_limits<int64_t>::min()),
              Decimal256(std::numeric_limits<int64_t>::max())};
  }
}

// An integer within the type's range.
std::shared_ptr<Scalar> IntegerOf(const TypePointer& type, int64_t bits) {
  switch (type->id()) {
    case Type::INT8:
      return std::make_shared<arrow::Int8Scalar>(static_cast<int8_t>(bits));
    case Type::INT16:
      return std::make_shared<arrow::Int16Scalar>(static_cast<int16_t>(bits));
    case Type::INT32:
      return std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(bits));
    case Type::UINT8:
      return std::make_shared<arrow::UInt8Scalar>(static_cast<uint8_t>(bits));
    case Type::UINT16:
      return std::make_shared<arrow::UInt16Scalar>(static_cast<uint16_t>(bits));
    case Type::UINT32:
      return std::make_shared<arrow::UInt32Scalar>(static_cast<uint32_t>(bits));
    case Type::UINT64:
      return std::make_shared<arrow::UInt64Scalar>(static_cast<uint64_t>(bits));
    default:
      return std::make_shared<arrow::Int64Scalar>(bits);
  }
}

// A decimal within the type's precision.
std::shared_ptr<Scalar> DecimalOf(const TypePointer& type, const Decimal256& value) {
  auto words = value.little_endian_array();
  auto low = static_cast<int64_t>(words[0]);
  switch (type->id()) {
    case Type::DECIMAL32:
      return std::make_shared<arrow::Decimal32Scalar>(arrow::Decimal32(static_cast<int32_t>(low)),
                                                      type);
    case Type::DECIMAL64:
      return std::make_shared<arrow::Decimal64Scalar>(arrow::Decimal64(low), type);
    case Type::DECIMAL128:
      return std::make_shared<arrow::Decimal128Scalar>(
          arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]), type);
    default:
      return std::make_shared<arrow::Decimal256Scalar>(value, type);
  }
}

Decimal256 DigitsOf(const Scalar& scalar) {
  switch (scalar.type->id()) {
    case Type::DECIMAL32:
      return Decimal256(int64_t{checked_cast<const arrow::Decimal32Scalar&>(scalar).value.value()});
    case Type::DECIMAL64:
      return Decimal256(checked_cast<const arrow::Decimal64Scalar&>(scalar).value.value());
    case Type::DECIMAL128:
      return Decimal256(checked_cast<const arrow::Decimal128Scalar&>(scalar).value);
    default:
      return checked_cast<const arrow::Decimal256Scalar&>(scalar).value;
  }
}

// Of an integer or decimal.
ExactNumber ExactNumberOf(const Scalar& scalar) {
  switch (scalar.type->id()) {
    case Type::INT8:
      return {Decimal256(int64_t{checked_cast<const arrow::Int8Scalar&>(scalar).value}), 0};
    case Type::INT16:
      return {Decimal256(int64_t{checked_cast<const arrow::Int16Scalar&>(scalar).value}), 0};
    case Type::INT32:
      return {Decimal256(int64_t{checked_cast<const arrow::Int32Scalar&>(scalar).value}), 0};
    case Type::INT64:
      return {Decimal256(checked_cast<const arrow::Int64Scalar&>(scalar).value), 0};
    case Type::UINT8:
      return {FromUInt64(checked_cast<const arrow::UInt8Scalar&>(scalar).value), 0};
    case Type::UINT16:
      return {FromUInt64(checked_cast<const arrow::UInt16Scalar&>(scalar).value), 0};
    case Type::UINT32:
      return {FromUInt64(checked_cast<const arrow::UInt32Scalar&>(scalar).value), 0};
    case Type::UINT64:
      return {FromUInt64(checked_cast<const arrow::UInt64Scalar&>(scalar).value), 0};
    default:
      return {DigitsOf(scalar), checked_cast<const arrow::DecimalType&>(*scalar.type).scale()};
  }
}

double DoubleOf(const Scalar& scalar) {
  switch (scalar.type->id()) {
    case Type::HALF_FLOAT:
      return arrow::util::Float16::FromBits(
                 checked_cast<const arrow::HalfFloatScalar&>(scalar).value)
          .ToDouble();
    case Type::FLOAT:
      return checked_cast<const arrow::FloatScalar&>(scalar).value;
    default:
      return checked_cast<const arrow::DoubleScalar&>(scalar).value;
  }
}

// A whole double below 2^250, exactly.
Decimal256 WholeOf(double whole) {
  int exponent = 0;
  double mantissa = std::frexp(whole, &exponent);
  Decimal256 digits(static_cast<int64_t>(std::ldexp(mantissa, 53)));
  if (exponent <= 53) return Decimal256(static_cast<int64_t>(whole));
  bool negative = IsNegative(digits);
  if (negative) digits.Negate();
  digits <<= static_cast<uint32_t>(exponent - 53);
  if (negative) digits.Negate();
  return digits;
}

// The shortest decimal text that reads back as this finite double, as digits and scale. A float's
// text is a float's.
ExactNumber ShortestDecimal(const Scalar& scalar) {
  char text[64];
  std::to_chars_result end;
  if (scalar.type->id() == Type::FLOAT) {
    end = std::to_chars(text, text + sizeof(text),
                        checked_cast<const arrow::FloatScalar&>(scalar).value,
                        std::chars_format::scientific);
  } else {
    end = std::to_chars(text, text + sizeof(text), DoubleOf(scalar), std::chars_format::scientific);
  }
  int64_t digits = 0;  // at most 17
  int32_t fraction = 0;
  int32_t exponent = 0;
  bool negative = false;
  bool after_point = false;
  for (const char* c = text; c != end.ptr; ++c) {
    if (*c == '-') {
      negative = true;
    } else if (*c == '.') {
      after_point = true;
    } else if (*c == 'e') {
      ++c;
      if (*c == '+') ++c;
      std::from_chars(c, end.ptr, exponent);
      break;
    } else {
      digits = digits * 10 + (*c - '0');
      if (after_point) ++fraction;
    }
  }
  return {Decimal256(negative ? -digits : digits), fraction - exponent};
}

PlacedLiteral PlaceAmongIntegers(const Floored& floored, bool negative, const TypePointer& type) {
  IntegerRange range = RangeOf(type->id());
  if (floored.overflow) return negative ? Below() : Above();
  if (floored.value < range.least) return Below();
  if (floored.value > range.greatest || (!floored.exact && floored.value == range.greatest))
    return Above();
  return {floored.exact ? Position::kExact : Position::kBetween,
          IntegerOf(type, LowWord(floored.value))};
}

PlacedLiteral PlaceAmongDecimals(const ExactNumber& number, const TypePointer& type) {
  const auto& decimal = checked_cast<const arrow::DecimalType&>(*type);
  bool negative = IsNegative(number.digits);
  Floored floored = FloorToScale(number, decimal.scale());
  if (floored.overflow || !floored.value.FitsInPrecision(decimal.precision()))
    return negative ? Below() : Above();
  return {floored.exact ? Position::kExact : Position::kBetween, DecimalOf(type, floored.value)};
}

PlacedLiteral PlaceDouble(double literal, const TypePointer& type) {
  if (type->id() == Type::DOUBLE)
    return {Position::kExact, std::make_shared<arrow::DoubleScalar>(literal)};
  auto narrow = static_cast<float>(literal);
  Position position = Position::kExact;
  if (!std::isnan(literal) && narrow != literal) {
    position = Position::kBetween;
    if (narrow > literal) narrow = std::nextafter(narrow, -std::numeric_limits<float>::infinity());
  }
  return {position, std::make_shared<arrow::FloatScalar>(narrow)};
}

PlacedLiteral PlaceAmongFloats(const ExactNumber& number, const TypePointer& type) {
  if (number.scale != 0) {
    std::string text = number.digits.ToString(number.scale);
    double nearest = 0;
    std::from_chars(text.data(), text.data() + text.size(), nearest);
    return PlaceDouble(nearest, type);
  }
  std::string text = number.digits.ToIntegerString();
  double nearest = 0;
  std::from_chars(text.data(), text.data() + text.size(), nearest);
  Decimal256 back = WholeOf(nearest);
  if (back == number.digits) return PlaceDouble(nearest, type);
  double below = back > number.digits
                     ? std::nextafter(nearest, -std::numeric_limits<double>::infinity())
                     : nearest;
  PlacedLiteral placed = PlaceDouble(below, type);
  placed.position = Position::kBetween;
  return placed;
}

Result<PlacedLiteral> PlaceNumber(const Scalar& literal, const TypePointer& type) {
  if (arrow::is_floating(literal.type->id())) {
    if (arrow::is_floating(type->id())) return PlaceDouble(DoubleOf(literal), type);
    double value = DoubleOf(literal);
    if (std::isnan(value)) return PlacedLiteral{Position::kUnordered, nullptr};
    if (std::isinf(value)) return value < 0 ? Below() : Above();
    if (arrow::is_decimal(type->id())) return PlaceAmongDecimals(ShortestDecimal(literal), type);
    double whole = std::floor(value);
    if (std::abs(whole) > 1e30) return value < 0 ? Below() : Above();
    return PlaceAmongIntegers({false, whole == value, WholeOf(whole)}, value < 0, type);
  }
  ExactNumber number = ExactNumberOf(literal);
  if (arrow::is_floating(type->id())) return PlaceAmongFloats(number, type);
  if (arrow::is_decimal(type->id())) return PlaceAmongDecimals(number, type);
  return PlaceAmongIntegers(FloorToScale(number, 0), IsNegative(number.digits), type);
}

// ---- time
// ------------------------------------------------------------------------------------------------------

constexpr int64_t kNanosecondsPerDay = 86'400'000'000'000;

int64_t NanosecondsPer(TimeUnit::type unit) {
  switch (unit) {
    case TimeUnit::SECOND:
      return 1'000'000'000;
    case TimeUnit::MILLI:
      return 1'000'000;
    case TimeUnit::MICRO:
      return 1'000;
    case TimeUnit::NANO:
      return 1;
  }
  return 1;
}

// Which moments may be compared: dates with both kinds of timestamps.
enum class Clock { kDate, kNaive, kZoned, kTimeOfDay, kDuration, kNone };

Clock ClockOf(const DataType& type) {
  switch (type.id()) {
    case Type::DATE32:
    case Type::DATE64:
      return Clock::kDate;
    case Type::TIMESTAMP:
      return checked_cast<const arrow::TimestampType&>(type).timezone().empty() ? Clock::kNaive
                                                                                : Clock::kZoned;
    case Type::TIME32:
    case Type::TIME64:
      return Clock::kTimeOfDay;
    case Type::DURATION:
      return Clock::kDuration;
    default:
      return Clock::kNone;
  }
}

// Length of one step of the type. A date64 is stored in milliseconds, and compared so by Arrow.
int64_t NanosecondsPerTick(const DataType& type) {
  switch (type.id()) {
    case Type::DATE32:
      return kNanosecondsPerDay;
    case Type::DATE64:
      return 1'000'000;
    case Type::TIMESTAMP:
      return NanosecondsPer(checked_cast<const arrow::TimestampType&>(type).unit());
    case Type::TIME32:
    case Type::TIME64:
      return NanosecondsPer(checked_cast<const arrow::TimeType&>(type).unit());
    case Type::DURATION:
      return NanosecondsPer(checked_cast<const arrow::DurationType&>(type).unit());
    default:
      return 1;
  }
}

int64_t TicksOf(const Scalar& scalar) {
  switch (scalar.type->id()) {
    case Type::DATE32:
      return checked_cast<const arrow::Date32Scalar&>(scalar).value;
    case Type::DATE64:
      return checked_cast<const arrow::Date64Scalar&>(scalar).value;
    case Type::TIME32:
      return checked_cast<const arrow::Time32Scalar&>(scalar).value;
    case Type::TIME64:
      return checked_cast<const arrow::Time64Scalar&>(scalar).value;
    case Type::DURATION:
      return checked_cast<const arrow::DurationScalar&>(scalar).value;
    default:
      return checked_cast<const arrow::TimestampScalar&>(scalar).value;
  }
}

std::shared_ptr<Scalar> MomentOf(const TypePointer& type, int64_t ticks) {
  switch (type->id()) {
    case Type::DATE32:
      return std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(ticks));
    case Type::DATE64:
      return std::make_shared<arrow::Date64Scalar>(ticks);
    case Type::TIME32:
      return std::make_shared<arrow::Time32Scalar>(static_cast<int32_t>(ticks), type);
    case Type::TIME64:
      return std::make_shared<arrow::Time64Scalar>(ticks, type);
    case Type::DURATION:
      return std::make_shared<arrow::DurationScalar>(ticks, type);
    default:
      return std::make_shared<arrow::TimestampScalar>(ticks, type);
  }
}

bool Is32Bit(const DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::TIME32;
}

Result<PlacedLiteral> PlaceMoment(const Scalar& literal, const TypePointer& type) {
  Clock from = ClockOf(*literal.type);
  Clock to = ClockOf(*type);
  if ((from == Clock::kNaive && to == Clock::kZoned) ||
      (from == Clock::kZoned && to == Clock::kNaive)) {
    // The literal as it would be written with a zone, or without one.
    const auto unit = checked_cast<const arrow::TimestampType&>(*literal.type).unit();
    std::string text = arrow::TimestampScalar(TicksOf(literal), arrow::timestamp(unit)).ToString();
    std::replace(text.begin(), text.end(), ' ', 'T');
    if (to == Clock::kNaive) {
      return Status::TypeError(
          "one has a time zone and the other has none; write the literal without Z or offset, as "
          "timestamp '",
          text, "'");
    }
    return Status::TypeError(
        "one has a time zone and the other has none; write the literal with one, as timestamp '",
        text, "Z' (UTC) or '", text, "+02:00'");
  }
  bool calendar = from <= Clock::kZoned && to <= Clock::kZoned;
  if (!calendar && (from != to || from == Clock::kNone)) return NotComparable(*literal.type, *type);
  Int128 nanoseconds = static_cast<Int128>(TicksOf(literal)) * NanosecondsPerTick(*literal.type);
  Int128 tick = NanosecondsPerTick(*type);
  Int128 ticks = nanoseconds / tick;
  if (ticks * tick > nanoseconds) --ticks;
  bool exact = ticks * tick == nanoseconds;
  Int128 least =
      Is32Bit(*type) ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  Int128 greatest =
      Is32Bit(*type) ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  if (ticks < least) return Below();
  if (ticks > greatest || (!exact && ticks == greatest)) return Above();
  return PlacedLiteral{exact ? Position::kExact : Position::kBetween,
                       MomentOf(type, static_cast<int64_t>(ticks))};
}

TimeUnit::type UnitForFraction(size_t digits) {
  if (digits == 0) return TimeUnit::SECOND;
  if (digits <= 3) return TimeUnit::MILLI;
  return digits <= 6 ? TimeUnit::MICRO : TimeUnit::NANO;
}

size_t FractionDigits(std::string_view text) {
  size_t point = text.find('.');
  if (point == std::string_view::npos) return 0;
  size_t end = point + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end - point - 1;
}

std::string_view TextOf(const Scalar& scalar) {
  return checked_cast<const arrow::BaseBinaryScalar&>(scalar).view();
}

Result<std::shared_ptr<Scalar>> ParseFor(const DataType& type, std::string_view text) {
  switch (ClockOf(type)) {
    case Clock::kTimeOfDay:
      return ParseTime(text);
    case Clock::kDuration:
      return Status::TypeError("there is no way to write a duration as text");
    default:
      return ParseDateOrTimestamp(text);
  }
}

bool IsText(Type::type id) {
  return arrow::is_base_binary_like(id) || arrow::is_binary_view_like(id);
}

Result<PlacedLiteral> PlaceText(const Scalar& literal, const TypePointer& type) {
  auto buffer = checked_cast<const arrow::BaseBinaryScalar&>(literal).value;
  if (type->id() == Type::FIXED_SIZE_BINARY) {
    if (buffer->size() != checked_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width()) {
      return NotComparable(*literal.type, *type);
    }
    return PlacedLiteral{Position::kExact,
                         std::make_shared<arrow::FixedSizeBinaryScalar>(buffer, type)};
  }
  ARROW_ASSIGN_OR_RAISE(auto value, arrow::MakeScalar(type, buffer));
  return PlacedLiteral{Position::kExact, std::move(value)};
}

}  // namespace

Result<PlacedLiteral> PlaceLiteral(const Scalar& literal, const TypePointer& type) {
  Type::type from = literal.type->id();
  Type::type to = type->id();
  auto is_number = [](Type::type id) {
    return arrow::is_integer(id) || arrow::is_floating(id) || arrow::is_decimal(id);
  };
  if (is_number(from) && is_number(to)) return PlaceNumber(literal, type);
  if (from == Type::BOOL && to == Type::BOOL) {
    return PlacedLiteral{
        Position::kExact,
        arrow::MakeScalar(checked_cast<const arrow::BooleanScalar&>(literal).value)};
  }
  bool from_text = IsText(from) || from == Type::FIXED_SIZE_BINARY;
  if (from_text && (IsText(to) || to == Type::FIXED_SIZE_BINARY)) return PlaceText(literal, type);
  if (ClockOf(*type) != Clock::kNone) {
    if (arrow::is_string(from) || from == Type::STRING_VIEW) {
      ARROW_ASSIGN_OR_RAISE(auto parsed, ParseFor(*type, TextOf(literal)));
      return PlaceMoment(*parsed, type);
    }
    return PlaceMoment(literal, type);
  }
  if (literal.type->Equals(*type)) return PlacedLiteral{Position::kExact, literal.GetSharedPtr()};
  return NotComparable(*literal.type, *type);
}

std::shared_ptr<Scalar> GreatestValue(const TypePointer& type) {
  switch (type->id()) {
    case Type::FLOAT:
      return std::make_shared<arrow::FloatScalar>(std::numeric_limits<float>::infinity());
    case Type::DOUBLE:
      return std::make_shared<arrow::DoubleScalar>(std::numeric_limits<double>::infinity());
    default:
      break;
  }
  if (arrow::is_integer(type->id())) return IntegerOf(type, LowWord(RangeOf(type->id()).greatest));
  if (arrow::is_decimal(type->id())) {
    int32_t precision = checked_cast<const arrow::DecimalType&>(*type).precision();
    Decimal256 greatest(Decimal256::GetScaleMultiplier(precision));
    greatest -= Decimal256(1);
    return DecimalOf(type, greatest);
  }
  return MomentOf(type, Is32Bit(*type) ? std::numeric_limits<int32_t>::max()
                                       : std::numeric_limits<int64_t>::max());
}

Result<std::shared_ptr<Scalar>> ParseDateOrTimestamp(std::string_view text) {
  int32_t days = 0;
  if (arrow::internal::ParseValue<arrow::Date32Type>(text.data(), text.size(), &days)) {
    return std::make_shared<arrow::Date32Scalar>(days);
  }
  TimeUnit::type unit = UnitForFraction(FractionDigits(text));
  int64_t ticks = 0;
  bool zoned = false;
  if (!arrow::internal::ParseTimestampISO8601(text.data(), text.size(), unit, &ticks, &zoned)) {
    return Status::Invalid(
        "'", text,
        "' is no date (2024-01-31) and no timestamp (2024-01-31T10:00:00, with Z or +02:00 ",
        "for a zoned one)");
  }
  return std::make_shared<arrow::TimestampScalar>(ticks,
                                                  arrow::timestamp(unit, zoned ? "UTC" : ""));
}

Result<std::shared_ptr<Scalar>> ParseTime(std::string_view text) {
  TimeUnit::type unit = UnitForFraction(FractionDigits(text));
  bool coarse = unit == TimeUnit::SECOND || unit == TimeUnit::MILLI;
  auto type = coarse ? arrow::time32(unit) : arrow::time64(unit);
  auto parsed = Scalar::Parse(type, text);
  if (!parsed.ok()) return Status::Invalid("'", text, "' is no time of day (10:30:00)");
  return parsed;
}

}  // namespace shoal::expression
