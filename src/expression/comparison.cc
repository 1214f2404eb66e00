#include "expression/comparison.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <arrow/compute/cast.h>
#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include "expression/conjuncts.h"
#include "expression/literal_conversion.h"

namespace shoal::expression {
namespace {

using arrow::DataType;
using arrow::Result;
using arrow::Scalar;
using arrow::Status;
using arrow::Type;
using arrow::TypeHolder;
using arrow::compute::call;
using arrow::compute::literal;
using arrow::internal::checked_cast;
using TypePointer = std::shared_ptr<DataType>;

bool IsString(Type::type id) { return arrow::is_string(id) || id == Type::STRING_VIEW; }
bool IsText(Type::type id) {
  return arrow::is_base_binary_like(id) || arrow::is_binary_view_like(id) ||
         id == Type::FIXED_SIZE_BINARY;
}
bool IsNumber(Type::type id) {
  return arrow::is_integer(id) || arrow::is_floating(id) || arrow::is_decimal(id);
}
bool IsCalendar(Type::type id) {
  return id == Type::DATE32 || id == Type::DATE64 || id == Type::TIMESTAMP;
}
bool IsTimeOfDay(Type::type id) { return id == Type::TIME32 || id == Type::TIME64; }

const std::string& Flipped(const std::string& function) {
  static const std::map<std::string, std::string> flipped = {
      {"equal", "equal"},  {"not_equal", "not_equal"},      {"less", "greater"},
      {"greater", "less"}, {"less_equal", "greater_equal"}, {"greater_equal", "less_equal"}};
  return flipped.at(function);
}

Typed Call(const std::string& function, const Typed& left, const Typed& right) {
  return {call(function, {left.expression, right.expression}), arrow::boolean()};
}

// False where the operand is valid, null where it is null. For floats: a NaN is not greater than
// infinity.
Typed Never(const Typed& operand) {
  return Call("greater", operand, TypedLiteral(GreatestValue(operand.type)));
}

// True where the operand is valid, null where it is null. For floats: all values, NaN too, differ
// from NaN.
Typed Always(const Typed& operand) {
  if (operand.type->id() == Type::FLOAT) {
    return Call("not_equal", operand,
                TypedLiteral(
                    std::make_shared<arrow::FloatScalar>(std::numeric_limits<float>::quiet_NaN())));
  }
  if (operand.type->id() == Type::DOUBLE) {
    return Call("not_equal", operand,
                TypedLiteral(std::make_shared<arrow::DoubleScalar>(
                    std::numeric_limits<double>::quiet_NaN())));
  }
  return Call("less_equal", operand, TypedLiteral(GreatestValue(operand.type)));
}

Typed CompareWithPlaced(const std::string& function, const Typed& left,
                        const PlacedLiteral& placed) {
  bool not_equal = function == "not_equal";
  bool less = function == "less" || function == "less_equal";
  bool greater = function == "greater" || function == "greater_equal";
  switch (placed.position) {
    case Position::kExact:
      return Call(function, left, TypedLiteral(placed.value));
    case Position::kBetween:
      // left < literal exactly if left <= the greatest value below it.
      if (less) return Call("less_equal", left, TypedLiteral(placed.value));
      if (greater) return Call("greater", left, TypedLiteral(placed.value));
      break;
    case Position::kBelow:
      if (greater) return Always(left);
      break;
    case Position::kAbove:
      if (less) return Always(left);
      break;
    case Position::kUnordered:
      break;
  }
  return not_equal ? Always(left) : Never(left);
}

Status NotComparable(const Typed& left, const Typed& right, const std::string& reason = "") {
  return Status::TypeError(Describe(left), " can't be compared with ", Describe(right),
                           reason.empty() ? "" : ": ", reason);
}

// ---- two columns
// -----------------------------------------------------------------------------------------------

int32_t DigitsOf(const DataType& type) {
  switch (type.id()) {
    case Type::INT8:
    case Type::UINT8:
      return 3;
    case Type::INT16:
    case Type::UINT16:
      return 5;
    case Type::INT32:
    case Type::UINT32:
      return 10;
    case Type::INT64:
      return 19;
    default:
      return 20;
  }
}

// The decimal type that holds all values of both; nullptr: there is none.
TypePointer CommonDecimal(const DataType& left, const DataType& right) {
  auto whole_and_scale = [](const DataType& type) -> std::pair<int32_t, int32_t> {
    if (!arrow::is_decimal(type.id())) return {DigitsOf(type), 0};
    const auto& decimal = checked_cast<const arrow::DecimalType&>(type);
    return {decimal.precision() - decimal.scale(), decimal.scale()};
  };
  auto [left_whole, left_scale] = whole_and_scale(left);
  auto [right_whole, right_scale] = whole_and_scale(right);
  int32_t scale = std::max(left_scale, right_scale);
  int32_t precision = std::max(left_whole, right_whole) + scale;
  if (precision <= 0) precision = 1;
  if (precision <= arrow::Decimal128Type::kMaxPrecision) return arrow::decimal128(precision, scale);
  if (precision <= arrow::Decimal256Type::kMaxPrecision) return arrow::decimal256(precision, scale);
  return nullptr;
}

bool Is64BitInteger(Type::type id) { return id == Type::INT64 || id == Type::UINT64; }

// A 64-bit integer against a float. Rounding an integer to a double keeps the order, so it decides
// unless both are equal as doubles; then the double is whole, and the two are compared as integers.
Typed CompareIntegerWithFloat(const std::string& function, const Typed& integer, Typed floating) {
  if (floating.type->id() != Type::DOUBLE) floating = CastTo(std::move(floating), arrow::float64());
  auto rounding = arrow::compute::CastOptions::Unsafe(arrow::float64());
  Typed rounded{call("cast", {integer.expression}, rounding), arrow::float64()};
  auto truncating = arrow::compute::CastOptions::Unsafe(integer.type);
  Typed whole{call("cast", {floating.expression}, truncating), integer.type};
  // 2^63 and 2^64 round up to from below, but are no integers of the type: all integers are less.
  double limit = integer.type->id() == Type::INT64 ? 0x1p63 : 0x1p64;
  Typed as_doubles = Call(function, rounded, floating);
  Typed limit_literal = TypedLiteral(std::make_shared<arrow::DoubleScalar>(limit));
  bool true_for_less = function == "less" || function == "less_equal" || function == "not_equal";
  auto at_limit =
      call("if_else", {Call("equal", floating, limit_literal).expression, literal(true_for_less),
                       Call(function, integer, whole).expression});
  auto equal = Call("equal", rounded, floating).expression;

  return {call("if_else", {equal, at_limit, as_doubles.expression}), arrow::boolean()};
}

Result<Typed> CompareNumbers(const std::string& function, Typed left, Typed right) {
  Type::type left_id = left.type->id();
  Type::type right_id = right.type->id();
  bool left_float = arrow::is_floating(left_id);
  bool right_float = arrow::is_floating(right_id);
  if (left_float || right_float) {
    if (Is64BitInteger(left_id)) return CompareIntegerWithFloat(function, left, std::move(right));
    if (Is64BitInteger(right_id))
      return CompareIntegerWithFloat(Flipped(function), right, std::move(left));
    auto wide = arrow::float64();
    return Call(function, CastTo(std::move(left), wide), CastTo(std::move(right), wide));
  }
  bool decimals = arrow::is_decimal(left_id) || arrow::is_decimal(right_id);
  bool signs_differ = arrow::is_signed_integer(left_id) != arrow::is_signed_integer(right_id);
  bool beyond_int64 = signs_differ && (left_id == Type::UINT64 || right_id == Type::UINT64);
  if (!decimals && !beyond_int64) return Call(function, left, right);
  TypePointer common = CommonDecimal(*left.type, *right.type);
  if (!common) return NotComparable(left, right, "more than 76 digits would be needed");
  return Call(function, CastTo(std::move(left), common), CastTo(std::move(right), common));
}

// A moment as a decimal count of nanoseconds, which can't overflow.
Typed Nanoseconds(Typed moment) {
  int64_t factor = 1;
  auto of_unit = [](arrow::TimeUnit::type unit) -> int64_t {
    switch (unit) {
      case arrow::TimeUnit::SECOND:
        return 1'000'000'000;
      case arrow::TimeUnit::MILLI:
        return 1'000'000;
      case arrow::TimeUnit::MICRO:
        return 1'000;
      default:
        return 1;
    }
  };
  bool narrow = false;
  switch (moment.type->id()) {
    case Type::DATE32:
      factor = 86'400'000'000'000;
      narrow = true;
      break;
    case Type::DATE64:
      factor = 1'000'000;
      break;
    case Type::TIMESTAMP:
      factor = of_unit(checked_cast<const arrow::TimestampType&>(*moment.type).unit());
      break;
    case Type::DURATION:
      factor = of_unit(checked_cast<const arrow::DurationType&>(*moment.type).unit());
      break;
    default:
      factor = of_unit(checked_cast<const arrow::TimeType&>(*moment.type).unit());
      narrow = moment.type->id() == Type::TIME32;
      break;
  }
  if (narrow) moment = CastTo(std::move(moment), arrow::int32());
  moment = CastTo(std::move(moment), arrow::int64());
  moment = CastTo(std::move(moment), arrow::decimal128(19, 0));
  auto multiplier = std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(factor),
                                                              arrow::decimal128(15, 0));
  return {call("multiply", {moment.expression, literal(arrow::Datum(multiplier))}),
          arrow::decimal128(35, 0)};
}

bool IsZoned(const DataType& type) {
  return type.id() == Type::TIMESTAMP &&
         !checked_cast<const arrow::TimestampType&>(type).timezone().empty();
}

Result<Typed> CompareMoments(const std::string& function, Typed left, Typed right) {
  Type::type left_id = left.type->id();
  Type::type right_id = right.type->id();
  if (left_id == Type::TIMESTAMP && right_id == Type::TIMESTAMP) {
    if (IsZoned(*left.type) != IsZoned(*right.type)) {
      return NotComparable(left, right,
                           "one has a time zone and the other has none; local_timestamp(x) is the "
                           "wall clock time of a zoned x");
    }
    if (checked_cast<const arrow::TimestampType&>(*left.type).unit() ==
        checked_cast<const arrow::TimestampType&>(*right.type).unit()) {
      return Call(function, left, right);
    }
  }
  return Call(function, Nanoseconds(std::move(left)), Nanoseconds(std::move(right)));
}

Result<Typed> CompareColumns(const std::string& function, Typed left, Typed right) {
  Type::type left_id = left.type->id();
  Type::type right_id = right.type->id();
  if (left.type->Equals(*right.type)) return Call(function, left, right);
  if (IsNumber(left_id) && IsNumber(right_id))
    return CompareNumbers(function, std::move(left), std::move(right));
  bool calendar = IsCalendar(left_id) && IsCalendar(right_id);
  bool times = IsTimeOfDay(left_id) && IsTimeOfDay(right_id);
  bool durations = left_id == Type::DURATION && right_id == Type::DURATION;
  if (calendar || times || durations)
    return CompareMoments(function, std::move(left), std::move(right));
  if (IsText(left_id) && IsText(right_id)) {
    auto fit = [](Typed operand) {
      if (operand.type->id() == Type::FIXED_SIZE_BINARY)
        return CastTo(std::move(operand), arrow::binary());
      return Plain(std::move(operand));
    };
    return Call(function, fit(std::move(left)), fit(std::move(right)));
  }
  return NotComparable(left, right);
}

}  // namespace

