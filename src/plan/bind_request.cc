#include "plan/bind_request.h"

#include <utility>

#include "expression/conjuncts.h"
#include "expression/evaluate.h"
#include "plan/references.h"

namespace shoal::plan {

arrow::Result<BoundRequest> BindRequest(const ScanRequest& request, const Inspection& inspection) {
  if (request.limit && *request.limit < 0) {
    return arrow::Status::Invalid("limit is ", *request.limit, ", but must be 0 or more");
  }
  if (request.offset < 0)
    return arrow::Status::Invalid("offset is ", request.offset, ", but must be 0 or more");
  const auto& schema = inspection.table_schema;
  const auto key_names = inspection.partition_schema->field_names();
  BoundRequest out;
  out.request = request;
  ARROW_ASSIGN_OR_RAISE(auto filter, RespellReferences(request.filter, inspection));
  ARROW_ASSIGN_OR_RAISE(out.request.filter, expression::PrepareFilter(filter, schema));
  const auto asked = expression::SplitConjuncts(request.filter);
  const auto bound = expression::SplitConjuncts(out.request.filter);
  // Binding may fold parts into others, and then only its own text fits.
  for (const auto& conjunct : asked.size() == bound.size() ? asked : bound)
    out.conjuncts.push_back(expression::ToText(conjunct));
  if (!asked.empty()) out.filter = expression::ToText(request.filter);
  for (const auto& conjunct : bound) {
    (expression::UsesOnly(conjunct, key_names, *schema) ? out.filters_keys : out.filters_data) =
        true;
  }
  arrow::FieldVector fields;
  if (!request.columns) {
    out.request.columns.emplace();
    for (const auto& field : schema->fields()) {
      out.request.columns->push_back({field->name(), arrow::compute::field_ref(field->name())});
    }
    // Duplicate names cannot be told apart by name, and a table schema has none.
    out.output_schema = schema;
    return out;
  }
  for (auto& column : *out.request.columns) {
    ARROW_ASSIGN_OR_RAISE(column.expression, RespellReferences(column.expression, inspection));
    ARROW_ASSIGN_OR_RAISE(column.expression, expression::Prepare(column.expression, schema));
    ARROW_ASSIGN_OR_RAISE(auto bound, column.expression.Bind(*schema));
    auto field = arrow::field(column.name, bound.type()->GetSharedPtr());
    if (const auto* ref = column.expression.field_ref()) {
      ARROW_ASSIGN_OR_RAISE(auto found, ref->GetOne(*schema));
      auto path = ref->FindOne(*schema);
      const bool top_level = path.ok() && path->indices().size() == 1;
      // A field inside a struct that may be null is null there, whatever it says itself.
      field = found->WithName(column.name)->WithNullable(top_level ? found->nullable() : true);
    }
    fields.push_back(std::move(field));
  }
  out.output_schema = arrow::schema(std::move(fields), schema->metadata());
  return out;
}

}  // namespace shoal::plan
