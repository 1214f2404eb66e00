#include "prune/containers.h"

namespace shoal::prune {

void ContainerTable::Set(const arrow::FieldPath& path, ColumnKnowledge knowledge) {
  columns_[path] = std::make_shared<const ColumnKnowledge>(std::move(knowledge));
}

void ContainerTable::SetConstants(const arrow::FieldPath& path,
                                  std::shared_ptr<arrow::Array> values) {
  ColumnKnowledge knowledge;
  knowledge.is_constant.assign(values->length(), true);
  knowledge.constant = std::move(values);
  Set(path, std::move(knowledge));
}

void ContainerTable::SetBounds(const arrow::FieldPath& path, ColumnBounds bounds) {
  ColumnKnowledge knowledge;
  knowledge.bounds = std::move(bounds);
  Set(path, std::move(knowledge));
}

arrow::Result<std::shared_ptr<const ColumnKnowledge>> ContainerTable::Column(
    const arrow::FieldPath& path) const {
  auto found = columns_.find(path);
  return found == columns_.end() ? nullptr : found->second;
}

}  // namespace shoal::prune
