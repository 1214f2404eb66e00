#include "row_bytes.h"

#include <string_view>

#include <arrow/array.h>
#include <arrow/type_traits.h>
#include <arrow/util/checked_cast.h>

#include "must.h"

namespace shoal::oracle {
namespace {

using arrow::Array;
using arrow::Type;
using arrow::internal::checked_cast;

void AppendSized(std::string_view bytes, std::string* out) {
  *out += std::to_string(bytes.size());
  *out += ':';
  *out += bytes;
}

void AppendValue(const Array& array, int64_t i, std::string* out);

template <typename ListArray>
void AppendItems(const ListArray& lists, int64_t i, std::string* out) {
  *out += std::to_string(lists.value_length(i)) + "[";
  for (int64_t j = 0; j < lists.value_length(i); ++j) {
    AppendValue(*lists.values(), lists.value_offset(i) + j, out);
  }
}

void AppendValue(const Array& array, int64_t i, std::string* out) {
  if (array.IsNull(i) || array.type_id() == Type::NA) {
    *out += 'N';
    return;
  }
  if (array.type_id() == Type::DICTIONARY) {
    const auto& dictionary = checked_cast<const arrow::DictionaryArray&>(array);
    return AppendValue(*dictionary.dictionary(), dictionary.GetValueIndex(i), out);
  }
  *out += 'V';
  switch (array.type_id()) {
    case Type::BOOL:
      *out += checked_cast<const arrow::BooleanArray&>(array).Value(i) ? 't' : 'f';
      return;
    case Type::STRING:
    case Type::BINARY:
      return AppendSized(checked_cast<const arrow::BinaryArray&>(array).GetView(i), out);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return AppendSized(checked_cast<const arrow::LargeBinaryArray&>(array).GetView(i), out);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return AppendSized(checked_cast<const arrow::BinaryViewArray&>(array).GetView(i), out);
    case Type::STRUCT: {
      const auto& structs = checked_cast<const arrow::StructArray&>(array);
      for (int f = 0; f < structs.num_fields(); ++f) AppendValue(*structs.field(f), i, out);
      return;
    }
    case Type::LIST:
    case Type::MAP:
      return AppendItems(checked_cast<const arrow::ListArray&>(array), i, out);
    case Type::LARGE_LIST:
      return AppendItems(checked_cast<const arrow::LargeListArray&>(array), i, out);
    case Type::FIXED_SIZE_LIST:
      return AppendItems(checked_cast<const arrow::FixedSizeListArray&>(array), i, out);
    default:
      break;
  }
  const auto& data = *array.data();
  const int width = checked_cast<const arrow::FixedWidthType&>(*array.type()).byte_width();
  out->append(reinterpret_cast<const char*>(data.buffers[1]->data()) + (data.offset + i) * width,
              width);
}

}  // namespace

void AppendRows(const arrow::RecordBatch& batch, std::vector<std::string>* rows) {
  const size_t first = rows->size();
  rows->resize(first + batch.num_rows());
  for (const auto& column : batch.columns()) {
    for (int64_t i = 0; i < batch.num_rows(); ++i) AppendValue(*column, i, &(*rows)[first + i]);
  }
}

std::string RowText(const arrow::RecordBatch& batch, int64_t row) {
  std::string text = "{";
  for (int c = 0; c < batch.num_columns(); ++c) {
    text += (c > 0 ? ", " : "") + batch.column_name(c) + ": " +
            Must(batch.column(c)->GetScalar(row))->ToString();
  }
  return text + "}";
}

}  // namespace shoal::oracle
