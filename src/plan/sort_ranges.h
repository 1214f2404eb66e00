// Where pieces of rows lie in a sort order.
#pragma once

#include <cstdint>
#include <vector>

#include <arrow/result.h>

#include <shoal/plan.h>
#include <shoal/statistics.h>

namespace shoal::plan {

/// For each of n pieces of rows (row groups, fragments), bounds of what its rows have in the
/// columns of an order. It may fail to see that one piece precedes another, and never sees it
/// wrongly: nulls have their place, and what is unknown can be anything.
class SortRanges {
 public:
  /// `bounds` has for each column of the order the bounds of all pieces, in one type; `rows` has
  /// the rows of each piece.
  static arrow::Result<SortRanges> Make(const std::vector<SortColumn>& order,
                                        const std::vector<ColumnBounds>& bounds,
                                        const std::vector<Precision<int64_t>>& rows);

  size_t size() const { return empty_.size(); }
  /// It has no rows, and so its place does not matter.
  bool is_empty(size_t piece) const { return empty_[piece]; }
  /// Whether, by the first `columns` columns, no row of `b` comes before any row of `a`: behind a
  /// sorted piece `a` there may be a sorted piece `b`. A piece that ends with the value that the
  /// other begins with precedes it as far as that column goes, and the next column decides.
  bool Precedes(size_t a, size_t b, size_t columns) const;
  /// A strict weak order: by where pieces begin, then where they end.
  bool BeginsBefore(size_t a, size_t b, size_t columns) const;

 private:
  /// Values stand for themselves by their rank among all bounds of their column, reversed where the
  /// order descends.
  struct Column {
    std::vector<int64_t> low, high;
  };
  std::vector<Column> columns_;
  std::vector<bool> empty_;
};

}  // namespace shoal::plan
