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
    return arrow::Status::IOError("column '", chunk.path_in_schema()->ToDotString(), "' claims ", length, " bytes from byte ",
                                  begin, " of ", file_size, ": the file is truncated or corrupt");
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
  // A size that lies must not overflow the sum over many columns.
  int64_t inflated = std::clamp<int64_t>(chunk.total_uncompressed_size(), 0, int64_t{1} << 40);
  int64_t batch = rows > 0 ? static_cast<int64_t>(static_cast<double>(inflated) * std::min(1.0, 1.0 * batch_rows / rows)) : 0;
  return std::min(inflated, 2 * kPage) + batch;
}

class RowGroupUnit final : public Unit {
 public:
  explicit RowGroupUnit(UnitRequest request) : Unit(request.file), request_(std::move(request)) {}

  arrow::Result<Step> Next(Resident got) override {
    arrow::Result<Step> step = Guard(file()->path, [&] { return Advance(std::move(got)); });
    if (step.ok()) return step;
    // libparquet's own messages name neither file nor row group nor column.
    const arrow::Status error = NameColumn(step.status());
    const std::string& message = error.message();
    const std::string prefix = message.find(file()->path) == std::string::npos ? "'" + file()->path + "', " : "";
    return error.WithMessage(prefix, "row group ", request_.row_group, ": ", message);
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
      ARROW_ASSIGN_OR_RAISE(batch, WithSoundIndices(std::move(batch)));
      return Spread(std::move(batch));
    }
    int64_t claimed = facts().row_group_rows(request_.row_group).value();
    if (rows_ != claimed) {
      return arrow::Status::IOError("holds ", rows_, " rows where the footer says ", claimed, ": the file is corrupt");
    }
    batches_.reset();
    reader_.reset();
    input_.reset();
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

  ::parquet::ReaderProperties FileProperties() const {
    ::parquet::ReaderProperties properties(request_.pool);
    properties.set_page_checksum_verification(true);
    return properties;
  }

  /// The same error with the column that causes it, which is found by reading each alone.
  arrow::Status NameColumn(const arrow::Status& error) const {
    if (!input_ || error.IsOutOfMemory() || error.message().find("column '") != std::string::npos) return error;
    for (int leaf : request_.leaves) {
      const arrow::Status alone = Guard(file()->path, [&] { return ReadThrough(leaf); });
      if (alone.ok()) continue;
      const std::string name = facts().metadata()->schema()->Column(leaf)->path()->ToDotString();
      return alone.WithMessage("column '", name, "': ", alone.message());
    }
    return error;
  }

  arrow::Status ReadThrough(int leaf) const {
    ::parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_pre_buffer(false);
    properties.set_batch_size(std::clamp<int64_t>(facts().row_group_rows(request_.row_group).value(), 1,
                                                  request_.batch_rows));
    auto file_reader = ::parquet::ParquetFileReader::Open(input_, FileProperties(), facts().metadata());
    ARROW_ASSIGN_OR_RAISE(auto reader, ::parquet::arrow::FileReader::Make(request_.pool, std::move(file_reader),
                                                                          properties));
    ARROW_ASSIGN_OR_RAISE(auto batches, reader->GetRecordBatchReader({request_.row_group}, {leaf}));
    std::shared_ptr<arrow::RecordBatch> batch;
    do {
      ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
    } while (batch);
    return arrow::Status::OK();
  }

  arrow::Status Open(Resident got) {
    input_ = std::make_shared<ResidentFile>(file()->path, facts().file_size(), std::move(ranges_),
                                            std::move(got.buffers));
    ::parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
    auto group = facts().metadata()->RowGroup(request_.row_group);
    // libparquet makes room for a whole batch, however few rows there are.
    arrow_properties.set_batch_size(std::clamp<int64_t>(group->num_rows(), 1, request_.batch_rows));
    arrow_properties.set_pre_buffer(false);
    schema_ = ProjectLeaves(*facts().schema(), request_.leaves);
    const bool flat = schema_->num_fields() == static_cast<int>(request_.leaves.size());
    for (int i = 0; flat && i < schema_->num_fields(); ++i) {
      const int leaf = request_.leaves[i];
      if (PrefersDictionary(*group->ColumnChunk(leaf), *schema_->field(i)->type())) {
        arrow_properties.set_read_dictionary(leaf, true);
        spread_.push_back(i);
      }
    }
    auto file_reader = ::parquet::ParquetFileReader::Open(input_, FileProperties(), facts().metadata());
    ARROW_ASSIGN_OR_RAISE(reader_, ::parquet::arrow::FileReader::Make(request_.pool, std::move(file_reader),
                                                                      arrow_properties));
    ARROW_ASSIGN_OR_RAISE(batches_, reader_->GetRecordBatchReader({request_.row_group}, request_.leaves));
    return arrow::Status::OK();
  }

  /// Columns that were read as dictionaries, in their own type.
  arrow::Result<Step> Spread(std::shared_ptr<arrow::RecordBatch> batch) const {
    if (spread_.empty()) return batch;
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
  std::shared_ptr<ResidentFile> input_;
  std::unique_ptr<::parquet::arrow::FileReader> reader_;  // must outlive batches_
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  int64_t rows_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeRowGroupUnit(UnitRequest request) {
  return std::make_unique<RowGroupUnit>(std::move(request));
}

}  // namespace shoal::formats::parquet
