#include "formats/orc/facts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/adapters/orc/adapter.h>

#include "formats/orc/guard.h"
#include "formats/resident_file.h"

namespace shoal::formats::orc {

namespace {

using arrow::Status;
using arrow::adapters::orc::ORCFileReader;

constexpr int64_t kFirstRead = 64 << 10;

class OrcFactsReader final : public FactsReader {
 public:
  explicit OrcFactsReader(std::shared_ptr<const SourceFile> file) : file_(std::move(file)) {}

  arrow::Result<Step> Next(Resident got) override {
    return Guard(file_->path, [&]() -> arrow::Result<Step> {
      if (got.buffers.empty()) return NeedBytes{{ByteRange::Suffix(kFirstRead)}};
      return TakeTail(std::string_view(*got.buffers[0]), got.version.size);
    });
  }

 private:
  arrow::Result<Step> TakeTail(std::string_view bytes, int64_t file_size) {
    ARROW_ASSIGN_OR_RAISE(const auto postscript, ParsePostScript(bytes, file_size));
    const int64_t length = postscript.tail_length();
    if (length > static_cast<int64_t>(bytes.size())) return NeedBytes{{ByteRange::Suffix(length)}};
    ARROW_ASSIGN_OR_RAISE(auto tail,
                          ParseTail(postscript, bytes.substr(bytes.size() - length), file_size));
    ARROW_ASSIGN_OR_RAISE(auto reader, ORCFileReader::Open(FileOf(*file_, tail, {}, {}),
                                                           arrow::default_memory_pool()));
    ARROW_ASSIGN_OR_RAISE(auto schema, reader->ReadSchema());
    if (schema->num_fields() != static_cast<int>(tail.columns.size()) ||
        reader->NumberOfStripes() != static_cast<int64_t>(tail.stripes.size())) {
      return Status::IOError("its footer contradicts itself: the file is corrupt");
    }
    return std::make_shared<const OrcFacts>(std::move(schema), std::move(tail));
  }

  const std::shared_ptr<const SourceFile> file_;
};

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> FileOf(
    const SourceFile& file, const Tail& tail, std::vector<ByteRange> ranges,
    std::vector<std::shared_ptr<arrow::Buffer>> buffers) {
  // liborc reads so many bytes of the end at once, whatever it needs: what it has no use for then
  // is made up, and given to that one read.
  constexpr int64_t kGuess = 16 << 10;
  const auto length = static_cast<int64_t>(tail.bytes.size());
  const int64_t wanted = std::min(std::max(length, kGuess), tail.file_size());
  std::string end(wanted - length, '\0');
  end += tail.bytes;
  const std::shared_ptr<arrow::Buffer> buffer = arrow::Buffer::FromString(std::move(end));
  ranges.push_back({tail.file_size() - length, length});
  buffers.push_back(arrow::SliceBuffer(buffer, wanted - length, length));
  ranges.push_back({tail.file_size() - wanted, wanted});
  buffers.push_back(buffer);
  const size_t made_up = ranges.size() - 1;
  auto out = std::make_shared<ResidentFile>(file.path, tail.file_size(), std::move(ranges),
                                            std::move(buffers));
  out->ServeOnlyWhole(made_up);
  return out;
}

int64_t OrcFacts::memory_size() const {
  constexpr int64_t kField = 200;
  return static_cast<int64_t>(sizeof(*this) + tail_.bytes.size() +
                              tail_.stripes.size() * sizeof(Stripe)) +
         kField * (1 + NumLeaves(*schema()));
}

std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file) {
  return std::make_unique<OrcFactsReader>(std::move(file));
}

}  // namespace shoal::formats::orc
