#include "plan/file_mapping.h"

#include <utility>

#include "plan/virtual_columns.h"

namespace shoal::plan {

schema::CastPolicy CastsOf(const ScanPlan& plan) {
  if (plan.schema_declared) return schema::CastPolicy::kChecked;
  return plan.schema_rules.promote == Promote::kPermissive ? schema::CastPolicy::kPermissive
                                                           : schema::CastPolicy::kWidening;
}

KeyedSchema KeyedSchema::Project(const ScanPlan& plan, const std::vector<int>& leaves) {
  KeyedSchema out;
  out.schema = ProjectLeaves(*plan.table_schema, leaves);
  if (const auto* name = NameOf(VirtualColumn::kRowIndex, plan.virtual_columns)) {
    // Files lack it: it is null until it is filled in.
    const int index = out.schema->GetFieldIndex(*name);
    if (index >= 0) {
      auto schema = out.schema->SetField(index, out.schema->field(index)->WithNullable(true));
      out.schema = std::move(schema).ValueOrDie();  // there is such a field
    }
  }
  out.casts = CastsOf(plan);
  for (const auto& field : out.schema->fields()) {
    out.partition_key.push_back(plan.partition_schema->GetFieldIndex(field->name()));
  }
  return out;
}

arrow::Result<std::shared_ptr<const schema::ColumnMapping>> MapFile(const KeyedSchema& to,
                                                                    const FileFacts& facts,
                                                                    const PartitionValues& values,
                                                                    const std::string& path) {
  std::vector<schema::Constant> constants;
  for (size_t i = 0; i < to.partition_key.size(); ++i) {
    const int key = to.partition_key[i];
    if (key >= 0 && values[key]) constants.push_back({static_cast<int>(i), values[key]});
  }
  ARROW_ASSIGN_OR_RAISE(auto mapping, schema::ColumnMapping::Make(*facts.schema(), *to.schema,
                                                                  constants, path, to.casts));
  return std::make_shared<const schema::ColumnMapping>(std::move(mapping));
}

}  // namespace shoal::plan
