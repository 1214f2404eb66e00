// In which order the fragments of a plan can be read one after another so that their rows are
// sorted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include <shoal/plan.h>

#include "plan/sort_ranges.h"

namespace shoal::plan {

/// The name in the output of a column of the table, if it is in the output as it is, under a name
/// that nothing else has.
std::optional<std::string> OutputName(const ScanPlan& plan, std::string_view column);

/// Indices of fragments, to be read in that order.
using Chain = std::vector<size_t>;

/// An order that each fragment of a plan has for itself.
class FragmentOrder {
 public:
  /// The longest part of `wanted`, from its beginning, that all fragments have and that the output
  /// can show; `wanted` empty: of what the first fragment with rows has. The plan must outlive it.
  static arrow::Result<FragmentOrder> Make(const ScanPlan& plan, std::vector<SortColumn> wanted);

  /// Columns of the table.
  const std::vector<SortColumn>& order() const { return order_; }
  /// Why there is not more of it; names the fragment and the column.
  const std::string& limitation() const { return limitation_; }

  /// All fragments in as few chains as need be for the rows of each chain to be sorted by the first
  /// `columns` columns; nothing if that takes more than `at_most`.
  std::optional<std::vector<Chain>> Chains(size_t columns, size_t at_most) const;
  /// The chain put in that order; nothing if two of its fragments overlap.
  std::optional<Chain> Sorted(Chain chain, size_t columns) const;

 private:
  std::vector<SortColumn> order_;
  std::string limitation_;
  SortRanges ranges_;
};

}  // namespace shoal::plan