const Scalar* Typed::scalar() const {
  const arrow::Datum* datum = expression.literal();
  return datum != nullptr && datum->is_scalar() ? datum->scalar().get() : nullptr;
}

Typed TypedLiteral(std::shared_ptr<Scalar> scalar) {
  TypePointer type = scalar->type;
  return {literal(arrow::Datum(std::move(scalar))), std::move(type)};
}

Typed NullBoolean() { return TypedLiteral(arrow::MakeNullScalar(arrow::boolean())); }

Typed CastTo(Typed operand, const TypePointer& type) {
  if (operand.type->Equals(*type)) return operand;
  return {call("cast", {std::move(operand.expression)}, arrow::compute::CastOptions::Safe(type)),
          type};
}

Typed Decoded(Typed operand) {
  while (true) {
    if (operand.type->id() == Type::DICTIONARY) {
      TypePointer values = checked_cast<const arrow::DictionaryType&>(*operand.type).value_type();
      // A dictionary of views can't be cast to its values' type.
      if (values->id() == Type::STRING_VIEW) values = arrow::utf8();
      if (values->id() == Type::BINARY_VIEW) values = arrow::binary();
      operand = CastTo(std::move(operand), values);
    } else if (operand.type->id() == Type::EXTENSION) {
      operand = CastTo(std::move(operand),
                       checked_cast<const arrow::ExtensionType&>(*operand.type).storage_type());
    } else {
      return operand;
    }
  }
}

