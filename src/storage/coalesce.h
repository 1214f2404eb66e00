// Merging ranges of a file into few requests.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/buffer.h>

#include <shoal/unit.h>

namespace shoal::storage {

struct CoalesceRule {
  /// Ranges this close are fetched as one: reading a hole costs less than another request.
  int64_t hole = 0;
  /// But no request grows beyond this by merging.
  int64_t max_request = 0;

  static CoalesceRule Local() { return {64 << 10, 8 << 20}; }
  static CoalesceRule Remote() { return {1 << 20, 16 << 20}; }
};

/// Requests that cover some ranges, and where each range lies in them.
class CoalescedRanges {
 public:
  CoalescedRanges() = default;
  /// Ranges are absolute, in any order, and may overlap.
  CoalescedRanges(const std::vector<ByteRange>& ranges, const CoalesceRule& rule);

  const std::vector<ByteRange>& requests() const { return requests_; }
  /// Cuts the ranges out of the answers to the requests; no copy.
  std::vector<std::shared_ptr<arrow::Buffer>> Slice(
      const std::vector<std::shared_ptr<arrow::Buffer>>& answers) const;

 private:
  struct Place {
    size_t request;
    int64_t offset;
    int64_t length;
  };
  std::vector<ByteRange> requests_;
  std::vector<Place> places_;
};

}  // namespace shoal::storage
