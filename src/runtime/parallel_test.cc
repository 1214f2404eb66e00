#include "runtime/parallel.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/no_more_threads.h"

namespace shoal::runtime {
namespace {

using arrow::Status;
using arrow::StopToken;

TEST(ParallelFor, RunsEachJobOnce) {
  for (int concurrency : {0, 1, 3, 1000}) {
    std::vector<std::atomic<int>> runs(100);
    ASSERT_TRUE(ParallelFor(100, concurrency, StopToken::Unstoppable(), [&](int64_t i) {
                  ++runs[i];
                  return Status::OK();
                }).ok());
    for (const auto& n : runs) EXPECT_EQ(n, 1);
  }
  EXPECT_TRUE(ParallelFor(0, 4, StopToken::Unstoppable(), [](int64_t) {
                return Status::Invalid("never");
              }).ok());
}

TEST(ParallelFor, TheErrorOfTheLowestIndexWins) {
  for (int round = 0; round < 50; ++round) {
    const Status status = ParallelFor(8, 4, StopToken::Unstoppable(), [&](int64_t i) {
      // Of those that run at once, the later fail first.
      std::this_thread::sleep_for(std::chrono::microseconds(400 - 50 * i));
      return i >= 1 ? Status::Invalid(i) : Status::OK();
    });
    EXPECT_EQ(status.message(), "1");
  }
}

TEST(ParallelFor, StartsNoJobAfterAFailure) {
  std::atomic<int> started{0};
  const Status status = ParallelFor(100000, 4, StopToken::Unstoppable(), [&](int64_t) {
    ++started;
    return Status::IOError("broken");
  });
  EXPECT_TRUE(status.IsIOError());
  EXPECT_LE(started, 4);
}

TEST(ParallelFor, StopsWhenAsked) {
  arrow::StopSource stop;
  std::atomic<bool> stopped{false};
  std::atomic<int> started{0}, late{0};
  const Status status = ParallelFor(100000, 2, stop.token(), [&](int64_t) {
    if (stopped) ++late;
    if (++started == 10) {
      stop.RequestStop();
      stopped = true;
    }
    return Status::OK();
  });
  EXPECT_TRUE(status.IsCancelled());
  EXPECT_LE(late, 1);  // the other thread may have looked just before
}

TEST(ParallelFor, NeverRunsMoreThanItsConcurrency) {
  std::atomic<int> running{0}, most{0};
  ASSERT_TRUE(ParallelFor(60, 3, StopToken::Unstoppable(), [&](int64_t) {
                const int now = ++running;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                --running;
                return Status::OK();
              }).ok());
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 2);
}

TEST(ParallelFor, ConcurrencyOneStaysInTheCallersThread) {
  std::set<std::thread::id> threads;
  ASSERT_TRUE(ParallelFor(10, 1, StopToken::Unstoppable(), [&](int64_t) {
                threads.insert(std::this_thread::get_id());
                return Status::OK();
              }).ok());
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ParallelFor, StartsNoThreadForFewerJobsThanAreWorthIt) {
  for (const auto& [jobs, most] : {std::pair{4, 1}, {5, 2}, {8, 2}, {9, 3}, {1000, 8}}) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    ASSERT_TRUE(ParallelFor(
                    jobs, 8, StopToken::Unstoppable(),
                    [&](int64_t) {
                      std::this_thread::sleep_for(std::chrono::microseconds(100));
                      std::lock_guard lock(mutex);
                      threads.insert(std::this_thread::get_id());
                      return Status::OK();
                    },
                    /*jobs_per_thread=*/4)
                    .ok());
    EXPECT_LE(threads.size(), static_cast<size_t>(most)) << jobs << " jobs";
  }
}

TEST(ParallelFor, AJobThatThrowsHasFailed) {
  const Status status = ParallelFor(100, 4, StopToken::Unstoppable(), [](int64_t i) -> Status {
    if (i == 3) throw std::runtime_error("no luck with 3");
    return Status::OK();
  });
  EXPECT_TRUE(status.IsUnknownError()) << status;
  EXPECT_EQ(status.message(), "no luck with 3");
}

TEST(ParallelFor, WithoutMoreThreadsTheCallersDoesAllTheWork) {
  const NoMoreThreads limit;
  ASSERT_THROW(std::thread([] {}).detach(), std::system_error);
  int runs = 0;  // of one thread
  ASSERT_TRUE(ParallelFor(100, 8, StopToken::Unstoppable(), [&](int64_t) {
                ++runs;
                return Status::OK();
              }).ok());
  EXPECT_EQ(runs, 100);
}

}  // namespace
}  // namespace shoal::runtime
