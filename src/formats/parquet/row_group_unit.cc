#include "formats/parquet/row_group_unit.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include "formats/parquet/dictionary_column.h"
#include "formats/parquet/facts.h"
#include "formats/parquet/guard.h"
#include "formats/resident_file.h"

namespace shoal::formats::parquet {

namespace {

/// Where a column chunk lies, dictionary page included. Lying offsets are errors here or when the
/// bytes are fetched.
arrow::Result<ByteRange> ChunkRange(const ::parquet::FileMetaData& metadata,
                                    const ::parquet::ColumnChunkMetaData& chunk,
                                    int64_t file_size) {
  int64_t begin = chunk.data_page_offset();
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    begin = std::min(begin, chunk.dictionary_page_offset());
  }
  int64_t length = chunk.total_compressed_size();
  if (begin < 0 || length < 0 || begin > file_size || length > file_size - begin) {
    return arrow::Status::IOError("column '", chunk.path_in_schema()->ToDotString(), "' claims ",
                                  length, " bytes from byte ", begin, " of ", file_size,
                                  ": the file is truncated or corrupt");
  }
  // parquet-mr before 1.2.9 left the dictionary page's header out of the length (PARQUET-816).
  if (metadata.writer_version().VersionLt(
          ::parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION())) {
    length += std::min<int64_t>(100, file_size - begin - length);
  }
  return ByteRange{begin, length};
}

/// What libparquet holds while it decodes a chunk: an inflated page, the dictionary and the values
/// of a batch.
int64_t DecodeState(const ::parquet::ColumnChunkMetaData& chunk, int64_t rows, int64_t batch_rows) {
  constexpr int64_t kPage = 1 << 20;
  // A size that lies must not overflow the sum over many columns.
  int64_t inflated = std::clamp<int64_t>(chunk.total_uncompressed_size(), 0, int64_t{1} << 40);
  int64_t batch = rows > 0 ? static_cast<int64_t>(static_cast<double>(inflated) *
                                                  std::min(1.0, 1.0 * batch_rows / rows))
                           : 0;
  return std::min(inflated, 2 * kPage) + batch;
}

class RowGroupUnit final : public Unit {
 public:
  explicit RowGroupUnit(UnitRequest request) : Unit(request.file), request_(std::move(request)) {}

  arrow::Result<Step> Next(Resident got) override {
    arrow::Result<Step> step = Guard(file()->path, [&] { return Advance(std::move(got)); });
    if (!step.ok() && reads_beginnings_) {
      // More was needed than was guessed, or the file is damaged: reading more, in the end all of
      // it, will tell.
      pages_guess_ *= 8;
      Reset();
      skip_ = std::exchange(rows_, 0);
      step = Guard(file()->path, [&] { return Need(); });
    }
    if (step.ok()) return step;
    // libparquet's own messages name neither file nor row group nor column.
    const arrow::Status error = NameColumn(step.status());
    const std::string& message = error.message();
    const std::string prefix =
        message.find(file()->path) == std::string::npos ? "'" + file()->path + "', " : "";
    return error.WithMessage(prefix, Name(), ": ", message);
  }

 private:
  const ParquetFacts& facts() const { return static_cast<const ParquetFacts&>(*request_.facts); }

  std::string Name() const {
    const auto& groups = request_.row_groups;
    if (groups.size() == 1) return "row group " + std::to_string(groups[0]);
    return "row groups " + std::to_string(groups.front()) + " to " + std::to_string(groups.back());
  }

  int64_t ClaimedRows() const {
    int64_t rows = 0;
    for (int group : request_.row_groups) rows += facts().row_group_rows(group).value();
    return rows;
  }

  /// libparquet makes room for a whole batch, however few rows there are.
  int64_t BatchRows() const { return std::clamp<int64_t>(ClaimedRows(), 1, request_.batch_rows); }

