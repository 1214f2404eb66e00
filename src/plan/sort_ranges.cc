#include "plan/sort_ranges.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/type_traits.h>

#include "statistics/plain.h"

namespace shoal::plan {

namespace {

// Ranks of values lie between the nulls that come first and those that come last.
constexpr int64_t kNullsLast = int64_t{1} << 62;
constexpr int64_t kUnknownLow = std::numeric_limits<int64_t>::min();
constexpr int64_t kUnknownHigh = std::numeric_limits<int64_t>::max();

struct Ranks {
  std::vector<std::optional<int64_t>> min, max;
};

/// Equal values have equal ranks. Nothing is ranked where Arrow can't sort, nor of floats: bounds
/// do not speak of NaN, and it has a place in the order.
Ranks Rank(const ColumnBounds& bounds, size_t pieces) {
  Ranks ranks;
  ranks.min.resize(pieces);
  ranks.max.resize(pieces);
  if (!bounds.min || !bounds.max || arrow::is_floating(bounds.min->type_id())) return ranks;
  auto rank = [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
    ARROW_ASSIGN_OR_RAISE(auto min, statistics::Plain(bounds.min));
    ARROW_ASSIGN_OR_RAISE(auto max, statistics::Plain(bounds.max));
    ARROW_ASSIGN_OR_RAISE(auto both, arrow::Concatenate({min, max}));
    const arrow::compute::RankOptions options(arrow::compute::SortOrder::Ascending,
                                              arrow::compute::NullPlacement::AtEnd,
                                              arrow::compute::RankOptions::Dense);
    ARROW_ASSIGN_OR_RAISE(auto out, arrow::compute::CallFunction("rank", {both}, &options));
    return out.make_array();
  };
  const auto made = rank();
  if (!made.ok()) return ranks;
  const auto& numbers = static_cast<const arrow::UInt64Array&>(**made);
  for (size_t i = 0; i < pieces; ++i) {
    if (bounds.min->IsNull(i) || bounds.max->IsNull(i)) continue;
    const auto min = static_cast<int64_t>(numbers.Value(i));
    const auto max = static_cast<int64_t>(numbers.Value(pieces + i));
    if (min > max) continue;  // bounds that contradict each other are none
    ranks.min[i] = min;
    ranks.max[i] = max;
  }
  return ranks;
}

bool KnownEmpty(const Precision<int64_t>& rows) { return rows.exact_value() == 0; }

}  // namespace

arrow::Result<SortRanges> SortRanges::Make(const std::vector<SortColumn>& order,
                                           const std::vector<ColumnBounds>& bounds,
                                           const std::vector<Precision<int64_t>>& rows) {
  const size_t n = rows.size();
  SortRanges out;
  for (const auto& count : rows) out.empty_.push_back(KnownEmpty(count));
  for (size_t c = 0; c < order.size(); ++c) {
    for (const auto& array : {bounds[c].min, bounds[c].max}) {
      if (array && array->length() != static_cast<int64_t>(n))
        return arrow::Status::Invalid("Bounds of '", order[c].name, "' are not one a piece");
    }
    const Ranks ranks = Rank(bounds[c], n);
    const int64_t null = order[c].nulls_first ? -kNullsLast : kNullsLast;
    Column& column = out.columns_.emplace_back();
    for (size_t i = 0; i < n; ++i) {
      std::optional<int64_t> nulls;
      if (bounds[c].null_count && bounds[c].null_count->IsValid(i))
        nulls = bounds[c].null_count->Value(i);
      int64_t low = kUnknownLow, high = kUnknownHigh;
      if (nulls && *nulls > 0 && rows[i].exact_value() == *nulls) {
        low = high = null;
      } else if (ranks.min[i]) {
        low = order[c].descending ? -*ranks.max[i] : *ranks.min[i];
        high = order[c].descending ? -*ranks.min[i] : *ranks.max[i];
        if (nulls != 0) (order[c].nulls_first ? low : high) = null;
      }
      column.low.push_back(low);
      column.high.push_back(high);
    }
  }
  return out;
}

bool SortRanges::Precedes(size_t a, size_t b, size_t columns) const {
  // Where the rows of two pieces tie in one column, all of `a` that tie have its end there and all
  // of `b` its beginning. So the next column decides for them, and its bounds hold for them too.
  for (size_t c = 0; c < columns; ++c) {
    const int64_t end = columns_[c].high[a], begin = columns_[c].low[b];
    if (end != begin) return end < begin;
  }
  return true;
}

bool SortRanges::BeginsBefore(size_t a, size_t b, size_t columns) const {
  for (size_t c = 0; c < columns; ++c) {
    if (columns_[c].low[a] != columns_[c].low[b]) return columns_[c].low[a] < columns_[c].low[b];
  }
  for (size_t c = 0; c < columns; ++c) {
    if (columns_[c].high[a] != columns_[c].high[b])
      return columns_[c].high[a] < columns_[c].high[b];
  }
  return false;
}

}  // namespace shoal::plan
