#include "plan/key_containers.h"

#include <algorithm>

#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>

#include "expression/evaluate.h"

namespace shoal::plan {

arrow::Result<std::vector<partition::TypedKeyColumn>> TypeKeys(
    const KeyTable& keys, const arrow::Schema& partition_schema,
    const std::set<std::string>& inferred, const std::function<std::string(int64_t)>& path_of) {
  std::vector<partition::TypedKeyColumn> out;
  for (const auto& field : partition_schema.fields()) {
    const KeyColumn* column = keys.Find(field->name());
    if (!column) continue;
    ARROW_ASSIGN_OR_RAISE(auto typed, partition::TypedKeys(*column, field->type(), path_of,
                                                           inferred.contains(field->name())));
    out.push_back(std::move(typed));
  }
  return out;
}

arrow::Result<std::shared_ptr<const prune::ColumnKnowledge>> KeyContainers::Column(
    const arrow::FieldPath& path) const {
  const auto& field = table_schema_.field(path.indices()[0]);
  if (path.indices().size() != 1 || partition_schema_.GetFieldIndex(field->name()) < 0)
    return nullptr;
  const bool missing_is_null = missing_ == Missing::kNull && !in_files_.contains(field->name());
  auto key = std::find_if(keys_.begin(), keys_.end(),
                          [&](const auto& k) { return k.name == field->name(); });
  auto knowledge = std::make_shared<prune::ColumnKnowledge>();
  if (key == keys_.end()) {
    if (!missing_is_null) return nullptr;
    ARROW_ASSIGN_OR_RAISE(knowledge->constant, arrow::MakeArrayOfNull(field->type(), size_));
    knowledge->is_constant.assign(size_, true);
    return knowledge;
  }
  // Paths without the key take a null that is put behind the key's values.
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(key->values->type(), 1));
  ARROW_ASSIGN_OR_RAISE(auto values, arrow::Concatenate({key->values, null}));
  const auto null_index = static_cast<int32_t>(key->values->length());
  arrow::Int32Builder indices;
  ARROW_RETURN_NOT_OK(indices.Reserve(size_));
  knowledge->is_constant.resize(size_);
  for (int64_t i = 0; i < size_; ++i) {
    const bool absent = key->index[i] == KeyColumn::kAbsent;
    knowledge->is_constant[i] = !absent || missing_is_null;
    indices.UnsafeAppend(absent ? null_index : key->index[i]);
  }
  ARROW_ASSIGN_OR_RAISE(auto index_array, indices.Finish());
  ARROW_ASSIGN_OR_RAISE(knowledge->constant,
                        expression::Take(*values, *index_array, arrow::default_memory_pool()));
  return knowledge;
}

arrow::Result<std::vector<std::shared_ptr<const PartitionValues>>> ValuesOfFiles(
    const std::vector<partition::TypedKeyColumn>& keys, const arrow::Schema& partition_schema,
    int64_t num_files) {
  // Each distinct value becomes a scalar once.
  std::vector<std::vector<std::shared_ptr<arrow::Scalar>>> scalars(keys.size());
  std::vector<int> position(keys.size());
  for (size_t k = 0; k < keys.size(); ++k) {
    position[k] = partition_schema.GetFieldIndex(keys[k].name);
    for (int64_t v = 0; v < keys[k].values->length(); ++v) {
      ARROW_ASSIGN_OR_RAISE(auto scalar, keys[k].values->GetScalar(v));
      scalars[k].push_back(std::move(scalar));
    }
  }
  std::vector<std::shared_ptr<const PartitionValues>> out(num_files);
  for (int64_t i = 0; i < num_files; ++i) {
    const bool same = i > 0 && std::all_of(keys.begin(), keys.end(), [&](const auto& key) {
                        return key.index[i] == key.index[i - 1];
                      });
    if (same) {
      out[i] = out[i - 1];
      continue;
    }
    PartitionValues values(partition_schema.num_fields());
    for (size_t k = 0; k < keys.size(); ++k) {
      if (keys[k].index[i] != KeyColumn::kAbsent)
        values[position[k]] = scalars[k][keys[k].index[i]];
    }
    out[i] = std::make_shared<const PartitionValues>(std::move(values));
  }
  return out;
}

}  // namespace shoal::plan
