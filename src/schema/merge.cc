#include "schema/merge.h"

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/type.h>

namespace shoal::schema {
namespace {

struct Column {
  std::shared_ptr<arrow::Field> field;
  const std::string* type_from;  // the file that gave the column its type
  size_t files = 0;              // that have it
  size_t last_file = 0;
};

// A column of nulls allows null, whatever it declares.
bool IsNull(const arrow::Field& field) { return field.type()->id() == arrow::Type::NA; }

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> MergeSchemas(std::span<const FileSchema> files,
                                                           Promote promote) {
  std::vector<Column> columns;
  std::unordered_map<std::string, size_t> by_name;
  std::shared_ptr<const arrow::KeyValueMetadata> metadata;
  for (size_t f = 0; f < files.size(); ++f) {
    const FileSchema& file = files[f];
    if (!metadata) metadata = file.schema->metadata();
    for (const auto& field : file.schema->fields()) {
      auto [found, is_new] = by_name.emplace(field->name(), columns.size());
      if (is_new) {
        columns.push_back({field, &file.path, 1, f});
        continue;
      }
      Column& column = columns[found->second];
      if (column.last_file == f) {
        return arrow::Status::Invalid("file ", file.path, " has two columns named `", field->name(),
                                      "`; rename one of them, or open it with duplicate_names = "
                                      "rename");
      }
      column.last_file = f;
      ++column.files;
      const auto& have = column.field;
      auto type = MergeTypes(have->type(), field->type(), promote);
      if (!type.ok()) {
        const bool permits = promote == Promote::kLossless &&
                             MergeTypes(have->type(), field->type(), Promote::kPermissive).ok();
        return arrow::Status::TypeError(
            "column `", field->name(), "` is ", *have->type(), " in ", *column.type_from, " and ",
            *field->type(), " in ", file.path, ": ", type.status().message(),
            ". Declare a schema to say which type is meant",
            permits ? ", or open it with promote = permissive to check values instead" : "");
      }
      if (!(*type)->Equals(*have->type())) column.type_from = &file.path;
      column.field =
          arrow::field(have->name(), *std::move(type),
                       have->nullable() || field->nullable() || IsNull(*have) || IsNull(*field),
                       have->HasMetadata() ? have->metadata() : field->metadata());
    }
  }
  arrow::FieldVector fields;
  fields.reserve(columns.size());
  for (Column& column : columns) {
    const bool everywhere = column.files == files.size();
    fields.push_back(everywhere ? std::move(column.field) : column.field->WithNullable(true));
  }
  return arrow::schema(std::move(fields), std::move(metadata));
}

}  // namespace shoal::schema
