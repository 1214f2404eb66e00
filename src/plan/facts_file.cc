#include "plan/facts_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <arrow/util/endian.h>
#include <arrow/util/io_util.h>
#include <arrow/util/key_value_metadata.h>

#define XXH_INLINE_ALL
#include <arrow/vendored/xxhash.h>

namespace shoal::plan {

namespace {

static_assert(ARROW_LITTLE_ENDIAN, "facts files are written in the order of bytes of the machine");

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t length;  // of what follows
  uint64_t checksum;
  char padding[32];  // what follows is aligned as Arrow's buffers are
};
static_assert(sizeof(Header) == 64);

constexpr char kMagic[8] = {'s', 'h', 'o', 'a', 'l', 'f', 'c', 't'};
constexpr uint32_t kVersion = 2;
constexpr int64_t kBlockRows = 1024;
constexpr int64_t kBlockBytes = 1 << 20;
constexpr size_t kRecentBlocks = 8;
constexpr const char* kSubjectKey = "subject";
constexpr const char* kFirstPathsKey = "first_paths";
constexpr const char* kBlockRowsKey = "block_rows";

enum Column { kPath, kSize, kMtime, kChange, kUsed, kCommon, kOwn, kNumColumns };

const std::shared_ptr<arrow::Schema>& FileSchema() {
  static const auto schema = arrow::schema({
      arrow::field("path", arrow::binary(), false),
      arrow::field("size", arrow::int64(), false),
      arrow::field("mtime_ns", arrow::int64(), false),
      arrow::field("change_id", arrow::int64(), false),
      arrow::field("used", arrow::int64(), false),
      arrow::field("common", arrow::binary()),  // null: as in the row before
      arrow::field("own", arrow::binary(), false),
  });
  return schema;
}

uint64_t ChecksumOf(const void* bytes, size_t length) { return XXH3_64bits(bytes, length); }

template <typename... Args>
arrow::Status Damaged(Args&&... args) {
  return arrow::Status::Invalid("it is damaged: ", std::forward<Args>(args)...);
}

/// Texts one after the other, each with its length before it.
void AppendText(std::string* out, std::string_view text) {
  const auto length = static_cast<uint32_t>(text.size());
  out->append(reinterpret_cast<const char*>(&length), sizeof(length));
  out->append(text);
}

std::optional<std::vector<std::string>> SplitTexts(std::string_view joined) {
  std::vector<std::string> out;
  while (!joined.empty()) {
    uint32_t length;
    if (joined.size() < sizeof(length)) return std::nullopt;
    std::memcpy(&length, joined.data(), sizeof(length));
    joined.remove_prefix(sizeof(length));
    if (length > joined.size()) return std::nullopt;
    out.emplace_back(joined.substr(0, length));
    joined.remove_prefix(length);
  }
  return out;
}

/// Where blocks begin.
class BlockCutter {
 public:
  bool Begins(const KeptFacts& row) {
    const bool begins = rows_ == 0 || rows_ == kBlockRows || bytes_ >= kBlockBytes;
    if (begins) rows_ = bytes_ = 0;
    if (begins || row.common != common_) {
      common_ = row.common;
      bytes_ += static_cast<int64_t>(row.common.size());
    }
    ++rows_;
    bytes_ += row.bytes();
    return begins;
  }

 private:
  int64_t rows_ = 0, bytes_ = 0;
  std::string common_;
};

/// Gathers rows into batches.
class BlockBuilder {
 public:
  arrow::Status Append(const KeptFacts& row) {
    ARROW_RETURN_NOT_OK(path_.Append(row.path));
    ARROW_RETURN_NOT_OK(size_.Append(row.version.size));
    ARROW_RETURN_NOT_OK(mtime_.Append(row.version.mtime_ns));
    ARROW_RETURN_NOT_OK(change_.Append(row.version.change_id));
    ARROW_RETURN_NOT_OK(used_.Append(row.used));
    if (path_.length() > 1 && row.common == previous_) {
      ARROW_RETURN_NOT_OK(common_.AppendNull());
    } else {
      ARROW_RETURN_NOT_OK(common_.Append(row.common));
      previous_ = row.common;
    }
    return own_.Append(row.own);
  }
  int64_t length() const { return path_.length(); }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() {
    const int64_t rows = length();
    arrow::ArrayVector columns(kNumColumns);
    ARROW_RETURN_NOT_OK(path_.Finish(&columns[kPath]));
    ARROW_RETURN_NOT_OK(size_.Finish(&columns[kSize]));
    ARROW_RETURN_NOT_OK(mtime_.Finish(&columns[kMtime]));
    ARROW_RETURN_NOT_OK(change_.Finish(&columns[kChange]));
    ARROW_RETURN_NOT_OK(used_.Finish(&columns[kUsed]));
    ARROW_RETURN_NOT_OK(common_.Finish(&columns[kCommon]));
    ARROW_RETURN_NOT_OK(own_.Finish(&columns[kOwn]));
    return arrow::RecordBatch::Make(FileSchema(), rows, std::move(columns));
  }

