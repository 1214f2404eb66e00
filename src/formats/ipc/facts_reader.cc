#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/util/endian.h>

#include "base/status_context.h"
#include "formats/ipc/facts.h"

namespace shoal::formats::ipc {

namespace {

using arrow::Status;

constexpr int64_t kFirstRead = 64 << 10;
constexpr std::string_view kMagic = "ARROW1";
constexpr int64_t kEnd = 10;   // the footer's length, then the magic
constexpr int64_t kBegin = 8;  // the magic, padded
constexpr size_t kMetadataPerRead = 512;
/// Facts keep the metadata of batches up to so many bytes; beyond, a unit reads its own.
constexpr int64_t kKeptMetadata = 1 << 20;

std::string_view View(const arrow::Buffer& buffer) { return std::string_view(buffer); }

class IpcFactsReader final : public FactsReader {
 public:
  explicit IpcFactsReader(std::shared_ptr<const SourceFile> file) : file_(std::move(file)) {}

  arrow::Result<Step> Next(Resident got) override {
    auto step = Advance(std::move(got));
    if (step.ok()) return step;
    const std::string& message = step.status().message();
    const std::string name = "'" + file_->path + "'";
    if (message.starts_with(name)) return step;
    return step.status().WithMessage(name, ": ", message);
  }

 private:
  enum class Awaits { kNothing, kTail, kHead, kMetadata };

  arrow::Result<Step> Advance(Resident got) {
    if (got.version.size != FileVersion::kUnknown) file_size_ = got.version.size;
    switch (awaits_) {
      case Awaits::kNothing:
        return Ask(Awaits::kTail, ByteRange::Suffix(kFirstRead));
      case Awaits::kTail:
        return TakeTail(got.buffers[0]);
      case Awaits::kHead:
        return TakeHead(got.buffers[0]);
      case Awaits::kMetadata:
        for (auto& buffer : got.buffers) ARROW_RETURN_NOT_OK(TakeMetadata(std::move(buffer)));
        return AskMetadata();
    }
    return Status::UnknownError("no such state");
  }

  Step Ask(Awaits awaits, ByteRange range) {
    awaits_ = awaits;
    return NeedBytes{{range}};
  }

  arrow::Result<Step> TakeTail(const std::shared_ptr<arrow::Buffer>& tail) {
    const std::string_view bytes = View(*tail);
    if (bytes.ends_with("FEA1")) {
      return Status::NotImplemented(
          "it is a Feather file of version 1, which cannot be read: write it anew as version 2, "
          "which is Arrow IPC");
    }
    if (!bytes.ends_with(kMagic)) {
      if (tail->size() == file_size_) return TakeHead(tail);
      return Ask(Awaits::kHead, {0, std::min(kFirstRead, file_size_)});
    }
    FlatLength length;
    if (tail->size() < kEnd + kBegin || !(length = FooterLength(bytes)).valid ||
        length.bytes > file_size_ - kEnd - kBegin) {
      return Status::IOError("its footer claims to be longer than the file, which has ", file_size_,
                             " bytes: it is corrupt");
    }
    // Arrow wants to see what precedes the footer as well.
    const int64_t wanted = length.bytes + kEnd + kBegin;
    if (wanted > tail->size()) return Ask(Awaits::kTail, ByteRange::Suffix(wanted));
    return TakeFooter(tail, length.bytes);
  }

  struct FlatLength {
    bool valid = false;
    int64_t bytes = 0;
  };
  static FlatLength FooterLength(std::string_view tail) {
    int32_t length;
    std::memcpy(&length, tail.data() + tail.size() - kEnd, sizeof(length));
    length = arrow::bit_util::FromLittleEndian(length);
    return {length > 0, length};
  }

