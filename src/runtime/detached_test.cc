#include "runtime/detached.h"

#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace shoal::runtime {
namespace {

using std::chrono::milliseconds;

TEST(Detached, IsWaitedForUntilWhatItHoldsIsReleased) {
  EXPECT_TRUE(WaitForCounted(milliseconds(0)));
  std::promise<void> go;
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watched = held;
  std::thread(Counted([until = go.get_future().share(), held = std::move(held)] {
    until.wait();
  })).detach();
  EXPECT_FALSE(WaitForCounted(milliseconds(5)));
  EXPECT_FALSE(watched.expired());
  go.set_value();
  EXPECT_TRUE(WaitForCounted(milliseconds(20000)));
  EXPECT_TRUE(watched.expired());
}

TEST(Detached, AFunctionThatNeverRunsIsNotWaitedFor) {
  {
    auto dropped = Counted([] {});
  }
  EXPECT_TRUE(WaitForCounted(milliseconds(0)));
}

TEST(Detached, AChildOfForkHasNone) {
  std::promise<void> go;
  std::thread(Counted([until = go.get_future().share()] { until.wait(); })).detach();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(WaitForCounted(milliseconds(0)) ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  go.set_value();
  EXPECT_TRUE(WaitForCounted(milliseconds(20000)));
}

}  // namespace
}  // namespace shoal::runtime
