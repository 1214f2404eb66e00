#include "plan/fragment_statistics.h"

#include <map>
#include <memory>
#include <utility>

#include <arrow/array/util.h>

#include "plan/file_mapping.h"
#include "plan/row_group_order.h"
#include "plan/virtual_columns.h"
#include "schema/leaves.h"
#include "statistics/merge.h"

namespace shoal::plan {

namespace {

/// Statistics of a column that has one value in `rows` rows: of a NaN, or of no rows, there are no
/// bounds.
arrow::Result<ColumnStatistics> StatisticsOfConstant(const arrow::Scalar& value,
                                                     const Precision<int64_t>& rows) {
  ColumnBounds bounds;
  ARROW_ASSIGN_OR_RAISE(bounds.min, arrow::MakeArrayFromScalar(value, 1));
  bounds.max = bounds.min;
  ARROW_ASSIGN_OR_RAISE(auto no_nulls, arrow::MakeArrayFromScalar(arrow::Int64Scalar(0), 1));
  bounds.null_count = std::static_pointer_cast<arrow::Int64Array>(no_nulls);
  bounds.min_exact = bounds.max_exact = {rows.is_exact()};
  return statistics::Summarise(bounds, {rows});
}

}  // namespace

arrow::Status DescribeColumns(const ScanPlan& plan, const FileFacts& facts,
                              const std::vector<int>& groups, Fragment* fragment) {
  const auto& schema = *plan.table_schema;
  std::vector<int> leaves;
  for (int i = 0; i < NumLeaves(schema); ++i) leaves.push_back(i);
  auto all = KeyedSchema::Project(plan, leaves);
  ARROW_ASSIGN_OR_RAISE(auto mapping,
                        MapFile(all, facts, *fragment->partition_values, fragment->path));
  std::vector<Precision<int64_t>> rows;
  for (int g = 0; g < facts.num_row_groups(); ++g) rows.push_back(facts.row_group_rows(g));
  auto total = Precision<int64_t>::Exact(0);
  for (int g : groups) total = total + rows[g];

  std::vector<ColumnStatistics> out(schema.num_fields());
  std::map<int, std::vector<int>> columns_of;  // by leaf of the file
  const auto* row_index = NameOf(VirtualColumn::kRowIndex, plan.virtual_columns);
  for (int c = 0; c < schema.num_fields(); ++c) {
    if (row_index && schema.field(c)->name() == *row_index) continue;  // the file lacks it
    auto source = mapping->Find(arrow::FieldPath({c}));
    if (source.kind == schema::ColumnMapping::Source::kLeaf &&
        source.type->Equals(*schema.field(c)->type())) {
      columns_of[source.leaf].push_back(c);
    } else if (source.kind == schema::ColumnMapping::Source::kConstant &&
               source.constant->is_valid) {
      ARROW_ASSIGN_OR_RAISE(out[c], StatisticsOfConstant(*source.constant, total));
    } else if (source.kind == schema::ColumnMapping::Source::kNull ||
               source.kind == schema::ColumnMapping::Source::kConstant) {
      out[c].null_count = total;
    }
  }
  std::vector<int> wanted;
  for (const auto& [leaf, columns] : columns_of) wanted.push_back(leaf);
  ARROW_ASSIGN_OR_RAISE(auto bounds, facts.Bounds(wanted));
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (int c : columns_of[wanted[i]]) out[c] = statistics::Summarise(bounds[i], rows, groups);
  }
  fragment->column_statistics =
      std::make_shared<const std::vector<ColumnStatistics>>(std::move(out));
  return OrderOfRowGroups(facts, groups, schema, *mapping).Value(&fragment->ordering);
}

}  // namespace shoal::plan
