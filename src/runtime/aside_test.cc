#include "runtime/aside.h"

#include <atomic>
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
  EXPECT_TRUE(
      RunAside([&] { first = std::this_thread::get_id(); }, Clock::now() + seconds(60), never));
  EXPECT_TRUE(
      RunAside([&] { second = std::this_thread::get_id(); }, Clock::now() + seconds(60), never));
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
  EXPECT_FALSE(RunAside(hang, Clock::now() + milliseconds(30), arrow::StopToken::Unstoppable()));
  arrow::StopSource stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.RequestStop();
  });
  EXPECT_FALSE(RunAside(hang, Clock::now() + seconds(60), stop.token()));
  stopper.join();
  EXPECT_EQ(*ended, 0);
  *go_on = true;
  EXPECT_TRUE(WaitForAbandoned(seconds(10)));
  EXPECT_EQ(*ended, 2);
}

}  // namespace
}  // namespace shoal::runtime
