#include "statistics/merge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type_traits.h>

#include "statistics/plain.h"

namespace shoal::statistics {
namespace {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;
enum class End { kMin, kMax };

bool IsNaN(const arrow::Scalar& value) {
  if (value.type->id() == arrow::Type::DOUBLE) {
    return std::isnan(static_cast<const arrow::DoubleScalar&>(value).value);
  }
  return value.type->id() == arrow::Type::FLOAT &&
         std::isnan(static_cast<const arrow::FloatScalar&>(value).value);
}

// Writers disagree on the sign of a zero bound, and the two zeros are equal: one of them stands for
// both.
ScalarPtr UnsignedZero(ScalarPtr value) {
  if (value->type->id() == arrow::Type::DOUBLE &&
      static_cast<const arrow::DoubleScalar&>(*value).value == 0) {
    return std::make_shared<arrow::DoubleScalar>(0.0);
  }
  if (value->type->id() == arrow::Type::FLOAT &&
      static_cast<const arrow::FloatScalar&>(*value).value == 0) {
    return std::make_shared<arrow::FloatScalar>(0.0F);
  }
  return value;
}

ScalarPtr WithType(ScalarPtr value, const std::shared_ptr<arrow::DataType>& type) {
  // Bounds of a view column keep its type; those of a dictionary are values.
  if (type->id() != arrow::Type::STRING_VIEW && type->id() != arrow::Type::BINARY_VIEW)
    return value;
  auto result = arrow::MakeScalar(type, static_cast<const arrow::BaseBinaryScalar&>(*value).value);
  return result.ok() ? *result : nullptr;
}

// The least or greatest of `bounds`, which have a slot for each container of `counts_in` that holds
// values. `exact(i)`: whether slot i is attained.
template <typename IsExact>
arrow::Result<Precision<ScalarPtr>> Extreme(End end, const std::shared_ptr<arrow::Array>& bounds,
                                            const std::vector<uint8_t>& skip, IsExact&& exact) {
  using Absent = Precision<ScalarPtr>;
  ARROW_ASSIGN_OR_RAISE(auto plain, Plain(bounds));
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < plain->length(); ++i) {
    if (skip[i]) continue;
    if (plain->IsNull(i)) return Absent();
    chosen.push_back(i);
  }
  if (chosen.empty()) return Absent();
  if (static_cast<int64_t>(chosen.size()) < plain->length()) {
    arrow::Int64Builder indices;
    ARROW_RETURN_NOT_OK(indices.AppendValues(chosen));
    ARROW_ASSIGN_OR_RAISE(auto taken, indices.Finish());
    ARROW_ASSIGN_OR_RAISE(plain, arrow::compute::Take(*plain, *taken));
  }
  // A NaN bound is none, and the extreme of the others would not be that of the whole.
  if (arrow::is_floating(plain->type_id())) {
    ARROW_ASSIGN_OR_RAISE(auto nan, arrow::compute::CallFunction("is_nan", {plain}));
    ARROW_ASSIGN_OR_RAISE(auto any, arrow::compute::CallFunction("any", {nan}));
    if (any.scalar_as<arrow::BooleanScalar>().value) return Absent();
  }
  ARROW_ASSIGN_OR_RAISE(auto both, arrow::compute::MinMax(plain));
  ScalarPtr value = both.scalar_as<arrow::StructScalar>().value[end == End::kMin ? 0 : 1];
  if (!value || !value->is_valid || IsNaN(*value)) return Absent();
  const bool all_exact = std::all_of(chosen.begin(), chosen.end(), exact);
  value = WithType(UnsignedZero(std::move(value)), bounds->type());
  if (!value) return Absent();
  return all_exact ? Precision<ScalarPtr>::Exact(std::move(value))
                   : Precision<ScalarPtr>::Inexact(std::move(value));
}

// An impossible count is no count.
bool IsPossible(int64_t nulls, const Precision<int64_t>& rows) {
  return nulls >= 0 && !(rows.is_exact() && nulls > rows.value());
}

// No row, or no row that is not null: such a container says nothing of min and max.
bool HoldsNoValue(const Precision<int64_t>& nulls, const Precision<int64_t>& rows) {
  return rows.is_exact() &&
         (rows.value() == 0 || (nulls.is_exact() && nulls.value() == rows.value()));
}

Precision<int64_t> NullCount(const ColumnBounds& bounds, const Precision<int64_t>& rows,
                             int64_t i) {
  if (rows.is_exact() && rows.value() == 0) return Precision<int64_t>::Exact(0);
  if (!bounds.null_count || bounds.null_count->IsNull(i)) return {};
  const int64_t nulls = bounds.null_count->Value(i);
  return IsPossible(nulls, rows) ? Precision<int64_t>::Exact(nulls) : Precision<int64_t>();
}

Precision<ScalarPtr> MergeScalars(End end, std::span<const TableStatistics> parts, size_t column,
                                  const std::vector<uint8_t>& skip) {
  auto of = [&](int64_t i) -> const Precision<ScalarPtr>& {
    const ColumnStatistics& statistics = parts[i].columns[column];
    return end == End::kMin ? statistics.min : statistics.max;
  };
  std::shared_ptr<arrow::DataType> type;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (skip[i]) continue;
    if (of(i).is_absent()) return {};
    if (!type) type = of(i).value()->type;
    if (!type->Equals(*of(i).value()->type)) return {};
  }
  if (!type) return {};
  auto merge = [&]() -> arrow::Result<Precision<ScalarPtr>> {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(type));
    for (size_t i = 0; i < parts.size(); ++i) {
      ARROW_RETURN_NOT_OK(skip[i] ? builder->AppendNull() : builder->AppendScalar(*of(i).value()));
    }
    ARROW_ASSIGN_OR_RAISE(auto bounds, builder->Finish());
    return Extreme(end, bounds, skip, [&](int64_t i) { return of(i).is_exact(); });
  };
  auto result = merge();
  return result.ok() ? *result : Precision<ScalarPtr>();
}

}  // namespace

