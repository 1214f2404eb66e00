// Ranges of a file to ask for, and then to find in what was answered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <shoal/unit.h>

namespace shoal::formats::ipc {

/// Add() ranges, ask for ranges(), give the answer to Fill(), and Find() what was added.
class ResidentRanges {
 public:
  void Add(int64_t offset, int64_t length) {
    if (length > 0) ranges_.push_back({offset, length});
  }
  /// Merges ranges that touch, or nearly so.
  const std::vector<ByteRange>& Merge() {
    constexpr int64_t kPadding = 64;
    std::sort(ranges_.begin(), ranges_.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });
    std::vector<ByteRange> merged;
    for (const ByteRange& range : ranges_) {
      if (!merged.empty() && range.offset - merged.back().end() <= kPadding) {
        merged.back().length = std::max(merged.back().end(), range.end()) - merged.back().offset;
      } else {
        merged.push_back(range);
      }
    }
    ranges_ = std::move(merged);
    return ranges_;
  }
  int64_t bytes() const {
    int64_t total = 0;
    for (const ByteRange& range : ranges_) total += range.length;
    return total;
  }
  void Fill(std::vector<std::shared_ptr<arrow::Buffer>> buffers) { buffers_ = std::move(buffers); }
  void Clear() {
    ranges_.clear();
    buffers_.clear();
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Find(int64_t offset, int64_t length) const {
    auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), offset,
        [](int64_t wanted, const ByteRange& range) { return wanted < range.offset; });
    if (after != ranges_.begin()) {
      const size_t i = after - ranges_.begin() - 1;
      if (i < buffers_.size() && offset + length <= ranges_[i].end())
        return arrow::SliceBuffer(buffers_[i], offset - ranges_[i].offset, length);
    }
    return arrow::Status::UnknownError("bytes ", offset, " to ", offset + length,
                                       " were used and not asked for");
  }

 private:
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
};

}  // namespace shoal::formats::ipc