 private:
  arrow::BinaryBuilder path_, common_, own_;
  arrow::Int64Builder size_, mtime_, change_, used_;
  std::string previous_;
};

}  // namespace

struct FactsFile::Block {
  std::shared_ptr<arrow::RecordBatch> batch;
  const arrow::BinaryArray *path, *common, *own;
  const arrow::Int64Array *size, *mtime, *change, *used;
  std::vector<int32_t> common_row;  // where a row's `common` stands

  KeptFacts Row(int64_t i) const {
    return {path->GetView(i),
            {size->Value(i), mtime->Value(i), change->Value(i)},
            used->Value(i),
            common_row[i] < 0 ? std::string_view() : common->GetView(common_row[i]),
            own->GetView(i)};
  }
};

arrow::Result<std::shared_ptr<const FactsFile>> FactsFile::Open(const std::string& path,
                                                                const std::string& subject,
                                                                int64_t max_bytes) {
  // A pipe would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return arrow::internal::IOErrorFromErrno(errno, "it cannot be opened: ", std::strerror(errno));
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(descriptor));
  struct stat info;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    return arrow::Status::Invalid("it is not a regular file");
  const int64_t size = info.st_size;
  if (size < static_cast<int64_t>(sizeof(Header))) return Damaged("it is too short");
  if (size > max_bytes) return arrow::Status::Invalid("it is larger than the cache may be");
  // Not mapped: a mapped file that someone else cuts short ends the process.
  ARROW_ASSIGN_OR_RAISE(auto bytes, input->ReadAt(0, size));
  if (bytes->size() != size) return Damaged("it ended while it was read");
  Header header;
  std::memcpy(&header, bytes->data(), sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) return Damaged("it has no magic");
  if (header.version != kVersion) {
    return arrow::Status::Invalid("it is of version ", header.version, ", not ", kVersion);
  }
  const uint64_t length = static_cast<uint64_t>(size) - sizeof(header);
  if (header.length != length) return Damaged("its length is wrong");
  if (header.checksum != ChecksumOf(bytes->data() + sizeof(header), length))
    return Damaged("its checksum is wrong");

  std::shared_ptr<FactsFile> file(new FactsFile);
  file->checksum_ = header.checksum;
  arrow::ipc::IpcReadOptions options;
  options.use_threads = false;
  auto body = std::make_shared<arrow::io::BufferReader>(arrow::SliceBuffer(bytes, sizeof(header)));
  ARROW_ASSIGN_OR_RAISE(file->reader_, arrow::ipc::RecordBatchFileReader::Open(body, options));
  const auto schema = file->reader_->schema();
  if (!schema->Equals(*FileSchema(), /*check_metadata=*/false) || !schema->metadata())
    return Damaged("its columns are others");
  if (schema->metadata()->Get(kSubjectKey).ValueOr("") != subject)
    return arrow::Status::Invalid("it is about other files");
  auto first = SplitTexts(schema->metadata()->Get(kFirstPathsKey).ValueOr(""));
  const int blocks = file->reader_->num_record_batches();
  if (!first || first->size() != static_cast<size_t>(blocks))
    return Damaged("its index does not fit");
  file->first_paths_ = *std::move(first);
  const auto rows = SplitTexts(schema->metadata()->Get(kBlockRowsKey).ValueOr(""));
  if (!rows || rows->size() != static_cast<size_t>(blocks))
    return Damaged("its index does not fit");
  for (const std::string& text : *rows) {
    int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    if (count < 1 || count > kBlockRows) return Damaged("a block claims ", count, " rows");
    file->first_rows_.push_back(file->num_rows_);
    file->num_rows_ += count;
  }
  file->first_rows_.push_back(file->num_rows_);
  file->used_ = std::make_unique<std::atomic<uint8_t>[]>(file->num_rows_);
  return file;
}