Typed Plain(Typed operand) {
  operand = Decoded(std::move(operand));
  switch (operand.type->id()) {
    case Type::STRING_VIEW:
      return CastTo(std::move(operand), arrow::utf8());
    case Type::BINARY_VIEW:
      return CastTo(std::move(operand), arrow::binary());
    case Type::HALF_FLOAT:
      return CastTo(std::move(operand), arrow::float32());
    case Type::DECIMAL32:
    case Type::DECIMAL64: {
      const auto& decimal = checked_cast<const arrow::DecimalType&>(*operand.type);
      return CastTo(std::move(operand), arrow::decimal128(decimal.precision(), decimal.scale()));
    }
    default:
      return operand;
  }
}

bool IsComparison(const std::string& function) {
  return function == "equal" || function == "not_equal" || function == "less" ||
         function == "less_equal" || function == "greater" || function == "greater_equal";
}

Result<Typed> ReadyToCompare(Typed operand, const DataType& literal_type) {
  operand = Decoded(std::move(operand));
  if (operand.type->id() == Type::HALF_FLOAT) return CastTo(std::move(operand), arrow::float32());
  if (IsString(operand.type->id()) && IsNumber(literal_type.id())) {
    // Exact for up to 38 digits on either side of the point; a double literal is compared as
    // doubles are.
    if (arrow::is_floating(literal_type.id())) return CastTo(std::move(operand), arrow::float64());
    return CastTo(std::move(operand), arrow::decimal256(76, 38));
  }
  return operand;
}

