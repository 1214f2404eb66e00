#include "schema/cast.h"

#include <bit>
#include <limits>

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "schema/merge.h"

namespace shoal::schema {

using arrow::Array;
using arrow::DataType;
using arrow::Result;
using arrow::Status;
using arrow::Type;

namespace {

// Whether Arrow's safe cast may still give another value: it checks integers, not these.
bool MayAlter(const DataType& from, const DataType& to) {
  if (to.id() == Type::BOOL) return arrow::is_integer(from.id()) || arrow::is_floating(from.id());
  if (from.id() == Type::TIMESTAMP || from.id() == Type::DATE64)
    return to.id() == Type::DATE32 || to.id() == Type::DATE64;
  if (arrow::is_decimal(from.id()) && arrow::is_floating(to.id())) return true;
  if (arrow::is_floating(from.id()) && arrow::is_decimal(to.id())) return true;
  return arrow::is_floating(from.id()) && arrow::is_floating(to.id()) &&
         arrow::bit_width(to.id()) < arrow::bit_width(from.id());
}

// Arrow casts integers to decimals that hold all of the type's values, not just those at hand. This
// is the one that does, on the way to `to`; nullptr: `to` itself is one, or none is needed.
std::shared_ptr<DataType> DecimalOfAll(Type::type integer, const DataType& to) {
  if (to.id() != Type::DECIMAL128 && to.id() != Type::DECIMAL256) return nullptr;
  const auto digits = arrow::MaxDecimalDigitsForInteger(integer);
  if (!digits.ok()) return nullptr;
  const auto& decimal = static_cast<const arrow::DecimalType&>(to);
  const int32_t precision = *digits + decimal.scale();
  if (precision <= decimal.precision() || precision > arrow::Decimal256Type::kMaxPrecision) {
    return nullptr;
  }
  return precision <= arrow::Decimal128Type::kMaxPrecision
             ? arrow::decimal128(precision, decimal.scale())
             : arrow::decimal256(precision, decimal.scale());
}

// Arrow's safe cast refuses integers beyond those up to which a float holds all. Some beyond are
// held as well: those whose binary digits, without the zeros at the end, are not too many. Tells
// the first that is not, or the length.
template <typename IntegerType>
int64_t FirstInexact(const Array& array, int digits) {
  const auto& values = static_cast<const arrow::NumericArray<IntegerType>&>(array);
  for (int64_t i = 0; i < array.length(); ++i) {
    if (values.IsNull(i)) continue;
    const auto value = values.Value(i);
    const auto size =
        value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    const int used = static_cast<int>(std::bit_width(size)) - std::countr_zero(size);
    if (size != 0 && used > digits) return i;
  }
  return array.length();
}

Result<std::shared_ptr<Array>> CastIntegersToFloats(const Array& array,
                                                    const std::shared_ptr<DataType>& type,
                                                    arrow::compute::ExecContext* context) {
  auto options = arrow::compute::CastOptions::Safe();
  auto cast = arrow::compute::Cast(array, type, options, context);
  if (cast.ok()) return cast;
  const int digits = type->id() == Type::DOUBLE ? std::numeric_limits<double>::digits
                                                : std::numeric_limits<float>::digits;
  int64_t inexact = 0;
  switch (array.type_id()) {
    case Type::INT32:
      inexact = FirstInexact<arrow::Int32Type>(array, digits);
      break;
    case Type::UINT32:
      inexact = FirstInexact<arrow::UInt32Type>(array, digits);
      break;
    case Type::INT64:
      inexact = FirstInexact<arrow::Int64Type>(array, digits);
      break;
    case Type::UINT64:
      inexact = FirstInexact<arrow::UInt64Type>(array, digits);
      break;
    default:
      return cast;  // no float is too small for them
  }
  if (inexact < array.length()) {
    ARROW_ASSIGN_OR_RAISE(auto value, array.GetScalar(inexact));
    return Status::Invalid("the value ", value->ToString(), " is no ", type->ToString());
  }
  options.allow_float_truncate = true;
  return arrow::compute::Cast(array, type, options, context);
}

}  // namespace

bool ZonesAgree(const DataType& a, const DataType& b) {
  if (a.id() != Type::TIMESTAMP || b.id() != Type::TIMESTAMP) return true;
  return static_cast<const arrow::TimestampType&>(a).timezone().empty() ==
         static_cast<const arrow::TimestampType&>(b).timezone().empty();
}

bool MayCast(const std::shared_ptr<DataType>& from, const std::shared_ptr<DataType>& to,
             CastPolicy policy) {
  auto merged = MergeTypes(to, from);
  if (merged.ok() && (*merged)->Equals(*to)) return true;
  if (policy == CastPolicy::kPermissive) {
    // A third file may have made the digits fewer than this one's type could need.
    if (arrow::is_integer(from->id()) && arrow::is_decimal(to->id())) return true;
    merged = MergeTypes(to, from, Promote::kPermissive);
    return merged.ok() && (*merged)->Equals(*to);
  }
  // The day would be lost.
  if (from->id() == Type::TIMESTAMP && arrow::is_time(to->id())) return false;
  return policy == CastPolicy::kChecked && ZonesAgree(*from, *to) &&
         arrow::compute::CanCast(*from, *to);
}

Result<std::shared_ptr<Array>> CastArray(const Array& array, const std::shared_ptr<DataType>& type,
                                         arrow::MemoryPool* pool) {
  arrow::compute::ExecContext context(pool);
  const auto options = arrow::compute::CastOptions::Safe();
  if (array.type_id() == Type::DICTIONARY && type->id() != Type::DICTIONARY) {
    const auto& values = static_cast<const arrow::DictionaryType&>(*array.type()).value_type();
    if (!values->Equals(*type)) {
      ARROW_ASSIGN_OR_RAISE(auto decoded, arrow::compute::Cast(array, values, options, &context));
      return CastArray(*decoded, type, pool);
    }
  }
  if (auto wide = DecimalOfAll(array.type_id(), *type)) {
    ARROW_ASSIGN_OR_RAISE(auto wider, arrow::compute::Cast(array, wide, options, &context));
    return arrow::compute::Cast(*wider, type, options, &context);
  }
  if (arrow::is_integer(array.type_id()) &&
      (type->id() == Type::FLOAT || type->id() == Type::DOUBLE)) {
    return CastIntegersToFloats(array, type, &context);
  }
  ARROW_ASSIGN_OR_RAISE(auto result, arrow::compute::Cast(array, type, options, &context));
  if (!MayAlter(*array.type(), *type)) return result;
  ARROW_ASSIGN_OR_RAISE(auto back, arrow::compute::Cast(*result, array.type(), options, &context));
  const auto equal = arrow::EqualOptions::Defaults().nans_equal(true);
  if (array.Equals(*back, equal)) return result;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.RangeEquals(*back, i, i + 1, i, equal)) continue;
    ARROW_ASSIGN_OR_RAISE(auto value, array.GetScalar(i));
    return Status::Invalid("the value ", value->ToString(), " is no ", type->ToString());
  }
  return result;
}

}  // namespace shoal::schema