arrow::Result<std::shared_ptr<const FactsFile::Block>> FactsFile::GetBlock(int number) const {
  std::lock_guard lock(mutex_);
  for (const auto& [known, block] : recent_) {
    if (known == number) return block;
  }
  ARROW_ASSIGN_OR_RAISE(auto batch, reader_->ReadRecordBatch(number));
  ARROW_RETURN_NOT_OK(batch->ValidateFull());
  const int64_t rows = batch->num_rows();
  if (rows != first_rows_[number + 1] - first_rows_[number])
    return Damaged("a block has ", rows, " rows");
  for (int c = 0; c < kNumColumns; ++c) {
    if (c != kCommon && batch->column(c)->null_count() > 0)
      return Damaged("a block has nulls where none can be");
  }
  auto block = std::make_shared<Block>();
  block->batch = batch;
  const auto texts = [&](int c) {
    return static_cast<const arrow::BinaryArray*>(batch->column(c).get());
  };
  const auto numbers = [&](int c) {
    return static_cast<const arrow::Int64Array*>(batch->column(c).get());
  };
  block->path = texts(kPath);
  block->common = texts(kCommon);
  block->own = texts(kOwn);
  block->size = numbers(kSize);
  block->mtime = numbers(kMtime);
  block->change = numbers(kChange);
  block->used = numbers(kUsed);
  int32_t common = -1;
  for (int32_t i = 0; i < rows; ++i) {
    if (block->common->IsValid(i)) common = i;
    block->common_row.push_back(common);
  }
  if (recent_.size() == kRecentBlocks) recent_.erase(recent_.begin());
  recent_.emplace_back(number, block);
  return block;
}

bool FactsFile::Find(std::string_view path,
                     const std::function<void(const KeptFacts&, int64_t)>& found) const {
  const auto after = std::upper_bound(first_paths_.begin(), first_paths_.end(), path);
  if (after == first_paths_.begin()) return false;
  const int number = static_cast<int>(after - first_paths_.begin()) - 1;
  // A block that cannot be read has nothing to say: the files are read instead.
  auto block = GetBlock(number);
  if (!block.ok()) return false;
  int64_t begin = 0, end = (*block)->batch->num_rows();
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if ((*block)->path->GetView(middle) < path) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == (*block)->batch->num_rows() || (*block)->path->GetView(begin) != path) return false;
  found((*block)->Row(begin), first_rows_[number] + begin);
  return true;
}

arrow::Status FactsFile::ForEach(
    const std::function<arrow::Status(const KeptFacts&, int64_t)>& visit) const {
  for (size_t number = 0; number < first_paths_.size(); ++number) {
    ARROW_ASSIGN_OR_RAISE(auto block, GetBlock(static_cast<int>(number)));
    for (int64_t i = 0; i < block->batch->num_rows(); ++i)
      ARROW_RETURN_NOT_OK(visit(block->Row(i), first_rows_[number] + i));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> WriteFactsFile(const std::string& subject,
                                                             const FactsRows& rows) {
  std::string first_paths, block_rows;
  {
    BlockCutter cutter;
    int64_t count = 0;
    ARROW_RETURN_NOT_OK(rows([&](const KeptFacts& row) {
      if (cutter.Begins(row)) {
        if (count > 0) AppendText(&block_rows, std::to_string(count));
        AppendText(&first_paths, row.path);
        count = 0;
      }
      ++count;
      return arrow::Status::OK();
    }));
    if (count > 0) AppendText(&block_rows, std::to_string(count));
  }
  const auto schema = FileSchema()->WithMetadata(arrow::key_value_metadata(
      {kSubjectKey, kFirstPathsKey, kBlockRowsKey}, {subject, first_paths, block_rows}));
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  arrow::ipc::IpcWriteOptions options;
  options.use_threads = false;
  for (const auto codec : {arrow::Compression::LZ4_FRAME, arrow::Compression::ZSTD}) {
    if (!arrow::util::Codec::IsAvailable(codec)) continue;
    ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(codec));
    break;
  }
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeFileWriter(sink, schema, options));
  BlockBuilder block;
  const auto flush = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto batch, block.Finish());
    return writer->WriteRecordBatch(*batch);
  };
  BlockCutter cutter;
  ARROW_RETURN_NOT_OK(rows([&](const KeptFacts& row) -> arrow::Status {
    if (cutter.Begins(row) && block.length() > 0) ARROW_RETURN_NOT_OK(flush());
    return block.Append(row);
  }));
  if (block.length() > 0) ARROW_RETURN_NOT_OK(flush());
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(auto body, sink->Finish());
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.length = static_cast<uint64_t>(body->size());
  header.checksum = ChecksumOf(body->data(), header.length);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out,
                        arrow::AllocateBuffer(sizeof(header) + body->size()));
  std::memcpy(out->mutable_data(), &header, sizeof(header));
  std::memcpy(out->mutable_data() + sizeof(header), body->data(), body->size());
  return out;
}

}  // namespace shoal::plan
