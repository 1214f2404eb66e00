#include "plan/facts_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace shoal::plan {
namespace {

class SizedFacts final : public FileFacts {
 public:
  explicit SizedFacts(int64_t bytes) : FileFacts(arrow::schema({})), bytes_(bytes) {}
  int num_row_groups() const override { return 0; }
  Precision<int64_t> row_group_rows(int) const override { return {}; }
  int64_t row_group_bytes(int) const override { return 0; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  int64_t memory_size() const override { return bytes_; }

 private:
  int64_t bytes_;
};

std::shared_ptr<const FileFacts> Facts(int64_t bytes) {
  return std::make_shared<const SizedFacts>(bytes);
}

TEST(FactsCache, AnswersOnlyForTheVersionItWasReadWith) {
  FactsCache cache(1 << 20);
  auto facts = Facts(100);
  cache.Put("a", {10, 5}, facts);
  EXPECT_EQ(cache.Get("a", {10, 5}), facts);
  EXPECT_EQ(cache.Get("a", {11, 5}), nullptr);
  EXPECT_EQ(cache.Get("a", {10, 6}), nullptr);
  EXPECT_EQ(cache.Get("b", {10, 5}), nullptr);
  EXPECT_EQ(cache.Get("a", {10, 5, 1}), nullptr) << "a file that tells more is another";
  EXPECT_TRUE(cache.MayHave("a"));
  EXPECT_FALSE(cache.MayHave("b"));
  // A later version takes the place of the earlier one.
  auto later = Facts(100);
  cache.Put("a", {10, 6}, later);
  EXPECT_EQ(cache.Get("a", {10, 6}), later);
  EXPECT_EQ(cache.Get("a", {10, 5}), nullptr);
}

TEST(FactsCache, KeepsNothingOfFilesWhoseTimeIsNotKnown) {
  FactsCache cache(1 << 20);
  cache.Put("a", {10}, Facts(100));
  EXPECT_FALSE(cache.MayHave("a"));
  EXPECT_EQ(cache.Get("a", {10}), nullptr);
}

TEST(FactsCache, StaysWithinItsBytesAndDropsWhatWasUsedLeastRecently) {
  FactsCache cache(10000);
  std::weak_ptr<const FileFacts> watched[20];
  for (int i = 0; i < 20; ++i) {
    auto facts = Facts(1500);
    watched[i] = facts;
    cache.Put("f" + std::to_string(i), {1, 1}, std::move(facts));
    EXPECT_NE(cache.Get("f0", {1, 1}), nullptr) << "what is used stays";
  }
  int alive = 0;
  for (const auto& facts : watched) alive += facts.expired() ? 0 : 1;
  EXPECT_LE(alive * 1500, 10000);
  EXPECT_GE(alive, 4);
  EXPECT_NE(cache.Get("f19", {1, 1}), nullptr);
  EXPECT_EQ(cache.Get("f1", {1, 1}), nullptr);
}

TEST(FactsCache, LetsSharedFactsLiveOnAndRefusesWhatIsLargerThanItself) {
  FactsCache cache(5000);
  cache.Put("small", {1, 1}, Facts(1000));
  auto held = cache.Get("small", {1, 1});
  cache.Put("large", {1, 1}, Facts(6000));
  EXPECT_EQ(cache.Get("large", {1, 1}), nullptr);
  EXPECT_EQ(cache.Get("small", {1, 1}), held);
  for (int i = 0; i < 10; ++i) cache.Put(std::to_string(i), {1, 1}, Facts(2000));
  EXPECT_EQ(cache.Get("small", {1, 1}), nullptr);
  EXPECT_EQ(held->memory_size(), 1000);
}

}  // namespace
}  // namespace shoal::plan
