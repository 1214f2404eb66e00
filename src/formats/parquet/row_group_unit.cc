#include "formats/parquet/row_group_unit.h"

#include <algorithm>

#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include "formats/parquet/dictionary_column.h"
#include "formats/parquet/facts.h"
#include "formats/parquet/guard.h"
#include "formats/resident_file.h"

namespace shoal::formats::parquet {

namespace {

/// Where a column chunk lies, dictionary page included. Lying offsets are errors here or when the bytes are fetched.
arrow::Result<ByteRange> ChunkRange(const ::parquet::FileMetaData& metadata,
                                    const ::parquet::ColumnChunkMetaData& chunk, int64_t file_size) {
  int64_t begin = chunk.data_page_offset();
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    begin = std::min(begin, chunk.dictionary_page_offset());
  }
  int64_t length = chunk.total_compressed_size();
  if (begin < 0 || length < 0 || begin > file_size || length > file_size - begin) {
    return arrow::Status::IOError("column '", chunk.path_in_schema()->ToDotString(), "' claims bytes ", begin, " to ",
                                  begin + length, " of ", file_size, ": the file is truncated or corrupt");
  }
  // parquet-mr before 1.2.9 left the dictionary page's header out of the length (PARQUET-816).
  if (metadata.writer_version().VersionLt(::parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION())) {
    length += std::min<int64_t>(100, file_size - begin - length);
  }
  return ByteRange{begin, length};
}

/// What libparquet holds while it decodes a chunk: an inflated page, the dictionary and the values of a batch.
int64_t DecodeState(const ::parquet::ColumnChunkMetaData& chunk, int64_t rows, int64_t batch_rows) {
  constexpr int64_t kPage = 1 << 20;
  int64_t inflated = std::max<int64_t>(chunk.total_uncompressed_size(), 0);
  int64_t batch = rows > 0 ? static_cast<int64_t>(static_cast<double>(inflated) * std::min(1.0, 1.0 * batch_rows / rows)) : 0;
  return std::min(inflated, 2 * kPage) + batch;
}

class RowGroupUnit final : public Unit {
 public:
  explicit RowGroupUnit(UnitRequest request) : Unit(request.file), request_(std::move(request)) {}

  arrow::Result<Step> Next(Resident got) override {
    arrow::Result<Step> step = Guard(file()->path, [&] { return Advance(std::move(got)); });
    if (step.ok()) return step;
    // libparquet's own messages name neither file nor row group.
    const std::string& message = step.status().message();
    const std::string prefix = message.find(file()->path) == std::string::npos ? "'" + file()->path + "', " : "";
    return step.status().WithMessage(prefix, "row group ", request_.row_group, ": ", message);
  }

 private:
  const ParquetFacts& facts() const { return static_cast<const ParquetFacts&>(*request_.facts); }

  arrow::Result<Step> Advance(Resident got) {
    if (!batches_) {
      if (got.buffers.empty()) return Need();
      ARROW_RETURN_NOT_OK(Open(std::move(got)));
    }
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch));
    if (batch) {
      rows_ += batch->num_rows();
      return Spread(std::move(batch));
    }
    int64_t claimed = facts().row_group_rows(request_.row_group).value();
    if (rows_ != claimed) {
      return arrow::Status::IOError("holds ", rows_, " rows where the footer says ", claimed, ": the file is corrupt");
    }
    batches_.reset();
    reader_.reset();
    return Done{};
  }

  arrow::Result<Step> Need() {
    const auto& metadata = *facts().metadata();
    auto group = metadata.RowGroup(request_.row_group);
    NeedBytes need;
    for (int leaf : request_.leaves) {
      auto chunk = group->ColumnChunk(leaf);
      ARROW_ASSIGN_OR_RAISE(auto range, ChunkRange(metadata, *chunk, facts().file_size()));
      need.ranges.push_back(range);
      need.decode_bytes += DecodeState(*chunk, group->num_rows(), request_.batch_rows);
    }
    ranges_ = need.ranges;
    return need;
  }

  arrow::Status Open(Resident got) {
    auto input = std::make_shared<ResidentFile>(file()->path, facts().file_size(), std::move(ranges_),
                                                std::move(got.buffers));
    ::parquet::ReaderProperties properties(request_.pool);
    properties.set_page_checksum_verification(true);
    ::parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
    arrow_properties.set_batch_size(request_.batch_rows);
    arrow_properties.set_pre_buffer(false);
    auto group = facts().metadata()->RowGroup(request_.row_group);
    schema_ = ProjectLeaves(*facts().schema(), request_.leaves);
    const bool flat = schema_->num_fields() == static_cast<int>(request_.leaves.size());
    for (int i = 0; flat && i < schema_->num_fields(); ++i) {
      const int leaf = request_.leaves[i];
      if (PrefersDictionary(*group->ColumnChunk(leaf), *schema_->field(i)->type())) {
        arrow_properties.set_read_dictionary(leaf, true);
        spread_.push_back(i);
      }
    }
    auto file_reader = ::parquet::ParquetFileReader::Open(std::move(input), properties, facts().metadata());
    ARROW_ASSIGN_OR_RAISE(reader_, ::parquet::arrow::FileReader::Make(request_.pool, std::move(file_reader),
                                                                      arrow_properties));
    ARROW_ASSIGN_OR_RAISE(batches_, reader_->GetRecordBatchReader({request_.row_group}, request_.leaves));
    return arrow::Status::OK();
  }

  /// Columns that were read as dictionaries, in their own type.
  arrow::Result<Step> Spread(std::shared_ptr<arrow::RecordBatch> batch) const {
    if (spread_.empty()) return Step(std::move(batch));
    auto columns = batch->columns();
    for (int i : spread_) {
      if (columns[i]->type_id() != arrow::Type::DICTIONARY) continue;
      ARROW_ASSIGN_OR_RAISE(columns[i], SpreadDictionary(static_cast<const arrow::DictionaryArray&>(*columns[i]),
                                                         schema_->field(i)->type(), request_.pool));
    }
    return Step(arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns)));
  }

  UnitRequest request_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<int> spread_;  // columns of schema_
  std::vector<ByteRange> ranges_;
  std::unique_ptr<::parquet::arrow::FileReader> reader_;  // must outlive batches_
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  int64_t rows_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeRowGroupUnit(UnitRequest request) {
  return std::make_unique<RowGroupUnit>(std::move(request));
}

}  // namespace shoal::formats::parquet
