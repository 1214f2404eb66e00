#include "plan/validate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace shoal::plan {

namespace {

template <typename... Args>
arrow::Status Bad(Args&&... args) {
  return arrow::Status::Invalid("The plan does not hold together: ", std::forward<Args>(args)...);
}

arrow::Status ValidateRequest(const ScanPlan& plan) {
  const ScanRequest& request = plan.request;
  if (request.limit && *request.limit < 0) return Bad("its limit is ", *request.limit);
  if (request.offset < 0) return Bad("its offset is ", request.offset);
  auto filter = request.filter.Bind(*plan.table_schema);
  if (!filter.ok()) {
    return filter.status().WithMessage("The plan's filter: ", filter.status().message());
  }
  if (filter->type()->id() != arrow::Type::BOOL) {
    return Bad("its filter gives ", filter->type()->ToString(), ", not bool");
  }
  if (!request.columns) return Bad("it has no columns");
  const auto& columns = *request.columns;
  if (static_cast<int>(columns.size()) != plan.output_schema->num_fields()) {
    return Bad("it has ", base::Count(static_cast<int64_t>(columns.size()), "column", "columns"),
               ", and an output schema of ", plan.output_schema->num_fields());
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    auto bound = columns[i].expression.Bind(*plan.table_schema);
    if (!bound.ok()) {
      return bound.status().WithMessage("The plan's column '", columns[i].name,
                                        "': ", bound.status().message());
    }
    const auto& field = *plan.output_schema->field(static_cast<int>(i));
    if (!bound->type()->Equals(*field.type())) {
      return Bad("its column '", columns[i].name, "' is ", bound->type()->ToString(),
                 ", the output schema says ", field.type()->ToString());
    }
  }
  return arrow::Status::OK();
}

arrow::Status ValidateFragment(const Fragment& fragment, const arrow::Schema& keys) {
  const auto& values = fragment.partition_values;
  if (!values || static_cast<int>(values->size()) != keys.num_fields()) {
    return Bad("'", fragment.path, "' has ", values ? values->size() : 0, " partition values for ",
               base::Count(keys.num_fields(), "key", "keys"));
  }
  for (int k = 0; k < keys.num_fields(); ++k) {
    const auto& value = (*values)[k];
    if (value && !value->type->Equals(*keys.field(k)->type())) {
      return Bad("the key '", keys.field(k)->name(), "' of '", fragment.path, "' is ",
                 value->type->ToString(), ", not ", keys.field(k)->type()->ToString());
    }
  }
  if (!fragment.row_groups) return arrow::Status::OK();
  std::vector<int> groups = *fragment.row_groups;
  std::sort(groups.begin(), groups.end());
  if (!groups.empty() && groups[0] < 0) {
    return Bad("'", fragment.path, "' has the row group ", groups[0]);
  }
  const auto twice = std::adjacent_find(groups.begin(), groups.end());
  if (twice != groups.end())
    return Bad("'", fragment.path, "' has the row group ", *twice, " twice");
  return arrow::Status::OK();
}

}  // namespace

arrow::Status ValidatePlan(const ScanPlan& plan) {
  if (!plan.filesystem) return Bad("it has no filesystem");
  if (!plan.format) return Bad("it has no format");
  if (!plan.table_schema || !plan.partition_schema || !plan.output_schema) {
    return Bad("a schema is missing");
  }
  for (const auto& key : plan.partition_schema->fields()) {
    const int place = plan.table_schema->GetFieldIndex(key->name());
    if (place < 0 || !plan.table_schema->field(place)->type()->Equals(*key->type())) {
      return Bad("its key '", key->name(), "' is no column of that type of the table");
    }
  }
  for (const VirtualField& field : plan.virtual_columns) {
    const auto column = plan.table_schema->GetFieldByName(field.name);
    if (!column || !column->type()->Equals(*ToField(field)->type())) {
      return Bad("its virtual column '", field.name, "' is no column of that type of the table");
    }
  }
  ARROW_RETURN_NOT_OK(ValidateRequest(plan));
  for (const Fragment& fragment : plan.fragments) {
    ARROW_RETURN_NOT_OK(ValidateFragment(fragment, *plan.partition_schema));
  }
  return arrow::Status::OK();
}

}  // namespace shoal::plan
