#include "storage/coalesce.h"

#include <gtest/gtest.h>

namespace shoal::storage {
namespace {

std::vector<std::shared_ptr<arrow::Buffer>> Answer(const std::string& file,
                                                   const CoalescedRanges& c) {
  std::vector<std::shared_ptr<arrow::Buffer>> out;
  for (const auto& r : c.requests())
    out.push_back(arrow::Buffer::FromString(file.substr(r.offset, r.length)));
  return out;
}

TEST(Coalesce, NearRangesShareARequestAndFarOnesDoNot) {
  CoalescedRanges c({{0, 2}, {4, 2}, {20, 2}}, {2, 100});
  EXPECT_EQ(c.requests(), (std::vector<ByteRange>{{0, 6}, {20, 2}}));
}

TEST(Coalesce, EachRangeComesBackWhateverTheOrderAndOverlap) {
  const std::string file = "abcdefghijklmnopqrstuvwxyz";
  std::vector<ByteRange> ranges = {{10, 3}, {0, 4}, {2, 1}, {11, 5}, {25, 1}, {7, 0}};
  for (int64_t hole : {0, 1, 3, 100}) {
    for (int64_t max : {1, 5, 100}) {
      CoalescedRanges c(ranges, {hole, max});
      auto got = c.Slice(Answer(file, c));
      ASSERT_EQ(got.size(), ranges.size());
      for (size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_EQ(got[i]->ToString(), file.substr(ranges[i].offset, ranges[i].length))
            << hole << " " << max << " " << i;
      }
    }
  }
}

TEST(Coalesce, RequestsDoNotGrowBeyondTheLimitByMerging) {
  CoalescedRanges c({{0, 4}, {4, 4}, {8, 4}}, {10, 8});
  EXPECT_EQ(c.requests(), (std::vector<ByteRange>{{0, 8}, {8, 4}}));
}

}  // namespace
}  // namespace shoal::storage
