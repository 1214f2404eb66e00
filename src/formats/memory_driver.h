// Drives a format over a file in memory, one step after the other, as the simplest reader would:
// for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <shoal/file_format.h>

namespace shoal::formats {

class MemoryDriver {
 public:
  static constexpr const char* kPath = "some/where.parquet";

  MemoryDriver(std::shared_ptr<const FileFormat> format, std::string bytes,
               std::string path = kPath)
      : format_(std::move(format)),
        bytes_(arrow::Buffer::FromString(std::move(bytes))),
        file_(std::make_shared<const SourceFile>(SourceFile{nullptr, std::move(path)})) {}

  const std::shared_ptr<const SourceFile>& file() const { return file_; }
  int64_t requests() const { return requests_; }
  int64_t bytes_read() const { return bytes_read_; }

  arrow::Result<std::shared_ptr<const FileFacts>> Facts() {
    return Facts(format_->ReadFacts(file_));
  }
  arrow::Result<std::shared_ptr<const FileFacts>> Facts(std::unique_ptr<FactsReader> reader) {
    Resident got;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto step, reader->Next(std::move(got)));
      if (auto* facts = std::get_if<std::shared_ptr<const FileFacts>>(&step))
        return std::move(*facts);
      ARROW_ASSIGN_OR_RAISE(got, Answer(std::get<NeedBytes>(step)));
    }
  }

  arrow::Result<arrow::RecordBatchVector> RowGroups(
      std::shared_ptr<const FileFacts> facts, std::vector<int> row_groups, std::vector<int> leaves,
      int64_t batch_rows = 1000, arrow::MemoryPool* pool = arrow::default_memory_pool(),
      int64_t rows_wanted = std::numeric_limits<int64_t>::max()) {
    ARROW_ASSIGN_OR_RAISE(auto unit,
                          format_->MakeUnit({file_, std::move(facts), std::move(row_groups),
                                             std::move(leaves), batch_rows, rows_wanted, pool}));
    arrow::RecordBatchVector out;
    ARROW_RETURN_NOT_OK(Run(*unit, &out));
    return out;
  }

  /// All leaves of all row groups.
  arrow::Result<arrow::RecordBatchVector> All(
      int64_t batch_rows = 1000, arrow::MemoryPool* pool = arrow::default_memory_pool()) {
    ARROW_ASSIGN_OR_RAISE(auto facts, Facts());
    std::vector<int> leaves(NumLeaves(*facts->schema()));
    for (size_t i = 0; i < leaves.size(); ++i) leaves[i] = static_cast<int>(i);
    arrow::RecordBatchVector out;
    for (int g = 0; g < facts->num_row_groups(); ++g) {
      ARROW_ASSIGN_OR_RAISE(auto batches, RowGroups(facts, {g}, leaves, batch_rows, pool));
      out.insert(out.end(), batches.begin(), batches.end());
    }
    return out;
  }

  arrow::Status Run(Unit& unit, arrow::RecordBatchVector* out) {
    Resident got;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(Step step, unit.Next(std::exchange(got, {})));
      if (std::holds_alternative<Done>(step)) return arrow::Status::OK();
      if (auto* batch = std::get_if<std::shared_ptr<arrow::RecordBatch>>(&step)) {
        out->push_back(std::move(*batch));
      } else if (auto* split = std::get_if<Split>(&step)) {
        for (auto& child : split->units) ARROW_RETURN_NOT_OK(Run(*child, out));
        return arrow::Status::OK();
      } else {
        ARROW_ASSIGN_OR_RAISE(got, Answer(std::get<NeedBytes>(step)));
      }
    }
  }

 private:
  arrow::Result<Resident> Answer(const NeedBytes& need) {
    Resident got{{}, {bytes_->size(), 0}};
    for (ByteRange range : need.ranges) {
      ++requests_;
      if (range.from_end()) {
        const int64_t length = std::min(range.length, bytes_->size());
        range = {bytes_->size() - length, length};
      }
      if (range.offset < 0 || range.length < 0 || range.offset > bytes_->size() ||
          range.length > bytes_->size() - range.offset) {
        return arrow::Status::IOError("'", file_->path, "' has no bytes ", range.offset, " + ",
                                      range.length);
      }
      // A copy of its own, so that a sanitizer sees reads beyond it.
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                            bytes_->CopySlice(range.offset, range.length));
      bytes_read_ += range.length;
      got.buffers.push_back(std::move(buffer));
    }
    return got;
  }

  const std::shared_ptr<const FileFormat> format_;
  const std::shared_ptr<arrow::Buffer> bytes_;
  const std::shared_ptr<const SourceFile> file_;
  int64_t requests_ = 0, bytes_read_ = 0;
};

}  // namespace shoal::formats
