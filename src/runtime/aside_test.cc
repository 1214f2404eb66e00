#include "runtime/aside.h"

#include <time.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/lingering_thread.h"

namespace shoal::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Aside, ReturnsWhenTheWorkHasEndedAndKeepsItsThread) {
  std::thread::id first, second;
  const auto never = arrow::StopToken::Unstoppable();
  EXPECT_TRUE(RunAside([&] { first = std::this_thread::get_id(); }, seconds(60), never));
  EXPECT_TRUE(RunAside([&] { second = std::this_thread::get_id(); }, seconds(60), never));
  EXPECT_NE(first, std::this_thread::get_id());
  EXPECT_EQ(first, second);
}

TEST(Aside, LeavesWorkBehindAtItsTimeOrWhenStopped) {
  const auto go_on = std::make_shared<std::atomic<bool>>(false);
  const auto ended = std::make_shared<std::atomic<int>>(0);
  const auto hang = [go_on, ended] {
    while (!*go_on) std::this_thread::sleep_for(milliseconds(1));
    ++*ended;
  };
  EXPECT_FALSE(RunAside(hang, milliseconds(30), arrow::StopToken::Unstoppable()));
  arrow::StopSource stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.RequestStop();
  });
  EXPECT_FALSE(RunAside(hang, seconds(60), stop.token()));
  stopper.join();
  EXPECT_EQ(*ended, 0);
  *go_on = true;
  EXPECT_TRUE(WaitForAbandoned(seconds(10)));
  EXPECT_EQ(*ended, 2);
}

/// So long after each sign.
JudgeSign Waits(milliseconds time) {
  return [time](Sign sign) { return sign == Sign::kNone ? std::nullopt : std::optional(time); };
}

TEST(Aside, WorkThatTellsOfItsProgressIsWaitedFor) {
  EXPECT_TRUE(RunAside(
      [] {
        for (int page = 0; page < 8; ++page) {
          std::this_thread::sleep_for(milliseconds(100));
          TellProgress();
        }
      },
      milliseconds(400), arrow::StopToken::Unstoppable(), Waits(milliseconds(400))));
  TellProgress();  // of no work: nothing
}

void Compute(milliseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) continue;
}

/// So long on a processor, however busy that is.
void Work(milliseconds time) {
  const auto now = [] {
    timespec spent{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
  };
  for (const auto end = now() + time; now() < end;) continue;
}

TEST(Aside, WatchedWorkThatWaitsAndComputesInTurnIsWaitedFor) {
  const auto pages = [] {
    for (int page = 0; page < 20; ++page) {
      std::this_thread::sleep_for(milliseconds(200));
      Work(milliseconds(5));
    }
  };
  const auto ends = [](const std::function<void()>& work, bool watch) {
    return std::async(std::launch::async, [=] {
      return RunAside(work, milliseconds(2500), arrow::StopToken::Unstoppable(),
                      watch ? Waits(milliseconds(2500)) : nullptr);
    });
  };
  auto watched = ends(pages, true), unwatched = ends(pages, false);
  auto computing = ends([] { Compute(seconds(4)); }, true);
  auto waiting = ends([] { std::this_thread::sleep_for(seconds(4)); }, true);
  EXPECT_TRUE(watched.get());
  EXPECT_FALSE(unwatched.get());
  EXPECT_FALSE(computing.get());
  EXPECT_FALSE(waiting.get());
  EXPECT_TRUE(WaitForAbandoned(seconds(60)));
}

}  // namespace
}  // namespace shoal::runtime
