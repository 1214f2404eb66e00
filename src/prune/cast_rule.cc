#include <arrow/compute/api.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "prune/rules.h"

namespace shoal::prune {
namespace {

using arrow::DataType;
using arrow::Type;

arrow::TimeUnit::type UnitOf(const DataType& type) {
  switch (type.id()) {
    case Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).unit();
    case Type::DURATION:
      return static_cast<const arrow::DurationType&>(type).unit();
    default:
      return static_cast<const arrow::TimeType&>(type).unit();
  }
}

bool IsZoned(const DataType& type) {
  return !static_cast<const arrow::TimestampType&>(type).timezone().empty();
}

bool IsUtcOrNaive(const DataType& type) {
  const std::string& zone = static_cast<const arrow::TimestampType&>(type).timezone();
  return zone.empty() || zone == "UTC";
}

// Strings and binaries whose order is that of their bytes, without padding.
bool IsBytes(Type::type id) {
  return arrow::is_base_binary_like(id) || id == Type::STRING_VIEW || id == Type::BINARY_VIEW;
}

}  // namespace

// `Safe` options make an
// impossible value an error, which the bounds then meet too; the options that let values wrap
// around break the order.
bool CastKeepsOrder(const DataType& from, const DataType& to,
                    const arrow::compute::CastOptions& options) {
  if (from.Equals(to)) return true;
  // Widening is exact; narrowing is exact or, unless wrapping is allowed, an error.
  if (arrow::is_integer(from.id()) && arrow::is_integer(to.id()))
    return !options.allow_int_overflow;
  // Rounding to the nearest keeps x <= y, though x < y may become x == y: rules compare cast
  // values, so that is fine.
  if (arrow::is_integer(from.id()) && (to.id() == Type::FLOAT || to.id() == Type::DOUBLE))
    return true;
  if (from.id() == Type::FLOAT && to.id() == Type::DOUBLE) return true;
  // Exact, or an error, unless digits may be cut.
  if ((arrow::is_integer(from.id()) || arrow::is_decimal(from.id())) &&
      arrow::is_decimal(to.id())) {
    return !options.allow_decimal_truncate && !options.allow_int_overflow;
  }
  // The same bytes.
  if (IsBytes(from.id()) && IsBytes(to.id())) return true;
  // A date is a point in time.
  if (from.id() == Type::DATE32 && (to.id() == Type::DATE64 || to.id() == Type::TIMESTAMP)) {
    return !options.allow_time_overflow && (to.id() == Type::DATE64 || IsUtcOrNaive(to));
  }
  if (from.id() == Type::DATE64 && to.id() == Type::TIMESTAMP) {
    return !options.allow_time_overflow && IsUtcOrNaive(to);
  }
  // The day of a point in time. Elsewhere than in UTC local days can run backwards when clocks are
  // set back.
  if (from.id() == Type::TIMESTAMP && to.id() == Type::DATE32) return IsUtcOrNaive(from);
  // Finer units are exact; coarser ones lose digits, which is an error for some rows and not for
  // others.
  if (from.id() == to.id() && (from.id() == Type::TIMESTAMP || from.id() == Type::DURATION)) {
    // Gaining or losing a zone may mean a shift by it, which is no constant where clocks change.
    const bool zones_agree = from.id() == Type::DURATION || IsZoned(from) == IsZoned(to) ||
                             (IsUtcOrNaive(from) && IsUtcOrNaive(to));
    return zones_agree && UnitOf(from) <= UnitOf(to) && !options.allow_time_overflow;
  }
  if (arrow::is_time(from.id()) && arrow::is_time(to.id())) return UnitOf(from) <= UnitOf(to);
  return false;
}

std::optional<Interval> Cast(const Interval& values, const arrow::compute::CastOptions& options) {
  const std::shared_ptr<DataType> to = options.to_type.GetSharedPtr();
  if (!to || !IsOrdered(*to) || !IsOrdered(*values.type) || to->id() == Type::DICTIONARY) {
    return std::nullopt;
  }
  // A cast between a string and its view, or a dictionary and its values, is nothing here: see
  // Interval::type.
  Interval cast = UnknownInterval(to, values.size(), values.column);
  cast.kinds = values.kinds;
  if (cast.type->Equals(*values.type)) {
    cast.min = values.min;
    cast.max = values.max;
    return cast;
  }
  if (!CastKeepsOrder(*values.type, *cast.type, options)) return std::nullopt;
  arrow::compute::CastOptions bound_options = options;
  bound_options.to_type = cast.type;
  // A bound that the cast refuses (too large for the unit, say) is no bound. That also keeps an
  // error that the rows themselves would raise: values between two bounds that can be cast can be
  // cast.
  auto cast_bound = [&](const arrow::Datum& bound) -> arrow::Datum {
    if (!bound.is_value()) return {};
    auto result = arrow::compute::CallFunction("cast", {bound}, &bound_options);
    return result.ok() ? *result : arrow::Datum{};
  };
  cast.min = cast_bound(values.min);
  cast.max = cast_bound(values.max);
  return cast;
}

}  // namespace shoal::prune
