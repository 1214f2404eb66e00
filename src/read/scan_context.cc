#include "read/scan_context.h"

#include <set>

#include <arrow/array.h>

#include "expression/conjuncts.h"
#include "expression/evaluate.h"
#include "plan/rows_wanted.h"
#include "plan/used_leaves.h"
#include "plan/virtual_columns.h"

namespace shoal::read {

namespace {

using arrow::compute::Expression;

arrow::Result<ReadShape> MakeShape(const ScanPlan& plan, const Expression* filter) {
  std::set<int> leaves;
  for (const auto& column : *plan.request.columns) {
    ARROW_RETURN_NOT_OK(plan::AddUsedLeaves(column.expression, *plan.table_schema, &leaves));
  }
  if (filter) ARROW_RETURN_NOT_OK(plan::AddUsedLeaves(*filter, *plan.table_schema, &leaves));

  ReadShape shape;
  shape.columns = plan::KeyedSchema::Project(plan, {leaves.begin(), leaves.end()});
  const arrow::Schema& schema = *shape.columns.schema;
  if (const auto* name = plan::NameOf(VirtualColumn::kRowIndex, plan.virtual_columns)) {
    shape.row_index = schema.GetFieldIndex(*name);
  }
  if (filter) {
    ARROW_ASSIGN_OR_RAISE(shape.filter, filter->Bind(schema));
  }
  shape.identity = static_cast<int>(plan.request.columns->size()) == schema.num_fields();
  for (const auto& column : *plan.request.columns) {
    ARROW_ASSIGN_OR_RAISE(auto bound, column.expression.Bind(schema));
    int plain = -1;
    if (const auto* ref = bound.field_ref()) {
      ARROW_ASSIGN_OR_RAISE(auto path, ref->FindOne(schema));
      if (path.indices().size() == 1) plain = path.indices()[0];
    }
    shape.identity &= plain == static_cast<int>(shape.projection.size());
    shape.plain_column.push_back(plain);
    shape.projection.push_back(std::move(bound));
  }
  return shape;
}

}  // namespace

arrow::Result<std::shared_ptr<const ScanContext>> ScanContext::Make(
    const ScanPlan& plan, int64_t batch_rows, arrow::MemoryPool* pool,
    std::shared_ptr<runtime::Counters> counters, std::shared_ptr<plan::FactsCache> cache) {
  auto context = std::make_shared<ScanContext>();
  context->filesystem = plan.filesystem;
  context->files = plan::TableFiles(plan);
  context->output_schema = plan.output_schema;
  context->batch_rows = batch_rows;
  context->pool = pool;
  context->counters = std::move(counters);
  context->cache = std::move(cache);
  context->unseen = std::make_unique<plan::UnseenColumns>(plan);
  context->planning_requests = plan.store_requests();
  context->planning_requests += plan.inspection.store_requests;
  context->listing = plan.listing;
  ARROW_ASSIGN_OR_RAISE(context->unfiltered, MakeShape(plan, nullptr));
  if (expression::SplitConjuncts(plan.request.filter).empty()) {
    context->filtered = context->unfiltered;
    context->rows_wanted = plan::RowsWanted(plan.request);
    return context;
  }
  ARROW_ASSIGN_OR_RAISE(context->filtered, MakeShape(plan, &plan.request.filter));
  ARROW_ASSIGN_OR_RAISE(context->pruner, plan::FooterPruner::Make(plan));
  return context;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ScanContext::Finish(
    const ReadShape& shape, std::shared_ptr<arrow::RecordBatch> batch) const {
  if (shape.filter) {
    ARROW_ASSIGN_OR_RAISE(auto mask, expression::Evaluate(*shape.filter, *batch, pool));
    ARROW_ASSIGN_OR_RAISE(batch, expression::FilterBatch(
                                     batch, static_cast<const arrow::BooleanArray&>(*mask), pool));
  }
  if (shape.identity)
    return arrow::RecordBatch::Make(output_schema, batch->num_rows(), batch->columns());
  arrow::ArrayVector columns(shape.projection.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (shape.plain_column[i] >= 0) {
      columns[i] = batch->column(shape.plain_column[i]);
    } else {
      ARROW_ASSIGN_OR_RAISE(columns[i], expression::Evaluate(shape.projection[i], *batch, pool));
    }
  }
  return arrow::RecordBatch::Make(output_schema, batch->num_rows(), std::move(columns));
}

}  // namespace shoal::read
