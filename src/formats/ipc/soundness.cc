#include "formats/ipc/soundness.h"

#include <memory>

#include <arrow/array/array_primitive.h>
#include <arrow/array/validate.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "formats/ipc/layout.h"

namespace shoal::formats::ipc {

namespace {

using arrow::ArrayData;
using arrow::DataType;
using arrow::Type;
using TypePtr = std::shared_ptr<DataType>;

std::shared_ptr<ArrayData> Skeleton(const ArrayData& data);

std::shared_ptr<arrow::Field> Named(const DataType& parent, int i, const TypePtr& type) {
  return arrow::field(parent.field(i)->name(), type);
}

/// The type with the same buffers that asks the least of what is in them.
TypePtr SkeletonType(const TypePtr& type, const std::vector<std::shared_ptr<ArrayData>>& children) {
  switch (type->id()) {
    case Type::NA:
    case Type::BOOL:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
      return type;
    case Type::STRING:
      return arrow::binary();
    case Type::LARGE_STRING:
      return arrow::large_binary();
    case Type::STRING_VIEW:
      return arrow::binary_view();
    case Type::LIST:
      return arrow::list(children[0]->type);
    case Type::LARGE_LIST:
      return arrow::large_list(children[0]->type);
    case Type::LIST_VIEW:
      return arrow::list_view(children[0]->type);
    case Type::LARGE_LIST_VIEW:
      return arrow::large_list_view(children[0]->type);
    case Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          children[0]->type, static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case Type::MAP:
      return arrow::map(children[0]->type->field(0)->type(), children[0]->type->field(1)->type());
    case Type::STRUCT:
    case Type::SPARSE_UNION:
    case Type::DENSE_UNION: {
      arrow::FieldVector fields;
      for (size_t i = 0; i < children.size(); ++i)
        fields.push_back(Named(*type, static_cast<int>(i), children[i]->type));
      if (type->id() == Type::STRUCT) return arrow::struct_(std::move(fields));
      const auto& codes = static_cast<const arrow::UnionType&>(*type).type_codes();
      return type->id() == Type::SPARSE_UNION ? arrow::sparse_union(std::move(fields), codes)
                                              : arrow::dense_union(std::move(fields), codes);
    }
    case Type::RUN_END_ENCODED:
      return arrow::run_end_encoded(children[0]->type, children[1]->type);
    case Type::DICTIONARY:
      return arrow::dictionary(static_cast<const arrow::DictionaryType&>(*type).index_type(),
                               arrow::null());
    default:
      return arrow::fixed_size_binary(type->byte_width());
  }
}

std::shared_ptr<ArrayData> Skeleton(const ArrayData& data) {
  auto out = std::make_shared<ArrayData>(data);
  out->type = StorageOf(data.type);
  const bool runs = out->type->id() == Type::RUN_END_ENCODED;
  for (size_t i = 0; i < data.child_data.size(); ++i) {
    // Run ends are numbers that are looked at.
    if (!runs || i > 0) out->child_data[i] = Skeleton(*data.child_data[i]);
  }
  if (out->type->id() == Type::DICTIONARY) {
    const int64_t length = data.dictionary ? data.dictionary->length : 0;
    out->dictionary = arrow::NullArray(length).data();
  }
  out->type = SkeletonType(out->type, out->child_data);
  return out;
}

}  // namespace

arrow::Status CheckSound(const ArrayData& data) {
  return arrow::internal::ValidateArrayFull(*Skeleton(data));
}

}  // namespace shoal::formats::ipc