  arrow::Result<Step> Advance(Resident got) {
    if (!batches_) {
      if (got.buffers.empty()) return Need();
      ARROW_RETURN_NOT_OK(Open(std::move(got)));
    }
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch));
    while (batch && skip_ >= batch->num_rows()) {
      skip_ -= batch->num_rows();
      rows_ += batch->num_rows();
      ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch));
    }
    if (batch) {
      const int64_t rows = batch->num_rows();
      ARROW_ASSIGN_OR_RAISE(batch, WithSoundIndices(std::move(batch)));
      ARROW_ASSIGN_OR_RAISE(Step step, Spread(batch->Slice(skip_)));
      // Only what was handed out counts: after an error it is passed over, and nothing else.
      rows_ += rows;
      skip_ = 0;
      return step;
    }
    const int64_t claimed = ClaimedRows();
    if (rows_ != claimed) {
      return arrow::Status::IOError("holds ", rows_, rows_ == 1 ? " row" : " rows",
                                    " where the footer says ", claimed, ": the file is corrupt");
    }
    Reset();
    return Done{};
  }

  void Reset() {
    batches_.reset();
    reader_.reset();
    input_.reset();
    spread_.clear();
  }

  arrow::Result<Step> Need() {
    metadata_ = facts().footer().Narrow(request_.row_groups, request_.leaves);
    NeedBytes need;
    // Small row groups are read as a whole.
    reads_beginnings_ &=
        request_.row_groups.size() == 1 && request_.rows_wanted < ClaimedRows() / 4;
    int64_t beginnings = 0, total = 0;
    for (int g = 0; g < metadata_->num_row_groups(); ++g) {
      auto group = metadata_->RowGroup(g);
      for (int leaf : request_.leaves) {
        auto chunk = group->ColumnChunk(leaf);
        ARROW_ASSIGN_OR_RAISE(auto range, ChunkRange(*metadata_, *chunk, facts().file_size()));
        if (reads_beginnings_) {
          total += range.length;
          range.length = std::min(range.length, Beginning(*chunk, range, group->num_rows()));
          beginnings += range.length;
        }
        need.ranges.push_back(range);
        need.decode_bytes += DecodeState(*chunk, group->num_rows(), request_.batch_rows);
      }
    }
    if (reads_beginnings_ && beginnings > total / 2) {
      reads_beginnings_ = false;
      return Need();
    }
    ranges_ = need.ranges;
    return need;
  }

  /// How much of a chunk the wanted rows will take: its dictionary, and a generous share of its
  /// pages. A guess; it may be too small.
  int64_t Beginning(const ::parquet::ColumnChunkMetaData& chunk, const ByteRange& range,
                    int64_t rows) const {
    const int64_t dictionary = std::max<int64_t>(chunk.data_page_offset() - range.offset, 0);
    const double share = static_cast<double>(request_.rows_wanted) / static_cast<double>(rows);
    return std::min(dictionary, range.length) + pages_guess_ +
           2 * static_cast<int64_t>(share * static_cast<double>(range.length));
  }

  /// All row groups that metadata_ has.
  std::vector<int> AllGroups() const {
    std::vector<int> groups(request_.row_groups.size());
    std::iota(groups.begin(), groups.end(), 0);
    return groups;
  }

  ::parquet::ReaderProperties FileProperties() const {
    ::parquet::ReaderProperties properties(request_.pool);
    properties.set_page_checksum_verification(true);
    // Otherwise libparquet asks for each chunk as a whole.
    if (reads_beginnings_) properties.enable_buffered_stream();
    return properties;
  }

  /// The same error with the column that causes it, which is found by reading each alone.
  arrow::Status NameColumn(const arrow::Status& error) const {
    if (!input_ || error.IsOutOfMemory() || error.message().find("column '") != std::string::npos)
      return error;
    for (int leaf : request_.leaves) {
      const arrow::Status alone = Guard(file()->path, [&] { return ReadThrough(leaf); });
      if (alone.ok()) continue;
      const std::string name = metadata_->schema()->Column(leaf)->path()->ToDotString();
      return alone.WithMessage("column '", name, "': ", alone.message());
    }
    return error;
  }

  arrow::Status ReadThrough(int leaf) const {
    ::parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_pre_buffer(false);
    properties.set_batch_size(BatchRows());
    auto file_reader = ::parquet::ParquetFileReader::Open(input_, FileProperties(), metadata_);
    ARROW_ASSIGN_OR_RAISE(auto reader, ::parquet::arrow::FileReader::Make(
                                           request_.pool, std::move(file_reader), properties));
    ARROW_ASSIGN_OR_RAISE(auto batches, reader->GetRecordBatchReader(AllGroups(), {leaf}));
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
    arrow_properties.set_batch_size(BatchRows());
    arrow_properties.set_pre_buffer(false);
    schema_ = ProjectLeaves(*facts().schema(), request_.leaves);
    const bool flat = schema_->num_fields() == static_cast<int>(request_.leaves.size());
    // Batches end where a dictionary does, so small row groups gain nothing by it.
    const bool alone = request_.row_groups.size() == 1;
    auto group = metadata_->RowGroup(0);
    for (int i = 0; flat && alone && i < schema_->num_fields(); ++i) {
      const int leaf = request_.leaves[i];
      if (PrefersDictionary(*group->ColumnChunk(leaf), *schema_->field(i)->type())) {
        arrow_properties.set_read_dictionary(leaf, true);
        spread_.push_back(i);
      }
    }
    auto file_reader = ::parquet::ParquetFileReader::Open(input_, FileProperties(), metadata_);
    ARROW_ASSIGN_OR_RAISE(reader_, ::parquet::arrow::FileReader::Make(
                                       request_.pool, std::move(file_reader), arrow_properties));
    ARROW_ASSIGN_OR_RAISE(batches_, reader_->GetRecordBatchReader(AllGroups(), request_.leaves));
    return arrow::Status::OK();
  }

  /// Columns that were read as dictionaries, in their own type.
  arrow::Result<Step> Spread(std::shared_ptr<arrow::RecordBatch> batch) const {
    if (spread_.empty()) return batch;
    auto columns = batch->columns();
    for (int i : spread_) {
      if (columns[i]->type_id() != arrow::Type::DICTIONARY) continue;
      ARROW_ASSIGN_OR_RAISE(
          columns[i], SpreadDictionary(static_cast<const arrow::DictionaryArray&>(*columns[i]),
                                       schema_->field(i)->type(), request_.pool));
    }
    return Step(arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns)));
  }

  UnitRequest request_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<int> spread_;                            // columns of schema_
  std::shared_ptr<::parquet::FileMetaData> metadata_;  // of the row groups and leaves asked for
  bool reads_beginnings_ =
      true;  // of the column chunks, as long as the rows wanted are thought to lie there
  int64_t pages_guess_ = 128 << 10;
  std::vector<ByteRange> ranges_;
  std::shared_ptr<ResidentFile> input_;
  std::unique_ptr<::parquet::arrow::FileReader> reader_;  // must outlive batches_
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  int64_t rows_ = 0;
  int64_t skip_ = 0;  // rows at the beginning that were handed out before
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeRowGroupUnit(UnitRequest request) {
  return std::make_unique<RowGroupUnit>(std::move(request));
}

}  // namespace shoal::formats::parquet
