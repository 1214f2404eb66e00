#include <algorithm>
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

/// What compressed buffers are expected to grow to.
constexpr int64_t kInflation = 4;

class FileUnit final : public Unit {
 public:
  explicit FileUnit(UnitRequest request)
      : Unit(request.file),
        request_(std::move(request)),
        schema_(ProjectLeaves(*request_.facts->schema(), request_.leaves)),
        wanted_dictionaries_(DictionariesOf(facts().layout(), request_.leaves)),
        shared_(facts().dictionaries()),
        slices_(request_.batch_rows) {}

  arrow::Result<Step> Next(Resident got) override {
    auto step = Advance(std::move(got));
    if (step.ok()) return step;
    return base::WithContext(step.status(), "'" + file()->path + "', " + doing_);
  }

 private:
  enum class State { kStart, kAwaitsMetadata, kAwaitsBodies, kReads };

  const IpcFacts& facts() const { return static_cast<const IpcFacts&>(*request_.facts); }
  const Block& block(int group) const { return facts().footer().batches[group]; }

  arrow::Result<Step> Advance(Resident got) {
    if (state_ == State::kStart) {
      NeedBytes need;
      for (int group : request_.row_groups) {
        if (auto metadata = facts().metadata(group)) {
          ARROW_RETURN_NOT_OK(TakeMetadata(group, *metadata));
        } else {
          need.ranges.push_back({block(group).offset, block(group).metadata_length});
        }
      }
      if (need.ranges.empty()) return AskBodies();
      state_ = State::kAwaitsMetadata;
      return need;
    }
    if (state_ == State::kAwaitsMetadata) {
      for (size_t i = 0; i < request_.row_groups.size(); ++i)
        ARROW_RETURN_NOT_OK(TakeMetadata(request_.row_groups[i], *got.buffers[i]));
      return AskBodies();
    }
    if (state_ == State::kAwaitsBodies) {
      resident_.Fill(std::move(got.buffers));
      state_ = State::kReads;
      ARROW_RETURN_NOT_OK(LoadDictionaries());
    }
    while (true) {
      if (auto batch = slices_.Next()) return Step(std::move(batch));
      if (next_ == messages_.size()) break;
      const int group = request_.row_groups[next_];
      doing_ = "record batch " + std::to_string(group);
      const Message& message = messages_[next_++];
      ARROW_ASSIGN_OR_RAISE(
          auto batch, LoadBatch(facts().layout(), message, schema_, request_.leaves, dictionaries_,
                                SourceAt(block(group).body()), request_.pool));
      slices_.Reset(std::move(batch));
    }
    resident_.Clear();
    return Done{};
  }

  arrow::Status TakeMetadata(int group, const arrow::Buffer& metadata) {
    doing_ = "record batch " + std::to_string(group);
    ARROW_ASSIGN_OR_RAISE(auto message,
                          ParseNextMessage(std::string_view(metadata), block(group).body_length));
    if (message.kind != Message::kBatch ||
        message.batch.rows != facts().row_group_rows(group).value())
      return arrow::Status::IOError("its metadata is not what it was: the file was changed");
    messages_.push_back(std::move(message));
    return arrow::Status::OK();
  }

  arrow::Result<Step> AskBodies() {
    NeedBytes need;
    if (!shared_->Get(wanted_dictionaries_, &dictionaries_)) {
      const auto& ids = facts().dictionary_ids();
      for (size_t i = 0; i < ids.size(); ++i) {
        if (!std::binary_search(wanted_dictionaries_.begin(), wanted_dictionaries_.end(), ids[i]))
          continue;
        const Block& block = facts().footer().dictionaries[i];
        resident_.Add(block.offset, block.metadata_length + block.body_length);
        dictionaries_to_load_.push_back(i);
      }
      dictionaries_.clear();
    }
    bool compressed = false;
    for (size_t i = 0; i < messages_.size(); ++i) {
      const int group = request_.row_groups[i];
      doing_ = "record batch " + std::to_string(group);
      ARROW_ASSIGN_OR_RAISE(
          auto extents, WantedBuffers(facts().layout(), messages_[i], schema_, request_.leaves));
      for (const auto& extent : extents)
        resident_.Add(block(group).body() + extent.offset, extent.length);
      compressed |= messages_[i].batch.compression != arrow::Compression::UNCOMPRESSED;
    }
    need.ranges = resident_.Merge();
    need.decode_bytes = compressed ? kInflation * resident_.bytes() : 0;
    state_ = State::kAwaitsBodies;
    if (need.ranges.empty()) return Advance({});
    return need;
  }

  arrow::Status LoadDictionaries() {
    for (size_t i : dictionaries_to_load_) {
      doing_ = "dictionary batch " + std::to_string(i);
      const Block& block = facts().footer().dictionaries[i];
      ARROW_ASSIGN_OR_RAISE(auto metadata, resident_.Find(block.offset, block.metadata_length));
      ARROW_ASSIGN_OR_RAISE(auto message,
                            ParseNextMessage(std::string_view(*metadata), block.body_length));
      if (message.kind != Message::kDictionary)
        return arrow::Status::IOError("it is something else: the file was changed");
      ARROW_RETURN_NOT_OK(LoadDictionary(facts().layout(), message, /*may_replace=*/false,
                                         SourceAt(block.body()), request_.pool, &dictionaries_));
    }
    if (!dictionaries_to_load_.empty()) shared_->Put(dictionaries_);
    return arrow::Status::OK();
  }

  BufferSource SourceAt(int64_t body) const {
    return [this, body](const BatchHeader::Extent& extent) {
      return resident_.Find(body + extent.offset, extent.length);
    };
  }

  const UnitRequest request_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::vector<int64_t> wanted_dictionaries_;  // ids, ascending
  const std::shared_ptr<SharedDictionaries> shared_;
  State state_ = State::kStart;
  std::string doing_ = "record batch";
  std::vector<Message> messages_;             // of the row groups
  std::vector<size_t> dictionaries_to_load_;  // of the footer's
  ResidentRanges resident_;
  Dictionaries dictionaries_;
  size_t next_ = 0;
  Slices slices_;
};

}  // namespace

std::unique_ptr<Unit> MakeFileUnit(UnitRequest request) {
  return std::make_unique<FileUnit>(std::move(request));
}

}  // namespace shoal::formats::ipc
