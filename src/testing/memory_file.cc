#include "testing/memory_file.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace shoal::testing {

namespace {

/// Steps that no file of a test takes: a format that asks for more goes round in circles.
constexpr int64_t kMaxSteps = 1'000'000;

}  // namespace

MemoryFile::MemoryFile(std::shared_ptr<const FileFormat> format, std::string bytes,
                       arrow::MemoryPool* pool)
    : format_(std::move(format)),
      bytes_(arrow::Buffer::FromString(std::move(bytes))),
      pool_(pool),
      file_(std::make_shared<const SourceFile>(SourceFile{nullptr, kPath})) {}

arrow::Result<std::shared_ptr<const FileFacts>> MemoryFile::Facts() {
  ARROW_ASSIGN_OR_RAISE(auto facts, Facts(format_->ReadFacts(file_)));
  const TextTyping* typing = format_->text_typing();
  if (typing == nullptr) return facts;
  ARROW_ASSIGN_OR_RAISE(auto table, typing->Union({{kPath, std::move(facts)}}));
  return Facts(typing->ReadFacts(file_, {std::move(table)}));
}

arrow::Result<std::shared_ptr<const FileFacts>> MemoryFile::Facts(
    std::unique_ptr<FactsReader> reader) {
  Resident got;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto step, reader->Next(std::move(got)));
    if (auto* facts = std::get_if<std::shared_ptr<const FileFacts>>(&step))
      return std::move(*facts);
    ARROW_ASSIGN_OR_RAISE(got, Answer(std::get<NeedBytes>(step)));
  }
}

arrow::Result<arrow::RecordBatchVector> MemoryFile::Read(std::shared_ptr<const FileFacts> facts,
                                                         const Request& request) {
  ARROW_ASSIGN_OR_RAISE(auto unit, format_->MakeUnit({file_, std::move(facts), request.row_groups,
                                                      request.leaves, request.batch_rows,
                                                      std::numeric_limits<int64_t>::max(), pool_}));
  arrow::RecordBatchVector out;
  ARROW_RETURN_NOT_OK(Run(*unit, request, &out));
  return out;
}

arrow::Status MemoryFile::Run(Unit& unit, const Request& request, arrow::RecordBatchVector* out) {
  Resident got;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(Step step, unit.Next(std::exchange(got, {})));
    if (std::holds_alternative<Done>(step)) return arrow::Status::OK();
    if (auto* batch = std::get_if<std::shared_ptr<arrow::RecordBatch>>(&step)) {
      if (static_cast<int64_t>(out->size()) == request.max_batches) {
        return arrow::Status::Cancelled("'", kPath, "' has more than ", request.max_batches,
                                        " batches");
      }
      out->push_back(std::move(*batch));
    } else if (auto* split = std::get_if<Split>(&step)) {
      for (auto& child : split->units) ARROW_RETURN_NOT_OK(Run(*child, request, out));
      return arrow::Status::OK();
    } else {
      ARROW_ASSIGN_OR_RAISE(got, Answer(std::get<NeedBytes>(step)));
    }
  }
}

arrow::Result<Resident> MemoryFile::Answer(const NeedBytes& need) {
  if (++steps_ > kMaxSteps) {
    return arrow::Status::Invalid("'", kPath, "': the format asks for bytes again and again");
  }
  Resident got{{}, {bytes_->size(), 0}};
  for (ByteRange range : need.ranges) {
    if (range.from_end()) {
      const int64_t length = std::min(range.length, bytes_->size());
      range = {bytes_->size() - length, length};
    }
    if (range.offset < 0 || range.length < 0 || range.offset > bytes_->size() ||
        range.length > bytes_->size() - range.offset) {
      return arrow::Status::IOError("'", kPath, "' has no bytes ", range.offset, " + ",
                                    range.length);
    }
    bytes_asked_ += range.length;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          bytes_->CopySlice(range.offset, range.length));
    got.buffers.push_back(std::move(buffer));
  }
  return got;
}

}  // namespace shoal::testing