Result<Typed> Compare(const std::string& function, Typed left, Typed right) {
  if (left.scalar() != nullptr && right.scalar() == nullptr) {
    return Compare(Flipped(function), std::move(right), std::move(left));
  }
  const Scalar* scalar = right.scalar();
  if (left.type->id() == Type::NA || right.type->id() == Type::NA ||
      (scalar != nullptr && !scalar->is_valid) ||
      (left.scalar() != nullptr && !left.scalar()->is_valid)) {
    return NullBoolean();
  }
  if (scalar == nullptr) {
    Typed plain_left = Decoded(left);
    Typed plain_right = Decoded(right);
    if (plain_left.type->id() == Type::HALF_FLOAT)
      plain_left = CastTo(std::move(plain_left), arrow::float32());
    if (plain_right.type->id() == Type::HALF_FLOAT)
      plain_right = CastTo(std::move(plain_right), arrow::float32());
    return CompareColumns(function, std::move(plain_left), std::move(plain_right));
  }
  ARROW_ASSIGN_OR_RAISE(Typed operand, ReadyToCompare(left, *right.type));
  if (operand.type->id() == Type::FIXED_SIZE_BINARY && IsText(right.type->id()) &&
      !operand.type->Equals(*right.type)) {
    operand = CastTo(std::move(operand), arrow::binary());
  }
  auto placed = PlaceLiteral(*scalar, operand.type);
  if (!placed.ok()) {
    return placed.status().WithMessage(Describe(left), " can't be compared with ", Describe(right),
                                       ": ", placed.status().message());
  }
  return CompareWithPlaced(function, operand, *placed);
}

std::string Describe(const Typed& operand) {
  return "`" + ToText(operand.expression) + "` (" + operand.type->ToString() + ")";
}

}  // namespace shoal::expression