ColumnStatistics Summarise(const ColumnBounds& bounds, const std::vector<Precision<int64_t>>& rows,
                           std::span<const int> containers) {
  ColumnStatistics summary;
  summary.null_count = Precision<int64_t>::Exact(0);
  std::vector<uint8_t> skip(rows.size(), 1);
  for (int i : containers) {
    const Precision<int64_t> nulls = NullCount(bounds, rows[i], i);
    summary.null_count = summary.null_count + nulls;
    skip[i] = HoldsNoValue(nulls, rows[i]);
  }
  // What a type without kernels has is absent, never an error.
  auto extreme = [&](End end, const std::shared_ptr<arrow::Array>& array,
                     const std::vector<bool>& exact) {
    if (!array || array->length() != static_cast<int64_t>(rows.size()))
      return Precision<ScalarPtr>();
    auto result = Extreme(end, array, skip, [&](int64_t i) {
      return static_cast<size_t>(i) < exact.size() && exact[i];
    });
    return result.ok() ? *result : Precision<ScalarPtr>();
  };
  summary.min = extreme(End::kMin, bounds.min, bounds.min_exact);
  summary.max = extreme(End::kMax, bounds.max, bounds.max_exact);
  return summary;
}

ColumnStatistics Summarise(const ColumnBounds& bounds,
                           const std::vector<Precision<int64_t>>& rows) {
  std::vector<int> all(rows.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return Summarise(bounds, rows, all);
}

TableStatistics Merge(std::span<const TableStatistics> parts) {
  TableStatistics whole;
  whole.num_rows = Precision<int64_t>::Exact(0);
  whole.total_bytes = Precision<int64_t>::Exact(0);
  if (parts.empty()) return whole;
  if (parts.size() == 1) return parts[0];

  size_t num_columns = parts[0].columns.size();
  for (const TableStatistics& part : parts) {
    whole.num_rows = whole.num_rows + part.num_rows;
    whole.total_bytes = whole.total_bytes + part.total_bytes;
    num_columns = std::min(num_columns, part.columns.size());
  }
  whole.columns.resize(num_columns);
  std::vector<uint8_t> skip(parts.size());
  for (size_t c = 0; c < num_columns; ++c) {
    ColumnStatistics& column = whole.columns[c];
    column.null_count = Precision<int64_t>::Exact(0);
    column.distinct_count = parts[0].columns[c].distinct_count.ToInexact();
    for (size_t i = 0; i < parts.size(); ++i) {
      const ColumnStatistics& part = parts[i].columns[c];
      column.null_count = column.null_count + part.null_count;
      column.distinct_count =
          Precision<int64_t>::Merge(column.distinct_count, part.distinct_count,
                                    [](int64_t x, int64_t y) { return std::max(x, y); });
      skip[i] = HoldsNoValue(part.null_count, parts[i].num_rows);
    }
    column.min = MergeScalars(End::kMin, parts, c, skip);
    column.max = MergeScalars(End::kMax, parts, c, skip);
  }
  return whole;
}

TableStatistics ToInexact(TableStatistics statistics) {
  statistics.num_rows = statistics.num_rows.ToInexact();
  statistics.total_bytes = statistics.total_bytes.ToInexact();
  for (ColumnStatistics& column : statistics.columns) {
    column.null_count = column.null_count.ToInexact();
    column.min = column.min.ToInexact();
    column.max = column.max.ToInexact();
    column.distinct_count = column.distinct_count.ToInexact();
  }
  return statistics;
}

}  // namespace shoal::statistics
