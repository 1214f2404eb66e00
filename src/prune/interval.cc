#include "prune/interval.h"

#include <algorithm>
#include <utility>

#include <arrow/array/builder_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/type_traits.h>

#include "statistics/plain.h"

namespace shoal::prune {
namespace {

using arrow::Array;
using arrow::DataType;
using arrow::Datum;
using arrow::Result;
using statistics::Plain;
using statistics::PlainType;

bool IsFloating(const DataType& type) { return arrow::is_floating(type.id()); }

Kinds AllKinds(const DataType& type) {
  return kOrdinary | kNullValue | (IsFloating(type) ? kNaN : 0);
}

// Calls f(begin, end, member) for each run of equal mask bytes.
template <typename Function>
arrow::Status ForEachRun(const Mask& mask, Function&& f) {
  const int64_t n = static_cast<int64_t>(mask.size());
  for (int64_t begin = 0; begin < n;) {
    int64_t end = begin + 1;
    const bool member = mask[begin] != 0;
    while (end < n && (mask[end] != 0) == member) ++end;
    ARROW_RETURN_NOT_OK(f(begin, end, member));
    begin = end;
  }
  return arrow::Status::OK();
}

// values, but null where `drop` (a Boolean array without nulls) is true.
Result<std::shared_ptr<Array>> NullWhere(const Datum& drop, const std::shared_ptr<Array>& values) {
  ARROW_ASSIGN_OR_RAISE(
      Datum kept,
      arrow::compute::CallFunction(
          "if_else", {drop, Datum(arrow::MakeNullScalar(values->type())), Datum(values)}));
  return kept.make_array();
}

Result<bool> AnyTrue(const Datum& mask) {
  arrow::compute::ScalarAggregateOptions options(/*skip_nulls=*/true, /*min_count=*/0);
  ARROW_ASSIGN_OR_RAISE(Datum any, arrow::compute::CallFunction("any", {mask}, &options));
  return any.scalar_as<arrow::BooleanScalar>().value;
}

Result<std::shared_ptr<Array>> DropNaN(std::shared_ptr<Array> bound) {
  if (!IsFloating(*bound->type())) return bound;
  ARROW_ASSIGN_OR_RAISE(Datum nan, arrow::compute::CallFunction("is_nan", {bound}));
  ARROW_ASSIGN_OR_RAISE(bool any, AnyTrue(nan));
  return any ? NullWhere(nan, bound) : bound;
}

// A usable bound of the type, or an error: the caller goes without.
Result<std::shared_ptr<Array>> Bound(std::shared_ptr<Array> bound,
                                     const std::shared_ptr<DataType>& type) {
  ARROW_ASSIGN_OR_RAISE(bound, Plain(std::move(bound)));
  if (!bound->type()->Equals(*type)) {
    return arrow::Status::TypeError("a bound of type ", *bound->type(), " for ", *type);
  }
  return DropNaN(std::move(bound));
}

arrow::Status DropCrossed(std::shared_ptr<Array>* min, std::shared_ptr<Array>* max) {
  ARROW_ASSIGN_OR_RAISE(Datum crossed, arrow::compute::CallFunction("greater", {*min, *max}));
  ARROW_ASSIGN_OR_RAISE(bool any, AnyTrue(crossed));
  if (!any) return arrow::Status::OK();
  // A null would make the selection null: fine for both, a null means that one bound is missing.
  ARROW_ASSIGN_OR_RAISE(
      crossed, arrow::compute::CallFunction(
                   "coalesce", {crossed, Datum(std::make_shared<arrow::BooleanScalar>(false))}));
  ARROW_ASSIGN_OR_RAISE(*min, NullWhere(crossed, *min));
  ARROW_ASSIGN_OR_RAISE(*max, NullWhere(crossed, *max));
  return arrow::Status::OK();
}

Result<std::shared_ptr<Array>> ChooseArray(const Mask& mask, const Datum& a, const Datum& b,
                                           const std::shared_ptr<DataType>& type) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  ARROW_RETURN_NOT_OK(ForEachRun(mask, [&](int64_t begin, int64_t end, bool member) {
    const Datum& source = member ? a : b;
    if (source.is_array()) {
      return builder->AppendArraySlice(arrow::ArraySpan(*source.array()), begin, end - begin);
    }
    if (source.is_scalar()) return builder->AppendScalar(*source.scalar(), end - begin);
    return builder->AppendNulls(end - begin);
  }));
  return builder->Finish();
}

}  // namespace

