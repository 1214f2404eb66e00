#include "plain_comparison.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/type_traits.h>

namespace shoal::oracle {
namespace {

using arrow::Result;
using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;
__extension__ using Int128 = __int128;
static_assert(sizeof(long double) > sizeof(double),
              "the oracle compares 64-bit integers with doubles as long doubles, which hold both");

bool IsText(Type::type id) {
  return arrow::is_base_binary_like(id) || id == Type::FIXED_SIZE_BINARY;
}
bool IsMoment(Type::type id) {
  return arrow::is_date(id) || id == Type::TIMESTAMP || arrow::is_time(id) || id == Type::DURATION;
}

template <typename T>
bool Holds(const std::string& function, T a, T b) {
  if (function == "equal") return a == b;
  if (function == "not_equal") return a != b;
  if (function == "less") return a < b;
  if (function == "less_equal") return a <= b;
  if (function == "greater") return a > b;
  return a >= b;
}

template <typename T>
using Values = std::vector<std::optional<T>>;

template <typename T>
Result<ArrayPtr> CompareRows(const std::string& function, const Values<T>& left,
                             const Values<T>& right) {
  arrow::BooleanBuilder builder;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] && right[i]) {
      ARROW_RETURN_NOT_OK(builder.Append(Holds(function, *left[i], *right[i])));
    } else {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
    }
  }
  return builder.Finish();
}

Result<ArrayPtr> CastTo(const ArrayPtr& values, const std::shared_ptr<arrow::DataType>& type) {
  return arrow::compute::Cast(*values, type);
}

template <typename ArrayType, typename T>
Values<T> Take(const arrow::Array& array, T factor = 1) {
  const auto& typed = static_cast<const ArrayType&>(array);
  Values<T> out(array.length());
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) out[i] = static_cast<T>(typed.Value(i)) * factor;
  }
  return out;
}

Result<Values<long double>> Numbers(const ArrayPtr& array) {
  if (array->type_id() == Type::UINT64) return Take<arrow::UInt64Array, long double>(*array);
  if (arrow::is_integer(array->type_id())) {
    ARROW_ASSIGN_OR_RAISE(auto wide, CastTo(array, arrow::int64()));
    return Take<arrow::Int64Array, long double>(*wide);
  }
  // Decimals meet floats as doubles.
  ARROW_ASSIGN_OR_RAISE(auto wide, CastTo(array, arrow::float64()));
  return Take<arrow::DoubleArray, long double>(*wide);
}

Int128 NanosecondsIn(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1000000000;
    case arrow::TimeUnit::MILLI:
      return 1000000;
    case arrow::TimeUnit::MICRO:
      return 1000;
    default:
      return 1;
  }
}

Result<Values<Int128>> Nanoseconds(const ArrayPtr& array) {
  const auto& type = *array->type();
  switch (type.id()) {
    case Type::DATE32:
      return Take<arrow::Date32Array, Int128>(*array, Int128{86400} * 1000000000);
    case Type::DATE64:
      return Take<arrow::Date64Array, Int128>(*array, 1000000);
    case Type::TIMESTAMP:
      return Take<arrow::TimestampArray, Int128>(
          *array, NanosecondsIn(static_cast<const arrow::TimestampType&>(type).unit()));
    case Type::DURATION:
      return Take<arrow::DurationArray, Int128>(
          *array, NanosecondsIn(static_cast<const arrow::DurationType&>(type).unit()));
    case Type::TIME32:
      return Take<arrow::Time32Array, Int128>(
          *array, NanosecondsIn(static_cast<const arrow::TimeType&>(type).unit()));
    case Type::TIME64:
      return Take<arrow::Time64Array, Int128>(
          *array, NanosecondsIn(static_cast<const arrow::TimeType&>(type).unit()));
    default:
      return arrow::Status::TypeError(type, " is no moment");
  }
}

Result<ArrayPtr> Kernel(const std::string& function, const ArrayPtr& left, const ArrayPtr& right) {
  ARROW_ASSIGN_OR_RAISE(auto result, arrow::compute::CallFunction(function, {left, right}));
  return result.make_array();
}

// Integers and decimals, in a decimal type that holds both.
Result<ArrayPtr> WideDecimal(const ArrayPtr& array, int32_t scale) {
  ARROW_ASSIGN_OR_RAISE(auto decimal, arrow::is_integer(array->type_id())
                                          ? CastTo(array, arrow::decimal256(20, 0))
                                          : Result<ArrayPtr>(array));
  return CastTo(decimal, arrow::decimal256(76, scale));
}

int32_t ScaleOf(const arrow::DataType& type) {
  return arrow::is_decimal(type.id()) ? static_cast<const arrow::DecimalType&>(type).scale() : 0;
}

}  // namespace

Result<ArrayPtr> ComparePlainly(const std::string& function, const ArrayPtr& left,
                                const ArrayPtr& right) {
  const auto a = left->type_id(), b = right->type_id();
  if (a == Type::NA || b == Type::NA) {
    return arrow::MakeArrayOfNull(arrow::boolean(), left->length());
  }
  if (left->type()->Equals(*right->type())) return Kernel(function, left, right);
  if (IsText(a) && IsText(b)) {
    ARROW_ASSIGN_OR_RAISE(auto x, CastTo(left, arrow::large_binary()));
    ARROW_ASSIGN_OR_RAISE(auto y, CastTo(right, arrow::large_binary()));
    return Kernel(function, x, y);
  }
  // Text beside a moment is read as one.
  if (IsText(a) && IsMoment(b)) {
    ARROW_ASSIGN_OR_RAISE(auto x, CastTo(left, right->type()));
    return Kernel(function, x, right);
  }
  if (IsMoment(a) && IsText(b)) {
    ARROW_ASSIGN_OR_RAISE(auto y, CastTo(right, left->type()));
    return Kernel(function, left, y);
  }
  if (IsMoment(a) && IsMoment(b)) {
    ARROW_ASSIGN_OR_RAISE(auto x, Nanoseconds(left));
    ARROW_ASSIGN_OR_RAISE(auto y, Nanoseconds(right));
    return CompareRows(function, x, y);
  }
  if (arrow::is_floating(a) || arrow::is_floating(b)) {
    ARROW_ASSIGN_OR_RAISE(auto x, Numbers(left));
    ARROW_ASSIGN_OR_RAISE(auto y, Numbers(right));
    return CompareRows(function, x, y);
  }
  const int32_t scale = std::max(ScaleOf(*left->type()), ScaleOf(*right->type()));
  ARROW_ASSIGN_OR_RAISE(auto x, WideDecimal(left, scale));
  ARROW_ASSIGN_OR_RAISE(auto y, WideDecimal(right, scale));
  return Kernel(function, x, y);
}

}  // namespace shoal::oracle
