#include "schema/unseen_column.h"

#include <arrow/type.h>

namespace shoal::schema {

namespace {

std::string UnseenField(const arrow::DataType& file, const arrow::DataType& table) {
  if (file.id() == arrow::Type::STRUCT && table.id() == arrow::Type::STRUCT) {
    const auto& known = static_cast<const arrow::StructType&>(table);
    for (const auto& field : file.fields()) {
      const auto to = known.GetFieldByName(field->name());
      if (to == nullptr) return "." + field->name();
      std::string inside = UnseenField(*field->type(), *to->type());
      if (!inside.empty()) return "." + field->name() + inside;
    }
    return "";
  }
  if (file.id() == arrow::Type::MAP && table.id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(file);
    const auto& known = static_cast<const arrow::MapType&>(table);
    std::string inside = UnseenField(*map.key_type(), *known.key_type());
    return inside.empty() ? UnseenField(*map.item_type(), *known.item_type()) : inside;
  }
  // Items of lists: writers name them as they like.
  if (file.num_fields() != table.num_fields()) return "";
  for (int i = 0; i < file.num_fields(); ++i) {
    std::string inside = UnseenField(*file.field(i)->type(), *table.field(i)->type());
    if (!inside.empty()) return inside;
  }
  return "";
}

}  // namespace

std::string UnseenColumn(const arrow::Schema& file, const arrow::Schema& table) {
  for (const auto& field : file.fields()) {
    const auto to = table.GetFieldByName(field->name());
    if (to == nullptr) return field->name();
    std::string inside = UnseenField(*field->type(), *to->type());
    if (!inside.empty()) return field->name() + inside;
  }
  return "";
}

}  // namespace shoal::schema
