#include "formats/parquet/dictionary_column.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <arrow/extension_type.h>
#include <arrow/util/binary_view_util.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/int_util.h>

namespace shoal::formats::parquet {

namespace {

/// As it lies in the file. A larger one has mostly different values, and spreading it would gain
/// nothing.
constexpr int64_t kSmallDictionary = 64 << 10;

using View = arrow::BinaryViewType::c_type;

using Data = std::shared_ptr<arrow::ArrayData>;

arrow::Status CheckBounds(const arrow::ArrayData& data, const arrow::DictionaryType& type) {
  auto indices = data.Copy();
  indices->type = type.index_type();
  indices->dictionary = nullptr;
  return arrow::internal::CheckIndexBounds(*indices,
                                           static_cast<uint64_t>(data.dictionary->length));
}

/// The data with indices that all have a value. `parents`: of the structs around it, which slots
/// are not null; nullptr: all. libparquet gives a field that can't be null itself no nulls where
/// the struct is null, but index 0, and the dictionary may be empty: such slots are made null.
arrow::Result<Data> WithSoundIndices(const Data& data,
                                     const std::shared_ptr<arrow::Buffer>& parents) {
  const arrow::DataType* type = data->type.get();
  while (type->id() == arrow::Type::EXTENSION) {
    type = static_cast<const arrow::ExtensionType&>(*type).storage_type().get();
  }
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
    const arrow::Status status = CheckBounds(*data, dictionary);
    if (status.ok()) return data;
    if (!parents || data->buffers[0] || data->offset != 0) return status;
    Data repaired = data->Copy();
    repaired->buffers[0] = parents;
    repaired->SetNullCount(arrow::kUnknownNullCount);
    ARROW_RETURN_NOT_OK(CheckBounds(*repaired, dictionary));
    return repaired;
  }
  // Slots of children are those of a struct that begins at its first one; items of lists are
  // others.
  std::shared_ptr<arrow::Buffer> below;
  if (type->id() == arrow::Type::STRUCT && data->offset == 0) {
    below = data->MayHaveNulls() ? data->buffers[0] : parents;
  }
  Data out = data;
  for (size_t i = 0; i < data->child_data.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(Data child, WithSoundIndices(data->child_data[i], below));
    if (child == data->child_data[i]) continue;
    if (out == data) out = data->Copy();
    out->child_data[i] = std::move(child);
  }
  return out;
}

}  // namespace

bool PrefersDictionary(const ::parquet::ColumnChunkMetaData& chunk, const arrow::DataType& type) {
  const bool is_view =
      type.id() == arrow::Type::STRING_VIEW || type.id() == arrow::Type::BINARY_VIEW;
  if (!is_view || chunk.type() != ::parquet::Type::BYTE_ARRAY || !chunk.has_dictionary_page())
    return false;
  if (chunk.data_page_offset() - chunk.dictionary_page_offset() > kSmallDictionary) return false;
  const auto& stats = chunk.encoding_stats();
  return !stats.empty() &&
         std::all_of(stats.begin(), stats.end(), [](const ::parquet::PageEncodingStats& page) {
           const bool data = page.page_type == ::parquet::PageType::DATA_PAGE ||
                             page.page_type == ::parquet::PageType::DATA_PAGE_V2;
           return !data || page.encoding == ::parquet::Encoding::RLE_DICTIONARY ||
                  page.encoding == ::parquet::Encoding::PLAIN_DICTIONARY;
         });
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> WithSoundIndices(
    std::shared_ptr<arrow::RecordBatch> batch) {
  for (int i = 0; i < batch->num_columns(); ++i) {
    auto sound = WithSoundIndices(batch->column_data(i), nullptr);
    if (!sound.ok()) {
      return arrow::Status::IOError(
          "column '", batch->schema()->field(i)->name(),
          "' refers to entries that its dictionary does not have: the file is corrupt (",
          sound.status().message(), ")");
    }
    if (*sound == batch->column_data(i)) continue;
    ARROW_ASSIGN_OR_RAISE(
        batch, batch->SetColumn(i, batch->schema()->field(i), arrow::MakeArray(*std::move(sound))));
  }
  return batch;
}

arrow::Result<std::shared_ptr<arrow::Array>> SpreadDictionary(
    const arrow::DictionaryArray& encoded, const std::shared_ptr<arrow::DataType>& type,
    arrow::MemoryPool* pool) {
  const auto& dictionary = static_cast<const arrow::BinaryArray&>(*encoded.dictionary());
  const auto& indices = static_cast<const arrow::Int32Array&>(*encoded.indices());
  std::vector<View> values(dictionary.length());
  for (int64_t i = 0; i < dictionary.length(); ++i) {
    values[i] = arrow::util::ToBinaryView(dictionary.GetView(i), /*buffer_index=*/0,
                                          dictionary.value_offset(i));
  }
  const int64_t n = encoded.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> spread,
                        arrow::AllocateBuffer(n * sizeof(View), pool));
  auto* out = reinterpret_cast<View*>(spread->mutable_data());
  const int32_t* in = indices.raw_values();
  if (encoded.null_count() == 0) {
    for (int64_t i = 0; i < n; ++i) out[i] = values[in[i]];
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = encoded.IsNull(i) ? View{} : values[in[i]];
  }
  // The view buffer starts at row 0, so a validity bitmap with an offset is carried over bit by
  // bit.
  std::shared_ptr<arrow::Buffer> valid = indices.null_bitmap();
  if (valid && indices.offset() != 0) {
    ARROW_ASSIGN_OR_RAISE(valid,
                          arrow::internal::CopyBitmap(pool, valid->data(), indices.offset(), n));
  }
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {std::move(valid), std::move(spread)};
  buffers.push_back(dictionary.value_data() ? dictionary.value_data()
                                            : std::make_shared<arrow::Buffer>(nullptr, 0));
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, n, std::move(buffers), encoded.null_count()));
}

}  // namespace shoal::formats::parquet
