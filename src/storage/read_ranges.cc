#include "storage/read_ranges.h"

#include <algorithm>

#include "base/location.h"
#include "runtime/parallel.h"
#include "storage/coalesce.h"

namespace shoal::storage {

namespace {

/// Of one file. Files are read at once as well, so these need not fill all connections.
constexpr int kRequestsAtOnce = 8;

}  // namespace

arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> ReadRanges(
    const OpenFile& file, const std::vector<ByteRange>& ranges, const arrow::StopToken& stop) {
  std::vector<std::shared_ptr<arrow::Buffer>> out(ranges.size());
  std::vector<ByteRange> absolute;
  absolute.reserve(ranges.size());
  for (const ByteRange& range : ranges) absolute.push_back(file.Resolve(range));
  // What lies outside of the file is told of the range that does, and not of a merged one.
  const bool all_inside = std::all_of(absolute.begin(), absolute.end(), [&](const ByteRange& r) {
    return r.offset >= 0 && r.length >= 0 && r.offset <= file.size() &&
           r.length <= file.size() - r.offset;
  });
  if (ranges.size() <= 1 || !all_inside || base::IsLocal(*file.source().filesystem)) {
    for (size_t i = 0; i < ranges.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(out[i], file.Read(absolute[i]));
    }
    return out;
  }
  const CoalescedRanges merged(absolute, CoalesceRule::Remote());
  const auto& requests = merged.requests();
  std::vector<std::shared_ptr<arrow::Buffer>> answers(requests.size());
  ARROW_RETURN_NOT_OK(
      runtime::ParallelFor(static_cast<int64_t>(requests.size()), kRequestsAtOnce, stop,
                           [&](int64_t i) { return file.Read(requests[i]).Value(&answers[i]); }));
  return merged.Slice(answers);
}

}  // namespace shoal::storage
