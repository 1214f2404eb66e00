#include <map>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>

#include "ipc_maker.h"
#include "plain_evaluator.h"

namespace shoal::oracle {
namespace {

using arrow::Result;
using ArrayPtr = std::shared_ptr<arrow::Array>;

Result<std::shared_ptr<arrow::Table>> ReadFile(
    const std::string& path, const std::optional<std::vector<int>>& row_groups = std::nullopt) {
  if (IsIpcPath(path)) return ReadIpc(path, row_groups);
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(input, arrow::default_memory_pool()));
  return row_groups ? reader->ReadRowGroups(*row_groups) : reader->ReadTable();
}

Result<ArrayPtr> InOneArray(const arrow::ChunkedArray& column) {
  if (column.num_chunks() == 0) return arrow::MakeEmptyArray(column.type());
  return arrow::Concatenate(column.chunks());
}

const PartitionKey* Find(const std::vector<PartitionKey>& keys, const std::string& name) {
  for (const auto& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

// Whether all texts of the key are integers that fit and are written as numbers are.
template <typename T>
bool AreNumbers(const MadeDataset& dataset, const std::string& name) {
  bool any = false;
  for (const auto& file : dataset.files) {
    const PartitionKey* key = Find(file.keys, name);
    if (key == nullptr || !key->value) continue;
    any = true;
    auto parsed = arrow::Scalar::Parse(arrow::CTypeTraits<T>::type_singleton(), *key->value);
    if (!parsed.ok() || (*parsed)->ToString() != *key->value) return false;
  }
  return any;
}

std::shared_ptr<arrow::DataType> TypeOfKey(const MadeDataset& dataset, const std::string& name) {
  const auto& declared = dataset.partitioning->declared();
  if (auto field = declared ? declared->GetFieldByName(name) : nullptr) return field->type();
  if (AreNumbers<int32_t>(dataset, name)) return arrow::int32();
  if (AreNumbers<int64_t>(dataset, name)) return arrow::int64();
  return arrow::utf8();
}

Result<ArrayPtr> Repeated(const PartitionKey& key, const std::shared_ptr<arrow::DataType>& type,
                          int64_t rows) {
  if (!key.value) return arrow::MakeArrayOfNull(type, rows);
  auto text = arrow::MakeScalar(*key.value);
  ARROW_ASSIGN_OR_RAISE(auto texts, arrow::MakeArrayFromScalar(*text, rows));
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
    ARROW_ASSIGN_OR_RAISE(texts, arrow::compute::Cast(*texts, dictionary.value_type()));
    ARROW_ASSIGN_OR_RAISE(auto encoded, arrow::compute::DictionaryEncode(texts));
    const ArrayPtr array = encoded.make_array();
    const auto& values = static_cast<const arrow::DictionaryArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(auto indices,
                          arrow::compute::Cast(*values.indices(), dictionary.index_type()));
    return arrow::DictionaryArray::FromArrays(type, indices, values.dictionary());
  }
  return arrow::compute::Cast(*texts, type);
}

// What one file adds to the whole.
struct FilePart {
  const MadeFile* file;
  const arrow::Table* table;  // null: only its keys
  int64_t rows;
};

Result<ArrayPtr> ColumnOf(const FilePart& part, const arrow::Field& field) {
  // A key of the path stands for the column of the file.
  if (const auto* key = Find(part.file->keys, field.name())) {
    return Repeated(*key, field.type(), part.rows);
  }
  auto column = part.table ? part.table->GetColumnByName(field.name()) : nullptr;
  if (!column) return arrow::MakeArrayOfNull(field.type(), part.rows);
  if (!column->type()->Equals(*field.type())) {
    return arrow::Status::TypeError(part.file->path, ": column ", field.name(), " is ",
                                    *column->type(), ", not ", *field.type());
  }
  return InOneArray(*column);
}

Result<std::shared_ptr<arrow::RecordBatch>> Together(const std::vector<FilePart>& parts,
                                                     const std::shared_ptr<arrow::Schema>& schema) {
  int64_t rows = 0;
  for (const auto& part : parts) rows += part.rows;
  arrow::ArrayVector columns;
  for (const auto& field : schema->fields()) {
    ARROW_ASSIGN_OR_RAISE(auto none, arrow::MakeEmptyArray(field->type()));
    arrow::ArrayVector arrays = {std::move(none)};
    for (const auto& part : parts) {
      ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), ColumnOf(part, *field));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::Concatenate(arrays));
  }
  return arrow::RecordBatch::Make(schema, rows, std::move(columns));
}

}  // namespace

Result<PlainRows> ReadPlainly(const MadeDataset& dataset) {
  std::vector<std::shared_ptr<arrow::Table>> tables;
  arrow::FieldVector fields;
  std::map<std::string, int> position;
  for (const auto& file : dataset.files) {
    ARROW_ASSIGN_OR_RAISE(auto table, ReadFile(file.path));
    for (const auto& field : table->schema()->fields()) {
      if (position.emplace(field->name(), fields.size()).second) {
        fields.push_back(field->WithMetadata(nullptr)->WithNullable(true));
      }
    }
    tables.push_back(std::move(table));
  }
  // Keys that only paths carry: in order of appearance by path, then declared ones that none has.
  std::vector<std::string> keys;
  for (const auto& file : dataset.files) {
    for (const auto& key : file.keys) keys.push_back(key.name);
  }
  if (const auto& declared = dataset.partitioning->declared()) {
    for (const auto& field : declared->fields()) keys.push_back(field->name());
  }
  for (const auto& name : keys) {
    if (!position.emplace(name, fields.size()).second) continue;
    fields.push_back(arrow::field(name, TypeOfKey(dataset, name)));
  }

  const auto schema = arrow::schema(std::move(fields));
  std::vector<FilePart> full, empty;
  for (size_t f = 0; f < dataset.files.size(); ++f) {
    const int64_t rows = tables[f]->num_rows();
    full.push_back({&dataset.files[f], tables[f].get(), rows});
    if (rows == 0) empty.push_back({&dataset.files[f], nullptr, 1});
  }
  PlainRows out;
  ARROW_ASSIGN_OR_RAISE(out.rows, Together(full, schema));
  ARROW_ASSIGN_OR_RAISE(out.keys_of_empty_files, Together(empty, schema));
  return out;
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadPlainly(
    const MadeFile& file, const std::optional<std::vector<int>>& row_groups,
    const std::shared_ptr<arrow::Schema>& schema) {
  ARROW_ASSIGN_OR_RAISE(auto table, ReadFile(file.path, row_groups));
  return Together({{&file, table.get(), table->num_rows()}}, schema);
}

}  // namespace shoal::oracle