int64_t Count(const Mask& mask) {
  return std::count_if(mask.begin(), mask.end(), [](uint8_t member) { return member != 0; });
}

bool IsOrdered(const DataType& type) {
  return type.id() != arrow::Type::NA && !arrow::is_nested(type.id()) &&
         type.id() != arrow::Type::EXTENSION && !arrow::is_interval(type.id());
}

Interval UnknownInterval(std::shared_ptr<DataType> type, int64_t n, std::string column) {
  Interval interval;
  interval.type = PlainType(type);
  interval.kinds.assign(n, AllKinds(*interval.type));
  interval.column = std::move(column);
  return interval;
}

Interval ScalarInterval(const std::shared_ptr<arrow::Scalar>& value, int64_t n) {
  Interval interval = UnknownInterval(value->type, n);
  if (!value->is_valid) {
    interval.kinds.assign(n, kNullValue);
    return interval;
  }
  auto one = arrow::MakeArrayFromScalar(*value, 1);
  if (!one.ok()) return interval;
  const Interval single = ConstantInterval(*one);
  interval.kinds.assign(n, single.kinds[0]);
  if (single.kinds[0] == kOrdinary && single.min.is_value()) {
    if (auto scalar = single.min.make_array()->GetScalar(0); scalar.ok())
      interval.min = interval.max = *scalar;
  }
  return interval;
}

Interval ConstantInterval(const std::shared_ptr<Array>& constants) {
  const int64_t n = constants->length();
  Interval interval = UnknownInterval(constants->type(), n);
  auto decoded = Plain(constants);
  if (!decoded.ok()) return interval;
  auto bound = IsOrdered(*interval.type) ? DropNaN(*decoded) : decoded;
  // Without a kernel that recognises NaN (half floats) every kind stays possible.
  if (!bound.ok()) return interval;
  const Array& values = **decoded;
  const Array& ordinary = **bound;
  for (int64_t i = 0; i < n; ++i) {
    // Logical nulls: those of a union or run-end encoded array have no bitmap and stay "any kind".
    if (arrow::is_union(values.type_id()) || values.type_id() == arrow::Type::RUN_END_ENCODED)
      break;
    interval.kinds[i] = values.IsNull(i) ? kNullValue : ordinary.IsNull(i) ? kNaN : kOrdinary;
  }
  if (IsOrdered(*interval.type)) interval.min = interval.max = *bound;
  return interval;
}

Interval BoundsInterval(const ColumnBounds& bounds, const std::shared_ptr<DataType>& type,
                        const std::vector<int64_t>& rows, bool top_level, std::string column) {
  const int64_t n = static_cast<int64_t>(rows.size());
  Interval interval = UnknownInterval(type, n, std::move(column));
  // A null count of a struct or list counts something else (lists' items, rows of a parent): it
  // says nothing here.
  if (!IsOrdered(*interval.type)) return interval;

  std::shared_ptr<Array> min, max;
  if (bounds.min) min = Bound(bounds.min, interval.type).ValueOr(nullptr);
  if (bounds.max) max = Bound(bounds.max, interval.type).ValueOr(nullptr);
  // Bounds that cross were written by something broken: neither is believed.
  if (min && max && !DropCrossed(&min, &max).ok()) min = max = nullptr;
  if (min && min->null_count() < n) interval.min = min;
  if (max && max->null_count() < n) interval.max = max;

  if (bounds.null_count) {
    for (int64_t i = 0; i < n; ++i) {
      if (bounds.null_count->IsNull(i)) continue;
      const int64_t nulls = bounds.null_count->Value(i);
      // An impossible count is no count.
      if (nulls < 0 || (rows[i] >= 0 && nulls > rows[i])) continue;
      if (nulls == 0) {
        interval.kinds[i] &= ~kNullValue;
      } else if (top_level && nulls == rows[i]) {
        // Inside a struct a count may also count rows of other levels, so it proves nothing there.
        interval.kinds[i] = kNullValue;
      }
    }
  }
  return interval;
}

