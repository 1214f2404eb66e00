#include "list/concurrency.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "support/no_more_threads.h"

namespace shoal::list {
namespace {

using arrow::Result;
using arrow::Status;
using arrow::StopToken;

TEST(FetchAll, GivesTheAnswersInOrder) {
  for (const int concurrency : {0, 1, 3, 1000}) {
    const auto got = FetchAll<size_t>(100, concurrency, StopToken::Unstoppable(),
                                      [](size_t i) -> Result<size_t> { return i; })
                         .ValueOrDie();
    std::vector<size_t> wanted(100);
    std::iota(wanted.begin(), wanted.end(), size_t{0});
    EXPECT_EQ(got, wanted);
  }
  EXPECT_TRUE(FetchAll<int>(0, 4, StopToken::Unstoppable(), [](size_t) -> Result<int> {
                return Status::Invalid("never");
              })->empty());
}

TEST(FetchAll, AFetchThatThrowsHasFailed) {
  const auto status = FetchAll<int>(10, 4, StopToken::Unstoppable(), [](size_t i) -> Result<int> {
                        if (i == 3) throw std::runtime_error("no luck with 3");
                        return 0;
                      }).status();
  EXPECT_TRUE(status.IsUnknownError()) << status;
  EXPECT_EQ(status.message(), "no luck with 3");
}

TEST(FetchAll, WithoutMoreThreadsTheCallersFetches) {
  const NoMoreThreads limit;
  EXPECT_EQ(StartDetached(3, [] {}), 0u);
  const auto caller = std::this_thread::get_id();
  const auto got = FetchAll<bool>(5, 4, StopToken::Unstoppable(), [&](size_t) -> Result<bool> {
    return std::this_thread::get_id() == caller;
  });
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, std::vector<bool>(5, true));

  const auto fails = [](size_t) -> Result<int> { throw std::runtime_error("no luck"); };
  EXPECT_EQ(FetchAll<int>(5, 4, StopToken::Unstoppable(), fails).status().message(), "no luck");

  arrow::StopSource stop;
  std::atomic<int> fetched{0};
  const auto stops = [&](size_t) -> Result<int> {
    if (++fetched == 2) stop.RequestStop();
    return 0;
  };
  EXPECT_TRUE(FetchAll<int>(5, 4, stop.token(), stops).status().IsCancelled());
  EXPECT_EQ(fetched, 2);
}

}  // namespace
}  // namespace shoal::list
