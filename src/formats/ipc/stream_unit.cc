#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status_context.h"
#include "formats/ipc/batch_loader.h"
#include "formats/ipc/facts.h"
#include "formats/ipc/resident_ranges.h"
#include "formats/ipc/units.h"
#include "formats/slices.h"

namespace shoal::formats::ipc {

namespace {

constexpr int64_t kInflation = 4;
/// Read at once where messages are small, and where they are large only to see the next one's
/// metadata.
constexpr int64_t kLargeWindow = 1 << 20, kSmallWindow = 64 << 10;

class StreamUnit final : public Unit {
 public:
  explicit StreamUnit(UnitRequest request)
      : Unit(request.file),
        request_(std::move(request)),
        schema_(ProjectLeaves(*request_.facts->schema(), request_.leaves)),
        wanted_dictionaries_(DictionariesOf(facts().layout(), request_.leaves)),
        at_(facts().messages()),
        slices_(request_.batch_rows) {}

  arrow::Result<Step> Next(Resident got) override {
    auto step = Advance(std::move(got));
    if (step.ok()) return step;
    return base::WithContext(step.status(),
                             "'" + file()->path + "', message at byte " + std::to_string(at_));
  }

 private:
  const IpcFacts& facts() const { return static_cast<const IpcFacts&>(*request_.facts); }

  arrow::Result<Step> Advance(Resident got) {
    if (!got.buffers.empty()) resident_.Fill(std::move(got.buffers));
    while (true) {
      if (auto batch = slices_.Next()) return Step(std::move(batch));
      if (message_) {
        ARROW_RETURN_NOT_OK(TakeBody());
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const int64_t missing, FindMessage());
      if (missing < 0) {
        resident_.Clear();
        return Done{};
      }
      if (missing > 0) return AskWindow(missing);
      ARROW_ASSIGN_OR_RAISE(const bool asks, WantBody());
      if (asks) return AskBody();
    }
  }

  /// Parses the metadata at at_. How many bytes it takes to do so, 0: it is done; -1: the stream
  /// has ended.
  arrow::Result<int64_t> FindMessage() {
    const int64_t left = facts().file_size() - at_;
    if (left <= 0) return -1;
    const int64_t prefix = std::min<int64_t>(8, left);
    auto begin = resident_.Find(at_, prefix);
    if (!begin.ok()) return prefix;
    ARROW_ASSIGN_OR_RAISE(const auto next, ParseEncapsulation(std::string_view(**begin)));
    if (next.length == 0) return CheckNothingFollows(at_ + next.prefix);
    const int64_t length = next.prefix + next.length;
    if (length > left) return Truncated();
    auto metadata = resident_.Find(at_, length);
    if (!metadata.ok()) return length;
    ARROW_ASSIGN_OR_RAISE(message_, ParseNextMessage(std::string_view(**metadata)));
    body_ = at_ + length;
    if (message_->body_length > facts().file_size() - body_) return Truncated();
    return 0;
  }

  /// Behind the mark of the stream's end. Returns as FindMessage().
  arrow::Result<int64_t> CheckNothingFollows(int64_t end) {
    const int64_t rest = facts().file_size() - end;
    if (rest <= 0) return -1;
    const int64_t seen = std::min(rest, kMostPadding);
    auto bytes = resident_.Find(end, seen);
    if (!bytes.ok()) return end - at_ + seen;
    ARROW_RETURN_NOT_OK(CheckPadding(std::string_view(**bytes), rest));
    return -1;
  }

  static arrow::Status Truncated() {
    return arrow::Status::IOError("it ends beyond the file, which is truncated");
  }

  Step AskWindow(int64_t at_least) {
    const int64_t window = last_body_ > kLargeWindow ? kSmallWindow : kLargeWindow;
    resident_.Clear();
    resident_.Add(at_, std::min(std::max(at_least, window), facts().file_size() - at_));
    return NeedBytes{resident_.Merge()};
  }

  bool Wants(int64_t dictionary) const {
    return std::binary_search(wanted_dictionaries_.begin(), wanted_dictionaries_.end(), dictionary);
  }

  /// Finds out which parts of the body are wanted, and whether they have to be asked for.
  arrow::Result<bool> WantBody() {
    extents_.clear();
    if (message_->kind == Message::kBatch) {
      ARROW_ASSIGN_OR_RAISE(extents_,
                            WantedBuffers(facts().layout(), *message_, schema_, request_.leaves));
    } else if (message_->kind == Message::kDictionary) {
      if (Wants(message_->dictionary_id)) extents_ = {{0, message_->body_length}};
    } else {
      return arrow::Status::IOError(
          "it is neither a record batch nor a dictionary: the stream is corrupt, or no table");
    }
    return std::any_of(extents_.begin(), extents_.end(), [&](const auto& extent) {
      return extent.length > 0 && !resident_.Find(body_ + extent.offset, extent.length).ok();
    });
  }

  /// With the body, the beginning of the next message.
  Step AskBody() {
    resident_.Clear();
    for (const auto& extent : extents_) resident_.Add(body_ + extent.offset, extent.length);
    NeedBytes need;
    const int64_t bytes = resident_.bytes();
    need.decode_bytes =
        message_->batch.compression == arrow::Compression::UNCOMPRESSED ? 0 : kInflation * bytes;
    const int64_t next = body_ + message_->body_length;
    resident_.Add(next, std::min(kSmallWindow, facts().file_size() - next));
    need.ranges = resident_.Merge();
    return need;
  }

  arrow::Status TakeBody() {
    const Message message = *std::exchange(message_, std::nullopt);
    const BufferSource source = [&](const BatchHeader::Extent& extent) {
      return resident_.Find(body_ + extent.offset, extent.length);
    };
    if (message.kind == Message::kBatch) {
      ARROW_ASSIGN_OR_RAISE(
          auto batch, LoadBatch(facts().layout(), message, schema_, request_.leaves, dictionaries_,
                                source, request_.pool));
      slices_.Reset(std::move(batch));
    } else if (Wants(message.dictionary_id)) {
      ARROW_RETURN_NOT_OK(LoadDictionary(facts().layout(), message, /*may_replace=*/true, source,
                                         request_.pool, &dictionaries_));
    }
    at_ = body_ + message.body_length;
    last_body_ = message.body_length;
    return arrow::Status::OK();
  }

  const UnitRequest request_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::vector<int64_t> wanted_dictionaries_;  // ids, ascending
  int64_t at_;                                      // the message to read next
  std::optional<Message> message_;                  // parsed, and its body not taken
  int64_t body_ = 0;
  std::vector<BatchHeader::Extent> extents_;
  int64_t last_body_ = 0;
  ResidentRanges resident_;
  Dictionaries dictionaries_;
  Slices slices_;
};

}  // namespace

std::unique_ptr<Unit> MakeStreamUnit(UnitRequest request) {
  return std::make_unique<StreamUnit>(std::move(request));
}

}  // namespace shoal::formats::ipc
