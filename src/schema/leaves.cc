#include "schema/leaves.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <arrow/extension_type.h>

namespace shoal {
namespace {

using arrow::DataType;
using arrow::Field;
using arrow::Type;

const DataType& Storage(const DataType& type) {
  if (type.id() != Type::EXTENSION) return type;
  return Storage(*static_cast<const arrow::ExtensionType&>(type).storage_type());
}

// Types whose children are fields of their own; the children of a run-end encoded type, say, are
// not.
bool HasChildren(const DataType& type) {
  return (schema::HasFields(type) || arrow::is_union(type.id())) && type.num_fields() > 0;
}

std::shared_ptr<Field> Project(const std::shared_ptr<Field>& field, int first,
                               const std::vector<int>& leaves);

// The type with the kept leaves, of which there is at least one.
std::shared_ptr<DataType> ProjectType(const std::shared_ptr<DataType>& type, int first,
                                      const std::vector<int>& leaves) {
  switch (type->id()) {
    case Type::STRUCT: {
      arrow::FieldVector children;
      for (const auto& child : type->fields()) {
        if (auto kept = Project(child, first, leaves)) children.push_back(std::move(kept));
        first += NumLeaves(*child->type());
      }
      return type->num_fields() == 0 ? type : arrow::struct_(std::move(children));
    }
    case Type::LIST:
      return arrow::list(Project(type->field(0), first, leaves));
    case Type::LARGE_LIST:
      return arrow::large_list(Project(type->field(0), first, leaves));
    case Type::LIST_VIEW:
      return arrow::list_view(Project(type->field(0), first, leaves));
    case Type::LARGE_LIST_VIEW:
      return arrow::large_list_view(Project(type->field(0), first, leaves));
    case Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          Project(type->field(0), first, leaves),
          static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      auto item = Project(map.item_field(), first + NumLeaves(*map.key_type()), leaves);
      // A map of keys alone is no map.
      if (!item) return type;
      return std::make_shared<arrow::MapType>(map.key_field(), std::move(item), map.keys_sorted());
    }
    default:
      return type;
  }
}

std::shared_ptr<Field> Project(const std::shared_ptr<Field>& field, int first,
                               const std::vector<int>& leaves) {
  const int end = first + NumLeaves(*field->type());
  const auto kept_begin = std::lower_bound(leaves.begin(), leaves.end(), first);
  const auto kept_end = std::lower_bound(kept_begin, leaves.end(), end);
  if (kept_begin == kept_end) return nullptr;
  if (kept_end - kept_begin == end - first) return field;
  return field->WithType(ProjectType(field->type(), first, leaves));
}

}  // namespace

int NumLeaves(const DataType& type) {
  const DataType& storage = Storage(type);
  if (!HasChildren(storage)) return 1;
  int leaves = 0;
  if (storage.id() == Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(storage);
    return NumLeaves(*map.key_type()) + NumLeaves(*map.item_type());
  }
  for (const auto& child : storage.fields()) leaves += NumLeaves(*child->type());
  return leaves;
}

int NumLeaves(const arrow::Schema& schema) { return LeafIndex(schema, schema.num_fields()); }

int LeafIndex(const arrow::Schema& schema, int column) {
  int leaves = 0;
  for (int i = 0; i < column; ++i) leaves += NumLeaves(*schema.field(i)->type());
  return leaves;
}

std::shared_ptr<arrow::Schema> ProjectLeaves(const arrow::Schema& schema,
                                             const std::vector<int>& leaves) {
  arrow::FieldVector fields;
  int first = 0;
  for (const auto& field : schema.fields()) {
    if (auto kept = Project(field, first, leaves)) fields.push_back(std::move(kept));
    first += NumLeaves(*field->type());
  }
  return arrow::schema(std::move(fields), schema.metadata());
}

namespace schema {

bool HasFields(const DataType& type) {
  switch (type.id()) {
    case Type::STRUCT:
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::LIST_VIEW:
    case Type::LARGE_LIST_VIEW:
    case Type::FIXED_SIZE_LIST:
    case Type::MAP:
      return true;
    default:
      return false;
  }
}

arrow::Result<std::vector<int>> LeavesOf(const arrow::Schema& schema,
                                         const arrow::FieldPath& path) {
  int first = 0;
  const arrow::FieldVector* siblings = &schema.fields();
  std::shared_ptr<DataType> type;
  for (size_t depth = 0; depth < path.indices().size(); ++depth) {
    const int index = path[depth];
    if (index < 0 || index >= static_cast<int>(siblings->size())) {
      return arrow::Status::IndexError("no field at ", path.ToString(), " in a schema of ",
                                       schema.num_fields(), " columns");
    }
    for (int i = 0; i < index; ++i) first += NumLeaves(*(*siblings)[i]->type());
    type = (*siblings)[index]->type();
    static const arrow::FieldVector kNoFields;
    siblings = HasChildren(*type) ? &type->fields() : &kNoFields;
  }
  std::vector<int> leaves(type ? NumLeaves(*type) : NumLeaves(schema));
  std::iota(leaves.begin(), leaves.end(), first);
  return leaves;
}

arrow::Result<arrow::FieldPath> PathOfLeaf(const arrow::Schema& schema, int leaf) {
  std::vector<int> path;
  const arrow::FieldVector* siblings = &schema.fields();
  std::shared_ptr<DataType> type;
  int rest = leaf;
  while (rest >= 0) {
    int index = 0;
    for (; index < static_cast<int>(siblings->size()); ++index) {
      const int leaves = NumLeaves(*(*siblings)[index]->type());
      if (rest < leaves) break;
      rest -= leaves;
    }
    if (index == static_cast<int>(siblings->size())) break;
    path.push_back(index);
    type = (*siblings)[index]->type();
    if (!HasChildren(*type)) return arrow::FieldPath(std::move(path));
    siblings = &type->fields();
  }
  return arrow::Status::IndexError("no leaf ", leaf, " in a schema of ", NumLeaves(schema),
                                   " leaves");
}

}  // namespace schema
}  // namespace shoal