  arrow::Result<Step> TakeFooter(const std::shared_ptr<arrow::Buffer>& tail, int64_t length) {
    // A copy at an aligned place, which FlatBuffers asks for.
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> end,
        tail->CopySlice(tail->size() - length - kEnd - kBegin, length + kEnd + kBegin));
    auto opened = arrow::ipc::RecordBatchFileReader::Open(
        std::make_shared<arrow::io::BufferReader>(end), end->size());
    ARROW_RETURN_NOT_OK(base::WithContext(opened.status(), "its footer is corrupt"));
    schema_ = (*opened)->schema();
    const std::string_view footer = View(*end).substr(kBegin, length);
    ARROW_ASSIGN_OR_RAISE(footer_, ParseFooter(footer, file_size_ - kEnd - length));
    ARROW_ASSIGN_OR_RAISE(layout_, LayoutOf(*schema_, footer, 1));
    tail_ = tail;
    return AskMetadata();
  }

  size_t num_messages() const { return footer_.dictionaries.size() + footer_.batches.size(); }
  const Block& message(size_t i) const {
    const size_t dictionaries = footer_.dictionaries.size();
    return i < dictionaries ? footer_.dictionaries[i] : footer_.batches[i - dictionaries];
  }

  /// Takes what is there, and asks for the next messages that are not.
  arrow::Result<Step> AskMetadata() {
    NeedBytes need;
    const int64_t tail_begin = file_size_ - tail_->size();
    for (size_t next = taken_; next < num_messages(); ++next) {
      const Block& block = message(next);
      if (block.offset >= tail_begin) {
        if (!need.ranges.empty()) break;
        ARROW_RETURN_NOT_OK(TakeMetadata(
            arrow::SliceBuffer(tail_, block.offset - tail_begin, block.metadata_length)));
        continue;
      }
      if (need.ranges.size() == kMetadataPerRead) break;
      need.ranges.push_back({block.offset, block.metadata_length});
    }
    if (!need.ranges.empty()) {
      awaits_ = Awaits::kMetadata;
      return need;
    }
    if (kept_bytes_ > kKeptMetadata) metadata_.clear();
    return std::make_shared<const IpcFacts>(schema_, std::move(layout_), file_size_,
                                            std::move(footer_), std::move(dictionary_ids_),
                                            std::move(rows_), std::move(metadata_));
  }

  Status TakeMetadata(std::shared_ptr<arrow::Buffer> buffer) {
    const size_t i = taken_++;
    const bool is_dictionary = i < footer_.dictionaries.size();
    auto parsed = ParseNextMessage(View(*buffer), message(i).body_length);
    const std::string name =
        is_dictionary ? "dictionary batch " + std::to_string(i)
                      : "record batch " + std::to_string(i - footer_.dictionaries.size());
    ARROW_RETURN_NOT_OK(base::WithContext(parsed.status(), name));
    if (parsed->kind != (is_dictionary ? Message::kDictionary : Message::kBatch))
      return Status::IOError(name, " is something else: the file is corrupt");
    if (is_dictionary) {
      dictionary_ids_.push_back(parsed->dictionary_id);
      return Status::OK();
    }
    const BatchHeader& batch = parsed->batch;
    if (schema_->num_fields() > 0 && (batch.nodes.empty() || batch.nodes[0].length != batch.rows)) {
      return Status::IOError(name, " has ", batch.rows,
                             " rows, but its first column has others: the file is corrupt");
    }
    if (__builtin_add_overflow(total_rows_, batch.rows, &total_rows_))
      return Status::IOError("its record batches claim more rows than there can be: it is corrupt");
    rows_.push_back(batch.rows);
    kept_bytes_ += buffer->size();
    if (kept_bytes_ <= kKeptMetadata) {
      // A copy, which does not keep the tail in memory.
      ARROW_ASSIGN_OR_RAISE(buffer, buffer->CopySlice(0, buffer->size()));
      metadata_.push_back(std::move(buffer));
    }
    return Status::OK();
  }

  // ---- streams

