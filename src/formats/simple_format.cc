#include <shoal/simple_format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "formats/projection.h"
#include "formats/resident_file.h"
#include "formats/slices.h"

namespace shoal {

namespace {

using arrow::Status;
using formats::ResidentFile;

constexpr int64_t kFirstRead = 64 << 10;
/// What is missing is fetched with so much behind it: a reader goes on where it was.
constexpr int64_t kReadMore = 64 << 10;

/// What users' code throws must not cross the library.
template <typename Body>
auto Named(const std::string& path, Body&& body) -> decltype(body()) {
  const auto named = [&](const Status& status) {
    if (status.message().find(path) != std::string::npos) return status;
    return status.WithMessage("'", path, "': ", status.message());
  };
  try {
    auto result = std::forward<Body>(body)();
    if (result.ok()) return result;
    return named(result.status());
  } catch (const std::exception& e) {
    return named(Status::UnknownError("its format failed: ", e.what()));
  }
}

class SimpleFacts final : public FileFacts {
 public:
  /// `ranges` and `buffers`: what inspecting the file took.
  SimpleFacts(SimpleFormat::Facts facts, int64_t file_size, std::vector<ByteRange> ranges,
              std::vector<std::shared_ptr<arrow::Buffer>> buffers)
      : FileFacts(facts.schema),
        facts_(std::move(facts)),
        file_size_(file_size),
        ranges_(std::move(ranges)),
        buffers_(std::move(buffers)) {}

  int num_row_groups() const override { return static_cast<int>(facts_.pieces.size()); }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return facts_.pieces[row_group].rows;
  }
  int64_t row_group_bytes(int row_group) const override { return facts_.pieces[row_group].length; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  using FileFacts::Bounds;
  int64_t memory_size() const override {
    constexpr int64_t kField = 200;
    auto bytes =
        static_cast<int64_t>(sizeof(*this) + facts_.pieces.size() * sizeof(SimpleFormat::Piece)) +
        kField * (1 + NumLeaves(*schema()));
    for (const auto& buffer : buffers_) bytes += buffer->size();
    return bytes;
  }

  const SimpleFormat::Facts& facts() const { return facts_; }
  int64_t file_size() const { return file_size_; }
  const std::vector<ByteRange>& ranges() const { return ranges_; }
  const std::vector<std::shared_ptr<arrow::Buffer>>& buffers() const { return buffers_; }

 private:
  const SimpleFormat::Facts facts_;
  const int64_t file_size_;
  const std::vector<ByteRange> ranges_;
  const std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
};

Status CheckPieces(const SimpleFormat::Facts& facts, int64_t file_size) {
  if (!facts.schema) return Status::Invalid("its format gives no schema");
  for (size_t i = 0; i < facts.pieces.size(); ++i) {
    const auto& piece = facts.pieces[i];
    if (piece.offset < 0 || piece.length < 0 || piece.offset > file_size ||
        piece.length > file_size - piece.offset) {
      return Status::IOError("piece ", i, " is said to have ", piece.length, " bytes from byte ",
                             piece.offset, " of ", file_size, ": it is truncated or corrupt");
    }
    if (piece.rows.is_exact() && piece.rows.value() < 0)
      return Status::IOError("piece ", i, " is said to have ", piece.rows.value(), " rows");
  }
  return Status::OK();
}

class SimpleFactsReader final : public FactsReader {
 public:
  SimpleFactsReader(std::shared_ptr<const SimpleFormat> format,
                    std::shared_ptr<const SourceFile> file)
      : format_(std::move(format)), file_(std::move(file)) {}

  arrow::Result<Step> Next(Resident got) override {
    return Named(file_->path, [&]() -> arrow::Result<Step> {
      if (got.buffers.empty()) return NeedBytes{{ByteRange::Suffix(kFirstRead)}};
      if (ranges_.empty()) {
        const int64_t length = got.buffers[0]->size();
        ranges_.push_back({got.version.size - length, length});
      } else {
        ranges_.push_back(asked_);
      }
      buffers_.push_back(std::move(got.buffers[0]));
      return Inspect(got.version.size);
    });
  }

 private:
  arrow::Result<Step> Inspect(int64_t file_size) {
    auto input = std::make_shared<ResidentFile>(file_->path, file_size, ranges_, buffers_);
    auto facts = format_->Inspect(input);
    if (const auto missing = input->missing()) {
      const int64_t length =
          std::min(std::max(missing->length, kReadMore), file_size - missing->offset);
      asked_ = {missing->offset, length};
      return NeedBytes{{asked_}};
    }
    ARROW_RETURN_NOT_OK(facts.status());
    if (facts->pieces.empty())
      facts->pieces.push_back({0, file_size, Precision<int64_t>::Absent()});
    ARROW_RETURN_NOT_OK(CheckPieces(*facts, file_size));
    std::vector<ByteRange> used_ranges;
    std::vector<std::shared_ptr<arrow::Buffer>> used_buffers;
    for (size_t i : input->used()) {
      used_ranges.push_back(ranges_[i]);
      used_buffers.push_back(buffers_[i]);
    }
    return std::make_shared<const SimpleFacts>(*std::move(facts), file_size, std::move(used_ranges),
                                               std::move(used_buffers));
  }

