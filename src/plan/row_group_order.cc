#include "plan/row_group_order.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>

#include "plan/sort_ranges.h"

namespace shoal::plan {

namespace {

/// Bounds of some leaves, each in the place of the sort column that it is.
arrow::Result<std::vector<ColumnBounds>> BoundsOf(const FileFacts& facts,
                                                  const std::vector<int>& leaves) {
  std::vector<int> ascending = leaves;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  ARROW_ASSIGN_OR_RAISE(auto known, facts.Bounds(ascending));
  std::vector<ColumnBounds> bounds;
  for (int leaf : leaves) {
    const auto place = std::lower_bound(ascending.begin(), ascending.end(), leaf);
    bounds.push_back(known[place - ascending.begin()]);
  }
  return bounds;
}

}  // namespace

arrow::Result<std::vector<SortColumn>> OrderOfRowGroups(const FileFacts& facts,
                                                        const std::vector<int>& row_groups,
                                                        const arrow::Schema& table,
                                                        const schema::ColumnMapping& mapping) {
  ARROW_ASSIGN_OR_RAISE(const auto declared, facts.DeclaredOrder());
  std::vector<SortColumn> order;
  std::vector<int> leaves;
  for (const SortedLeaf& sorted : declared) {
    int column = 0;
    for (; column < table.num_fields(); ++column) {
      const auto& type = table.field(column)->type();
      const auto source = mapping.Find(arrow::FieldPath({column}));
      if (source.kind == schema::ColumnMapping::Source::kLeaf && source.leaf == sorted.leaf &&
          type->num_fields() == 0 && source.type->Equals(*type)) {
        break;
      }
    }
    if (column == table.num_fields()) break;
    order.push_back({table.field(column)->name(), sorted.descending, sorted.nulls_first});
    leaves.push_back(sorted.leaf);
  }

  std::vector<int> filled;
  std::vector<Precision<int64_t>> rows;
  for (int g = 0; g < facts.num_row_groups(); ++g) rows.push_back(facts.row_group_rows(g));
  for (int g : row_groups) {
    if (rows[g].exact_value() != 0) filled.push_back(g);
  }
  // One row group is sorted whatever its bounds are.
  if (order.empty() || filled.size() < 2) return order;
  ARROW_ASSIGN_OR_RAISE(const auto bounds, BoundsOf(facts, leaves));
  ARROW_ASSIGN_OR_RAISE(const auto ranges, SortRanges::Make(order, bounds, rows));
  auto overlap = [&](int a, int b) { return !ranges.Precedes(a, b, order.size()); };
  while (!order.empty() &&
         std::adjacent_find(filled.begin(), filled.end(), overlap) != filled.end()) {
    order.pop_back();
  }
  return order;
}

}  // namespace shoal::plan
