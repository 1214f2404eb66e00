#include "formats/text/beginning_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace shoal::formats::text {

namespace {

/// Of files that are not read whole, the beginning and so many places after it.
constexpr int64_t kBeginning = 128 << 10;
constexpr int64_t kPlaces = 6;
constexpr int64_t kPlace = 32 << 10;
/// Read at once where all is read.
constexpr int64_t kPiece = int64_t{4} << 20;

}  // namespace

arrow::Result<FactsReader::Step> BeginningReader::Next(Resident got) {
  if (!opened_) {
    opened_ = true;
    ARROW_RETURN_NOT_OK(Decoder::Make(file_->path, encoding_).Value(&decoder_));
    return NeedBytes{};  // tells the size
  }
  if (got.buffers.empty()) {
    size_ = got.version.size;
    return Need();
  }
  places_.insert(places_.end(), got.buffers.begin() + 1, got.buffers.end());
  read_ += got.buffers[0]->size();
  if (decoder_) {
    decoder_->Feed(std::move(got.buffers[0]), read_ == size_);
  } else {
    text_.append(std::string_view(*got.buffers[0]));
  }
  while (true) {
    bool more = decoder_ != nullptr;
    while (more && static_cast<int64_t>(text_.size()) < limit_) {
      ARROW_ASSIGN_OR_RAISE(more,
                            decoder_->Decode(limit_ - static_cast<int64_t>(text_.size()), &text_));
    }
    ARROW_ASSIGN_OR_RAISE(auto taken, TakeText());
    if (taken) return *std::move(taken);
    if (!more) return Need();
  }
}

ByteRange BeginningReader::Following(int64_t length) const {
  return {read_, std::min(length, size_ - read_)};
}

NeedBytes SampleReader::Need() const {
  if (is_coded()) return NeedBytes{{Following(kWhole)}};
  if (reads_all()) return NeedBytes{{Following(kPiece)}};
  NeedBytes need{{Following(kBeginning)}};
  if (read_ > 0) return need;  // the places are there already
  const int64_t step = (size_ - kBeginning) / kPlaces;
  for (int64_t i = 1; i <= kPlaces; ++i) {
    const int64_t end = i == kPlaces ? size_ : kBeginning + i * step;
    need.ranges.push_back({end - kPlace, kPlace});
  }
  return need;
}

void SampleReader::RaiseLimit() {
  limit_ = std::max(limit_, 4 * static_cast<int64_t>(text_.size()));
}

}  // namespace shoal::formats::text