  const std::shared_ptr<const SimpleFormat> format_;
  const std::shared_ptr<const SourceFile> file_;
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
  ByteRange asked_;
};

class SimpleUnit final : public Unit {
 public:
  SimpleUnit(std::shared_ptr<const SimpleFormat> format, UnitRequest request)
      : Unit(request.file),
        format_(std::move(format)),
        request_(std::move(request)),
        schema_(ProjectLeaves(*request_.facts->schema(), request_.leaves)),
        columns_(formats::ColumnsOf(*request_.facts->schema(), request_.leaves)),
        slices_(request_.batch_rows) {}

  arrow::Result<Step> Next(Resident got) override {
    return Named(file()->path, [&] { return Advance(std::move(got)); });
  }

 private:
  const SimpleFacts& facts() const { return static_cast<const SimpleFacts&>(*request_.facts); }

  arrow::Result<Step> Advance(Resident got) {
    if (!input_) {
      if (got.buffers.empty()) return Need();
      auto ranges = facts().ranges();
      auto buffers = facts().buffers();
      ranges.insert(ranges.end(), asked_.begin(), asked_.end());
      buffers.insert(buffers.end(), got.buffers.begin(), got.buffers.end());
      input_ = std::make_shared<ResidentFile>(file()->path, facts().file_size(), std::move(ranges),
                                              std::move(buffers));
    }
    while (true) {
      if (auto batch = slices_.Next()) return Step(std::move(batch));
      if (!reader_) {
        if (next_ == request_.row_groups.size()) break;
        ARROW_ASSIGN_OR_RAISE(
            reader_, format_->Read(input_, facts().facts(), request_.row_groups[next_], columns_,
                                   request_.pool));
        rows_ = 0;
      }
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
      if (!batch) {
        ARROW_RETURN_NOT_OK(EndPiece());
        continue;
      }
      rows_ += batch->num_rows();
      ARROW_ASSIGN_OR_RAISE(batch, Fit(std::move(batch)));
      slices_.Reset(std::move(batch));
    }
    input_.reset();
    return Done{};
  }

  Step Need() {
    NeedBytes need;
    for (int group : request_.row_groups) {
      const auto& piece = facts().facts().pieces[group];
      need.ranges.push_back({piece.offset, piece.length});
      need.decode_bytes += piece.length;
    }
    asked_ = need.ranges;
    return need;
  }

  Status EndPiece() {
    reader_.reset();
    const int group = request_.row_groups[next_++];
    const auto claimed = facts().row_group_rows(group).exact_value();
    if (claimed && *claimed != rows_) {
      return Status::IOError("piece ", group, " holds ", rows_, " rows where its metadata says ",
                             *claimed, ": the file is corrupt");
    }
    return Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Fit(
      std::shared_ptr<arrow::RecordBatch> batch) const {
    const auto& schema = *request_.facts->schema();
    if (columns_.size() < static_cast<size_t>(schema.num_fields()) &&
        batch->num_columns() == schema.num_fields()) {
      ARROW_ASSIGN_OR_RAISE(batch, batch->SelectColumns(columns_));
    }
    ARROW_ASSIGN_OR_RAISE(batch, formats::KeepLeaves(*batch, schema, request_.leaves, schema_));
    ARROW_RETURN_NOT_OK(batch->Validate());
    return batch;
  }

  const std::shared_ptr<const SimpleFormat> format_;
  const UnitRequest request_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::vector<int> columns_;  // top-level, of the file's schema
  std::vector<ByteRange> asked_;
  std::shared_ptr<ResidentFile> input_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;  // of the piece next_
  size_t next_ = 0;
  int64_t rows_ = 0;  // of it
  formats::Slices slices_;
};

class SimpleFileFormat final : public FileFormat {
 public:
  explicit SimpleFileFormat(std::shared_ptr<const SimpleFormat> format)
      : format_(std::move(format)) {}
  std::string_view name() const override { return format_->name(); }
  std::vector<std::string_view> extensions() const override { return format_->extensions(); }
  bool MatchesMagic(std::string_view head) const override { return format_->MatchesMagic(head); }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    return std::make_unique<SimpleFactsReader>(format_, std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    return std::make_unique<SimpleUnit>(format_, std::move(request));
  }

 private:
  const std::shared_ptr<const SimpleFormat> format_;
};

}  // namespace

std::shared_ptr<const FileFormat> MakeFileFormat(std::shared_ptr<const SimpleFormat> format) {
  return std::make_shared<const SimpleFileFormat>(std::move(format));
}

}  // namespace shoal
