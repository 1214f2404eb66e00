#include <map>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>

#include "plain_evaluator.h"

namespace shoal::oracle {
namespace {

using arrow::Result;
using ArrayPtr = std::shared_ptr<arrow::Array>;

Result<std::shared_ptr<arrow::Table>> ReadFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(input, arrow::default_memory_pool()));
  return reader->ReadTable();
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

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> ReadPlainly(const MadeDataset& dataset) {
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

  std::vector<arrow::ArrayVector> parts(fields.size());
  int64_t rows = 0;
  for (size_t f = 0; f < dataset.files.size(); ++f) {
    const auto& table = tables[f];
    rows += table->num_rows();
    for (size_t c = 0; c < fields.size(); ++c) {
      const auto& type = fields[c]->type();
      ArrayPtr part;
      if (const auto* key = Find(dataset.files[f].keys, fields[c]->name())) {
        ARROW_ASSIGN_OR_RAISE(part, Repeated(*key, type, table->num_rows()));
      } else if (auto column = table->GetColumnByName(fields[c]->name())) {
        ARROW_ASSIGN_OR_RAISE(part, InOneArray(*column));
      } else {
        ARROW_ASSIGN_OR_RAISE(part, arrow::MakeArrayOfNull(type, table->num_rows()));
      }
      if (!part->type()->Equals(*type)) {
        return arrow::Status::TypeError(dataset.files[f].path, ": column ", fields[c]->name(),
                                        " is ", *part->type(), ", not ", *type);
      }
      parts[c].push_back(std::move(part));
    }
  }
  arrow::ArrayVector columns;
  for (const auto& column : parts) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::Concatenate(column));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
}

}  // namespace shoal::oracle