Interval Choose(const Mask& mask, const Interval& a, const Interval& b) {
  Interval chosen;
  chosen.type = b.type;
  chosen.column = b.column.empty() ? a.column : b.column;
  chosen.kinds.resize(mask.size());
  for (size_t i = 0; i < mask.size(); ++i) chosen.kinds[i] = mask[i] ? a.kinds[i] : b.kinds[i];
  if (!a.type->Equals(*b.type)) return UnknownInterval(b.type, b.size(), chosen.column);
  if (a.min.is_value() || b.min.is_value()) {
    if (auto min = ChooseArray(mask, a.min, b.min, chosen.type); min.ok()) chosen.min = *min;
  }
  if (a.max.is_value() || b.max.is_value()) {
    if (auto max = ChooseArray(mask, a.max, b.max, chosen.type); max.ok()) chosen.max = *max;
  }
  return chosen;
}

Interval FromOutcomes(const std::vector<Outcomes>& outcomes) {
  Interval interval = UnknownInterval(arrow::boolean(), static_cast<int64_t>(outcomes.size()));
  arrow::BooleanBuilder min, max;
  if (!min.Reserve(interval.size()).ok() || !max.Reserve(interval.size()).ok()) return interval;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    interval.kinds[i] = ((outcomes[i] & (kTrue | kFalse)) ? kOrdinary : 0) |
                        ((outcomes[i] & kNull) ? kNullValue : 0);
    min.UnsafeAppend((outcomes[i] & kFalse) == 0);
    max.UnsafeAppend((outcomes[i] & kTrue) != 0);
  }
  auto min_array = min.Finish();
  auto max_array = max.Finish();
  // A container with neither outcome (null only, or no rows) has crossed bounds here; no rule looks
  // at them, because the kinds leave ordinary values out.
  if (min_array.ok() && max_array.ok()) {
    interval.min = *min_array;
    interval.max = *max_array;
  }
  return interval;
}

std::vector<Outcomes> ToOutcomes(const Interval& boolean) {
  const int64_t n = boolean.size();
  std::vector<Outcomes> outcomes(n, kNone);
  // true is impossible when max is false, false is impossible when min is true.
  auto rules_out = [](const Datum& bound, int64_t i, bool value) {
    if (bound.is_scalar()) {
      const auto& scalar = bound.scalar_as<arrow::BooleanScalar>();
      return scalar.is_valid && scalar.value == value;
    }
    return false;
  };
  const auto min_array =
      boolean.min.is_array() ? boolean.min.array_as<arrow::BooleanArray>() : nullptr;
  const auto max_array =
      boolean.max.is_array() ? boolean.max.array_as<arrow::BooleanArray>() : nullptr;
  for (int64_t i = 0; i < n; ++i) {
    if (boolean.may_be(i, kOrdinary)) {
      const bool no_true = max_array ? max_array->IsValid(i) && !max_array->Value(i)
                                     : rules_out(boolean.max, i, false);
      const bool no_false = min_array ? min_array->IsValid(i) && min_array->Value(i)
                                      : rules_out(boolean.min, i, true);
      outcomes[i] |= (no_true ? 0 : kTrue) | (no_false ? 0 : kFalse);
    }
    if (boolean.may_be(i, kNullValue)) outcomes[i] |= kNull;
  }
  return outcomes;
}

Result<std::shared_ptr<Array>> Select(const Array& values, const Mask& mask) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), values.type(), &builder));
  const arrow::ArraySpan span(*values.data());
  ARROW_RETURN_NOT_OK(ForEachRun(mask, [&](int64_t begin, int64_t end, bool member) {
    return member ? builder->AppendArraySlice(span, begin, end - begin) : arrow::Status::OK();
  }));
  return builder->Finish();
}

Result<std::shared_ptr<Array>> Spread(const Array& values, const Mask& mask) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), values.type(), &builder));
  const arrow::ArraySpan span(*values.data());
  int64_t next = 0;
  ARROW_RETURN_NOT_OK(ForEachRun(mask, [&](int64_t begin, int64_t end, bool member) {
    if (!member) return builder->AppendNulls(end - begin);
    ARROW_RETURN_NOT_OK(builder->AppendArraySlice(span, next, end - begin));
    next += end - begin;
    return arrow::Status::OK();
  }));
  return builder->Finish();
}

}  // namespace shoal::prune
