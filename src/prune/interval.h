// What is known of the values of an expression in each of n containers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/datum.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "prune/pruner.h"

namespace shoal::prune {

/// A set of kinds of values: bits. Like outcomes, it may hold too many kinds, never too few.
using Kinds = uint8_t;
inline constexpr Kinds kOrdinary = 1;  // not null, not NaN: what the bounds speak of
inline constexpr Kinds kNaN = 2;
inline constexpr Kinds kNullValue = 4;

/// One byte per container: nonzero = the container belongs to the set.
using Mask = std::vector<uint8_t>;
int64_t Count(const Mask& mask);

struct Interval {
  /// Never a dictionary or a view: see statistics/plain.h.
  std::shared_ptr<arrow::DataType> type;
  /// No datum: no bound anywhere. Else an array with a slot per container (null: no bound there),
  /// or a scalar that holds everywhere. Bounds are never NaN, and min <= max wherever both are
  /// known.
  arrow::Datum min, max;
  std::vector<Kinds> kinds;
  /// The column the values come from, for messages; empty if there is none.
  std::string column;

  int64_t size() const { return static_cast<int64_t>(kinds.size()); }
  bool has_bounds() const { return min.is_value() || max.is_value(); }
  bool may_be(int64_t i, Kinds kind) const { return (kinds[i] & kind) != 0; }
};

/// Nothing is known.
Interval UnknownInterval(std::shared_ptr<arrow::DataType> type, int64_t n, std::string column = "");

/// One value everywhere.
Interval ScalarInterval(const std::shared_ptr<arrow::Scalar>& value, int64_t n);

/// One value per container.
Interval ConstantInterval(const std::shared_ptr<arrow::Array>& values);

/// What bounds and null counts tell of a column. `top_level` is false for a field inside a struct.
/// Bounds of an unusable type, NaN bounds and bounds that contradict each other are taken for no
/// bounds.
Interval BoundsInterval(const ColumnBounds& bounds, const std::shared_ptr<arrow::DataType>& type,
                        const std::vector<int64_t>& rows, bool top_level, std::string column);

/// Per container `a` where the mask says so, else `b`. Both have the same type.
Interval Choose(const Mask& mask, const Interval& a, const Interval& b);

/// The values of a Boolean expression with these outcomes, and back.
Interval FromOutcomes(const std::vector<Outcomes>& outcomes);
std::vector<Outcomes> ToOutcomes(const Interval& boolean);

/// Whether bounds of this type say something about its values' order.
bool IsOrdered(const arrow::DataType& type);

/// The slots of `values` where the mask says so, in order. Works for every type.
arrow::Result<std::shared_ptr<arrow::Array>> Select(const arrow::Array& values, const Mask& mask);
/// The inverse: slot i of the result is the next one of `values` where the mask says so, else null.
arrow::Result<std::shared_ptr<arrow::Array>> Spread(const arrow::Array& values, const Mask& mask);

}  // namespace shoal::prune
