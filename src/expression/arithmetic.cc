#include "expression/arithmetic.h"

#include <algorithm>
#include <set>
#include <utility>

#include <arrow/compute/cast.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include "expression/literal_conversion.h"

namespace shoal::expression {
namespace {

using arrow::Result;
using arrow::Scalar;
using arrow::Type;
using arrow::compute::call;
using arrow::internal::checked_cast;

// `add` of `add_checked`.
std::string Unchecked(const std::string& function) {
  constexpr std::string_view kChecked = "_checked";
  return function.ends_with(kChecked) ? function.substr(0, function.size() - kChecked.size())
                                      : function;
}

bool IsNumber(const Typed& argument) {
  const Type::type id = argument.type->id();
  return arrow::is_integer(id) || arrow::is_floating(id) || arrow::is_decimal(id);
}

// The literal in that type, if it is exact there or, of floats, nearest.
Result<Typed> PlacedIn(const Typed& argument, const std::shared_ptr<arrow::DataType>& type) {
  ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed, PlaceLiteral(*argument.scalar(), type));
  const bool near = placed.position == Position::kExact ||
                    (arrow::is_floating(type->id()) && placed.position == Position::kBetween);
  return near ? TypedLiteral(std::move(placed.value)) : CastTo(argument, type);
}

Result<Typed> AsInteger(Typed argument, const std::shared_ptr<arrow::DataType>& type) {
  return argument.scalar() != nullptr ? PlacedIn(argument, type)
                                      : CastTo(std::move(argument), type);
}

Result<Typed> AsDouble(Typed argument) {
  if (argument.scalar() != nullptr) return PlacedIn(argument, arrow::float64());
  if (!arrow::is_integer(argument.type->id())) return CastTo(std::move(argument), arrow::float64());
  // Rounded beyond 2^53, as doubles are.
  auto rounding = arrow::compute::CastOptions::Unsafe(arrow::float64());
  return Typed{call("cast", {std::move(argument.expression)}, std::move(rounding)),
               arrow::float64()};
}

Result<Typed> AsDecimal(Typed argument) {
  if (!arrow::is_integer(argument.type->id())) return argument;
  ARROW_ASSIGN_OR_RAISE(int32_t digits, arrow::MaxDecimalDigitsForInteger(argument.type->id()));
  if (argument.scalar() == nullptr)
    return CastTo(std::move(argument), arrow::decimal128(digits, 0));
  auto widest = arrow::decimal128(digits, 0);
  ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed, PlaceLiteral(*argument.scalar(), widest));
  const auto& value = checked_cast<const arrow::Decimal128Scalar&>(*placed.value).value;
  digits = 1;
  while (!value.FitsInPrecision(digits)) ++digits;
  return TypedLiteral(
      std::make_shared<arrow::Decimal128Scalar>(value, arrow::decimal128(digits, 0)));
}

// Arrow's quotient has a digit more after the point than the dividend has there and the divisor has
// in all, less the divisor's own after the point. Those are added to the dividend: then a quotient,
// which is cut, still compares rightly with any number of no more digits after the point than the
// dividend.
Result<Typed> AsDividend(Typed dividend, const arrow::DataType& divisor) {
  const int32_t scale = checked_cast<const arrow::DecimalType&>(divisor).scale();
  const auto& type = checked_cast<const arrow::DecimalType&>(*dividend.type);
  const int32_t precision = type.precision() + scale;
  if (scale <= 0 || precision > arrow::Decimal256Type::kMaxPrecision) return dividend;
  const bool wide =
      type.id() == Type::DECIMAL256 || precision > arrow::Decimal128Type::kMaxPrecision;
  auto scaled = wide ? arrow::decimal256(precision, type.scale() + scale)
                     : arrow::decimal128(precision, type.scale() + scale);
  if (dividend.scalar() == nullptr) return CastTo(std::move(dividend), scaled);
  // A quotient of literals is one, too.
  ARROW_ASSIGN_OR_RAISE(
      auto value, arrow::compute::Cast(arrow::Datum(dividend.scalar()->GetSharedPtr()), scaled));
  return TypedLiteral(value.scalar());
}

bool IsNegative(const Scalar& integer) {
  auto placed = PlaceLiteral(integer, arrow::uint64());
  return !placed.ok() || placed->position != Position::kExact;
}

}  // namespace

bool IsArithmetic(const std::string& function) {
  static const std::set<std::string> names = {"add",    "subtract", "multiply", "divide",
                                              "negate", "abs",      "power"};
  return names.count(Unchecked(function)) > 0;
}

Result<std::vector<Typed>> ReadyForArithmetic(const std::string& function,
                                              std::vector<Typed> arguments) {
  std::vector<Typed> ready;
  bool floats = false, decimals = false, uint64s = false, signs = false, others = false;
  for (const Typed& argument : arguments) {
    ready.push_back(Plain(argument));
    if (!IsNumber(ready.back())) return arguments;
    const Scalar* scalar = ready.back().scalar();
    if (scalar != nullptr && !scalar->is_valid) return arguments;
    const Type::type id = ready.back().type->id();
    floats = floats || arrow::is_floating(id);
    others = others || !arrow::is_floating(id);
    decimals = decimals || arrow::is_decimal(id);
    uint64s = uint64s || id == Type::UINT64;
    signs = signs || (scalar != nullptr && arrow::is_integer(id) ? IsNegative(*scalar)
                                                                 : arrow::is_signed_integer(id));
  }
  const std::string name = Unchecked(function);
  if (floats) {
    for (Typed& argument : ready) {
      if (others) {
        ARROW_ASSIGN_OR_RAISE(argument, AsDouble(std::move(argument)));
      }
    }
    return ready;
  }
  const bool exact = name == "add" || name == "subtract" || name == "multiply" || name == "negate";
  if (decimals && name == "power") return arguments;
  if (decimals || (uint64s && exact)) {
    for (Typed& argument : ready) {
      ARROW_ASSIGN_OR_RAISE(argument, AsDecimal(std::move(argument)));
    }
    if (name == "divide" && ready.size() == 2) {
      ARROW_ASSIGN_OR_RAISE(ready[0], AsDividend(std::move(ready[0]), *ready[1].type));
    }
    return ready;
  }
  for (Typed& argument : ready) {
    ARROW_ASSIGN_OR_RAISE(
        argument,
        AsInteger(std::move(argument), uint64s && !signs ? arrow::uint64() : arrow::int64()));
  }
  return ready;
}

}  // namespace shoal::expression
