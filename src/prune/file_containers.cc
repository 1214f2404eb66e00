#include "prune/file_containers.h"

#include <utility>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>

#include "prune/rules.h"
#include "statistics/plain.h"

namespace shoal::prune {
namespace {

std::shared_ptr<const ColumnKnowledge> Constant(std::shared_ptr<arrow::Array> values) {
  auto knowledge = std::make_shared<ColumnKnowledge>();
  knowledge->is_constant.assign(values->length(), true);
  knowledge->constant = std::move(values);
  return knowledge;
}

}  // namespace

ColumnBounds CastBounds(ColumnBounds bounds, const std::shared_ptr<arrow::DataType>& type) {
  const auto to = statistics::PlainType(type);
  auto cast = [&](const std::shared_ptr<arrow::Array>& bound) -> std::shared_ptr<arrow::Array> {
    if (!bound || bound->type()->Equals(*type)) return bound;
    auto plain = statistics::Plain(bound);
    if (!plain.ok()) return nullptr;
    if ((*plain)->type()->Equals(*to)) return *plain;
    auto options = arrow::compute::CastOptions::Safe(to);
    if (!CastKeepsOrder(*(*plain)->type(), *to, options)) return nullptr;
    auto result = arrow::compute::Cast(*plain, options);
    return result.ok() ? result->make_array() : nullptr;
  };
  bounds.min = cast(bounds.min);
  bounds.max = cast(bounds.max);
  return bounds;
}

int64_t RowGroupContainers::num_rows(int64_t i) const {
  return facts_.row_group_rows(static_cast<int>(i)).exact_value().value_or(-1);
}

/// Where a row group's rows begin is known if those before it tell how many they have.
arrow::Result<std::shared_ptr<const ColumnKnowledge>> RowGroupContainers::RowIndex() const {
  arrow::Int64Builder min, max, null_count;
  int64_t begin = 0;
  bool known = true;
  for (int group = 0; group < facts_.num_row_groups(); ++group) {
    const auto rows = facts_.row_group_rows(group).exact_value();
    known = known && !__builtin_add_overflow(begin, rows.value_or(0), &begin);
    if (known) {
      ARROW_RETURN_NOT_OK(min.Append(begin - rows.value_or(0)));
    } else {
      ARROW_RETURN_NOT_OK(min.AppendNull());
    }
    known = known && rows.has_value();
    ARROW_RETURN_NOT_OK(known && *rows > 0 ? max.Append(begin - 1) : max.AppendNull());
    ARROW_RETURN_NOT_OK(null_count.Append(0));
  }
  auto knowledge = std::make_shared<ColumnKnowledge>();
  ARROW_ASSIGN_OR_RAISE(knowledge->bounds.min, min.Finish());
  ARROW_ASSIGN_OR_RAISE(knowledge->bounds.max, max.Finish());
  ARROW_RETURN_NOT_OK(null_count.Finish(&knowledge->bounds.null_count));
  const auto n = static_cast<size_t>(facts_.num_row_groups());
  knowledge->bounds.min_exact = knowledge->bounds.max_exact = std::vector<bool>(n, true);
  return knowledge;
}

arrow::Result<std::shared_ptr<const ColumnKnowledge>> RowGroupContainers::Column(
    const arrow::FieldPath& path) const {
  if (row_index_ >= 0 && path.indices() == std::vector<int>{row_index_}) return RowIndex();
  using Source = schema::ColumnMapping::Source;
  const Source source = mapping_.Find(path);
  switch (source.kind) {
    case Source::kNested:
      return nullptr;
    case Source::kConstant: {
      ARROW_ASSIGN_OR_RAISE(auto values, arrow::MakeArrayFromScalar(*source.constant, size()));
      return Constant(std::move(values));
    }
    case Source::kNull: {
      ARROW_ASSIGN_OR_RAISE(auto field, path.Get(read_schema_));
      ARROW_ASSIGN_OR_RAISE(auto values, arrow::MakeArrayOfNull(field->type(), size()));
      return Constant(std::move(values));
    }
    case Source::kLeaf:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(auto field, path.Get(read_schema_));
  if (bounds_.empty()) {
    const std::vector<int>& leaves = mapping_.leaves();
    ARROW_ASSIGN_OR_RAISE(auto bounds, facts_.Bounds(leaves));
    for (size_t i = 0; i < leaves.size(); ++i) bounds_.emplace(leaves[i], std::move(bounds[i]));
  }
  const auto found = bounds_.find(source.leaf);
  if (found == bounds_.end()) return nullptr;
  auto knowledge = std::make_shared<ColumnKnowledge>();
  knowledge->bounds = CastBounds(found->second, field->type());
  return knowledge;
}

}  // namespace shoal::prune
