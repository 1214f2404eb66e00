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

/// As it lies in the file. A larger one has mostly different values, and spreading it would gain nothing.
constexpr int64_t kSmallDictionary = 64 << 10;

using View = arrow::BinaryViewType::c_type;

arrow::Status CheckIndices(const arrow::ArrayData& data) {
  const arrow::DataType* type = data.type.get();
  while (type->id() == arrow::Type::EXTENSION) {
    type = static_cast<const arrow::ExtensionType&>(*type).storage_type().get();
  }
  if (type->id() == arrow::Type::DICTIONARY) {
    auto indices = data.Copy();
    indices->type = static_cast<const arrow::DictionaryType&>(*type).index_type();
    indices->dictionary = nullptr;
    return arrow::internal::CheckIndexBounds(*indices, static_cast<uint64_t>(data.dictionary->length));
  }
  for (const auto& child : data.child_data) ARROW_RETURN_NOT_OK(CheckIndices(*child));
  return arrow::Status::OK();
}

}  // namespace

bool PrefersDictionary(const ::parquet::ColumnChunkMetaData& chunk, const arrow::DataType& type) {
  const bool is_view = type.id() == arrow::Type::STRING_VIEW || type.id() == arrow::Type::BINARY_VIEW;
  if (!is_view || chunk.type() != ::parquet::Type::BYTE_ARRAY || !chunk.has_dictionary_page()) return false;
  if (chunk.data_page_offset() - chunk.dictionary_page_offset() > kSmallDictionary) return false;
  const auto& stats = chunk.encoding_stats();
  return !stats.empty() && std::all_of(stats.begin(), stats.end(), [](const ::parquet::PageEncodingStats& page) {
    const bool data = page.page_type == ::parquet::PageType::DATA_PAGE ||
                      page.page_type == ::parquet::PageType::DATA_PAGE_V2;
    return !data || page.encoding == ::parquet::Encoding::RLE_DICTIONARY ||
           page.encoding == ::parquet::Encoding::PLAIN_DICTIONARY;
  });
}

arrow::Status CheckIndices(const arrow::RecordBatch& batch) {
  for (int i = 0; i < batch.num_columns(); ++i) {
    const arrow::Status status = CheckIndices(*batch.column_data(i));
    if (!status.ok()) {
      return arrow::Status::IOError("column '", batch.schema()->field(i)->name(),
                                    "' refers to entries that its dictionary does not have: the file is corrupt (",
                                    status.message(), ")");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> SpreadDictionary(const arrow::DictionaryArray& encoded,
                                                              const std::shared_ptr<arrow::DataType>& type,
                                                              arrow::MemoryPool* pool) {
  const auto& dictionary = static_cast<const arrow::BinaryArray&>(*encoded.dictionary());
  const auto& indices = static_cast<const arrow::Int32Array&>(*encoded.indices());
  std::vector<View> values(dictionary.length());
  for (int64_t i = 0; i < dictionary.length(); ++i) {
    values[i] = arrow::util::ToBinaryView(dictionary.GetView(i), /*buffer_index=*/0, dictionary.value_offset(i));
  }
  const int64_t n = encoded.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> spread, arrow::AllocateBuffer(n * sizeof(View), pool));
  auto* out = reinterpret_cast<View*>(spread->mutable_data());
  const int32_t* in = indices.raw_values();
  if (encoded.null_count() == 0) {
    for (int64_t i = 0; i < n; ++i) out[i] = values[in[i]];
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = encoded.IsNull(i) ? View{} : values[in[i]];
  }
  // The view buffer starts at row 0, so a validity bitmap with an offset is carried over bit by bit.
  std::shared_ptr<arrow::Buffer> valid = indices.null_bitmap();
  if (valid && indices.offset() != 0) {
    ARROW_ASSIGN_OR_RAISE(valid, arrow::internal::CopyBitmap(pool, valid->data(), indices.offset(), n));
  }
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {std::move(valid), std::move(spread)};
  buffers.push_back(dictionary.value_data() ? dictionary.value_data() : std::make_shared<arrow::Buffer>(nullptr, 0));
  return arrow::MakeArray(arrow::ArrayData::Make(type, n, std::move(buffers), encoded.null_count()));
}

}  // namespace shoal::formats::parquet
