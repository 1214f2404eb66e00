#include "formats/ipc/layout.h"

#include <algorithm>
#include <set>

#include <arrow/extension_type.h>

#include <shoal/file_format.h>

#include "formats/ipc/flat_buffer.h"

namespace shoal::formats::ipc {

namespace {

using arrow::DataType;
using arrow::Status;
using arrow::Type;

Status Contradiction() {
  return Status::IOError("its schema contradicts itself: the file is corrupt");
}

class Reader {
 public:
  Reader(FlatBuffer& flat, SchemaLayout* out) : flat_(flat), out_(out) {}

  arrow::Result<FieldLayout> Field(FlatBuffer::Table field, const std::shared_ptr<DataType>& type) {
    FieldLayout out{type};
    std::shared_ptr<DataType> storage = StorageOf(type);
    if (storage->id() == Type::DICTIONARY) {
      const auto encoding = flat_.TableField(field, 4);
      if (!encoding) return Contradiction();
      out.dictionary_id = flat_.Scalar<int64_t>(encoding, 0);
      if (out.dictionary_id < 0) return Contradiction();
      storage = static_cast<const arrow::DictionaryType&>(*storage).value_type();
    }
    const auto children = flat_.VectorField(field, 5, 4);
    const std::shared_ptr<DataType> parent = StorageOf(storage);
    const int n = parent->num_fields();
    if (n > 0 && static_cast<int>(children.size) != n) return Contradiction();
    for (int i = 0; i < n; ++i) {
      ARROW_ASSIGN_OR_RAISE(auto child,
                            Field(flat_.TableAt(children, i), parent->field(i)->type()));
      out.children.push_back(std::move(child));
    }
    if (out.dictionary_id >= 0) {
      const auto [known, is_new] =
          out_->dictionaries.try_emplace(out.dictionary_id, FieldLayout{storage, -1, out.children});
      if (!is_new && !known->second.type->Equals(*storage)) return Contradiction();
    }
    return out;
  }

 private:
  FlatBuffer& flat_;
  SchemaLayout* out_;
};

void CollectDictionaries(const SchemaLayout& schema, const FieldLayout& field,
                         std::set<int64_t>* out) {
  if (field.dictionary_id >= 0) out->insert(field.dictionary_id);
  for (const auto& child : field.children) CollectDictionaries(schema, child, out);
}

}  // namespace

const std::shared_ptr<DataType>& StorageOf(const std::shared_ptr<DataType>& type) {
  if (type->id() != Type::EXTENSION) return type;
  return StorageOf(static_cast<const arrow::ExtensionType&>(*type).storage_type());
}

arrow::Result<SchemaLayout> LayoutOf(const arrow::Schema& schema, std::string_view bytes,
                                     int schema_field) {
  FlatBuffer flat(bytes);
  const auto table = flat.TableField(flat.Root(), schema_field);
  SchemaLayout out;
  const bool big = flat.Scalar<int16_t>(table, 0) != 0;
  out.swap_endian = big != (arrow::Endianness::Native == arrow::Endianness::Big);
  const auto fields = flat.VectorField(table, 1, 4);
  if (static_cast<int>(fields.size) != schema.num_fields()) return Contradiction();
  Reader reader(flat, &out);
  for (int i = 0; i < schema.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto field,
                          reader.Field(flat.TableAt(fields, i), schema.field(i)->type()));
    out.fields.push_back(std::move(field));
  }
  if (flat.failed()) return Contradiction();
  return out;
}

std::vector<int64_t> DictionariesOf(const SchemaLayout& layout, const std::vector<int>& leaves) {
  // A nested column is taken to need all that it has.
  std::set<int64_t> out;
  int first = 0;
  for (const FieldLayout& field : layout.fields) {
    const int end = first + NumLeaves(*field.type);
    const auto kept = std::lower_bound(leaves.begin(), leaves.end(), first);
    if (kept != leaves.end() && *kept < end) CollectDictionaries(layout, field, &out);
    first = end;
  }
  return {out.begin(), out.end()};
}

}  // namespace shoal::formats::ipc