  arrow::Result<Step> TakeHead(const std::shared_ptr<arrow::Buffer>& head) {
    const std::string_view bytes = View(*head);
    if (bytes.starts_with(kMagic)) {
      return Status::IOError(
          "it begins as an Arrow file, but does not end as one: it is truncated");
    }
    constexpr const char* kNeither =
        "it is not Arrow IPC: it neither ends as a file nor begins as a stream";
    const auto encapsulation = ParseEncapsulation(bytes.substr(0, 8));
    if (!encapsulation.ok() || encapsulation->length == 0) return Status::IOError(kNeither);
    const int64_t schema_end = encapsulation->prefix + encapsulation->length;
    if (schema_end > file_size_) return Status::IOError(kNeither, ", or it is truncated");
    if (schema_end > head->size()) return Ask(Awaits::kHead, {0, schema_end});
    const std::string_view flat = bytes.substr(encapsulation->prefix, encapsulation->length);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> message, head->CopySlice(0, schema_end));
    auto opened = arrow::ipc::RecordBatchStreamReader::Open(
        std::make_shared<arrow::io::BufferReader>(message));
    ARROW_RETURN_NOT_OK(base::WithContext(opened.status(), kNeither));
    schema_ = (*opened)->schema();
    ARROW_ASSIGN_OR_RAISE(layout_, LayoutOf(*schema_, flat, 2));
    auto rows = Precision<int64_t>::Absent();
    if (head->size() == file_size_) {
      ARROW_ASSIGN_OR_RAISE(const int64_t counted, CountRows(bytes, schema_end));
      rows = Precision<int64_t>::Exact(counted);
    }
    return std::make_shared<const IpcFacts>(schema_, std::move(layout_), file_size_, schema_end,
                                            rows);
  }

  /// Of a stream that is all there.
  static arrow::Result<int64_t> CountRows(std::string_view bytes, int64_t at) {
    int64_t rows = 0;
    const auto size = static_cast<int64_t>(bytes.size());
    while (at < size) {
      ARROW_ASSIGN_OR_RAISE(const auto next, ParseEncapsulation(bytes.substr(at, 8)));
      if (next.length == 0) {
        const std::string_view rest = bytes.substr(at + next.prefix);
        ARROW_RETURN_NOT_OK(base::WithContext(
            CheckPadding(rest.substr(0, kMostPadding), static_cast<int64_t>(rest.size())),
            "message at byte " + std::to_string(at)));
        break;
      }
      if (next.length > size - at - next.prefix) return Truncated(at);
      ARROW_ASSIGN_OR_RAISE(const auto message,
                            ParseNextMessage(bytes.substr(at, next.prefix + next.length)));
      if (message.body_length > size - at - next.prefix - next.length) return Truncated(at);
      if (message.kind == Message::kBatch &&
          __builtin_add_overflow(rows, message.batch.rows, &rows)) {
        return Status::IOError("it claims more rows than can be counted: it is corrupt");
      }
      at += next.prefix + next.length + message.body_length;
    }
    return rows;
  }

  static Status Truncated(int64_t at) {
    return Status::IOError("its message at byte ", at, " ends beyond the file: it is truncated");
  }

  const std::shared_ptr<const SourceFile> file_;
  Awaits awaits_ = Awaits::kNothing;
  int64_t file_size_ = FileVersion::kUnknown;
  std::shared_ptr<arrow::Buffer> tail_;
  std::shared_ptr<arrow::Schema> schema_;
  SchemaLayout layout_;
  Footer footer_;
  size_t taken_ = 0;  // messages whose metadata was looked at
  std::vector<int64_t> dictionary_ids_, rows_;
  int64_t total_rows_ = 0;
  std::vector<std::shared_ptr<arrow::Buffer>> metadata_;
  int64_t kept_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file) {
  return std::make_unique<IpcFactsReader>(std::move(file));
}

}  // namespace shoal::formats::ipc
