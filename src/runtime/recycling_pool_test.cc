#include "runtime/recycling_pool.h"

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <arrow/buffer.h>
#include <gtest/gtest.h>

namespace shoal::runtime {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST(RecyclingPool, ABlockThatWasFreedIsHandedOutAgain) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer has its own allocator";
#endif
  auto& pool = RecyclingPool::Instance();
  RecyclingPool::Lease lease;
  uint8_t *first, *second;
  ASSERT_TRUE(pool.Allocate(kMiB, &first).ok());
  pool.Free(first, kMiB);
  EXPECT_GE(pool.unused_bytes(), kMiB);
  ASSERT_TRUE(pool.Allocate(kMiB + 1000, &second).ok());
  EXPECT_EQ(second, first);
  pool.Free(second, kMiB + 1000);
}

TEST(RecyclingPool, UnusedMemoryHasALimitAndGoesWithTheLastScan) {
  auto& pool = RecyclingPool::Instance();
  {
    RecyclingPool::Lease lease;
    std::vector<uint8_t*> blocks(100);
    for (auto& block : blocks) ASSERT_TRUE(pool.Allocate(kMiB, &block).ok());
    for (auto* block : blocks) pool.Free(block, kMiB);
    EXPECT_LE(pool.unused_bytes(), 64 * kMiB);
  }
  EXPECT_EQ(pool.unused_bytes(), 0);
  // A batch that outlives its scan is freed at once.
  uint8_t* block;
  ASSERT_TRUE(pool.Allocate(kMiB, &block).ok());
  pool.Free(block, kMiB);
  EXPECT_EQ(pool.unused_bytes(), 0);
}

TEST(RecyclingPool, ContentsSurviveEveryChangeOfSize) {
  auto& pool = RecyclingPool::Instance();
  RecyclingPool::Lease lease;
  const int64_t before = pool.bytes_allocated();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    int64_t size = 1 + random() % (300 << 10);
    uint8_t* block;
    ASSERT_TRUE(pool.Allocate(size, &block).ok());
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, round, size);
    int64_t kept = size;
    for (int change = 0; change < 6; ++change) {
      const int64_t new_size = 1 + random() % (300 << 10);
      ASSERT_TRUE(pool.Reallocate(size, new_size, &block).ok());
      size = new_size;
      kept = std::min(kept, size);
      for (int64_t i = 0; i < kept; i += 97) ASSERT_EQ(block[i], static_cast<uint8_t>(round));
      ASSERT_EQ(block[kept - 1], static_cast<uint8_t>(round));
    }
    pool.Free(block, size);
  }
  EXPECT_EQ(pool.bytes_allocated(), before);
}

TEST(RecyclingPool, ASizeThatCannotBeIsOutOfMemory) {
  uint8_t* block;
  EXPECT_TRUE(RecyclingPool::Instance().Allocate(int64_t{1} << 60, &block).IsOutOfMemory());
}

TEST(RecyclingPool, ThreadsMayFreeWhatOthersAllocated) {
  auto& pool = RecyclingPool::Instance();
  RecyclingPool::Lease lease;
  const int64_t before = pool.bytes_allocated();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      std::mt19937 random(t);
      std::vector<std::shared_ptr<arrow::Buffer>> held;
      for (int i = 0; i < 500; ++i) {
        const int64_t size = (64 << 10) + random() % (512 << 10);
        std::shared_ptr<arrow::Buffer> buffer = arrow::AllocateBuffer(size, &pool).ValueOrDie();
        std::memset(buffer->mutable_data(), static_cast<int>(t), size);
        held.push_back(std::move(buffer));
        if (held.size() > 8) {
          auto& oldest = held[random() % held.size()];
          for (int64_t at = 0; at < oldest->size(); at += 4099) ASSERT_EQ(oldest->data()[at], t);
          std::swap(oldest, held.back());
          std::thread([last = std::move(held.back())]() mutable { last.reset(); }).join();
          held.pop_back();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pool.bytes_allocated(), before);
}

}  // namespace
}  // namespace shoal::runtime
