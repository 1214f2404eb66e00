#include "storage/coalesce.h"

#include <algorithm>
#include <numeric>

namespace shoal::storage {

CoalescedRanges::CoalescedRanges(const std::vector<ByteRange>& ranges, const CoalesceRule& rule) {
  places_.resize(ranges.size());
  std::vector<size_t> by_offset(ranges.size());
  std::iota(by_offset.begin(), by_offset.end(), size_t{0});
  std::sort(by_offset.begin(), by_offset.end(), [&](size_t a, size_t b) {
    return std::pair(ranges[a].offset, ranges[a].length) <
           std::pair(ranges[b].offset, ranges[b].length);
  });
  for (size_t i : by_offset) {
    const ByteRange& range = ranges[i];
    if (!requests_.empty()) {
      ByteRange& last = requests_.back();
      int64_t end = std::max(last.end(), range.end());
      bool inside = range.end() <= last.end();
      if (inside ||
          (range.offset - last.end() <= rule.hole && end - last.offset <= rule.max_request)) {
        last.length = end - last.offset;
        places_[i] = {requests_.size() - 1, range.offset - last.offset, range.length};
        continue;
      }
    }
    requests_.push_back(range);
    places_[i] = {requests_.size() - 1, 0, range.length};
  }
}

std::vector<std::shared_ptr<arrow::Buffer>> CoalescedRanges::Slice(
    const std::vector<std::shared_ptr<arrow::Buffer>>& answers) const {
  std::vector<std::shared_ptr<arrow::Buffer>> out;
  out.reserve(places_.size());
  for (const Place& p : places_)
    out.push_back(arrow::SliceBuffer(answers[p.request], p.offset, p.length));
  return out;
}

}  // namespace shoal::storage
