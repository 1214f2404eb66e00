#include "runtime/lingering_thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace shoal::runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{20000};

TEST(LingeringThread, LeftBehindItIsWaitedForUntilWhatItHoldsIsReleased) {
  ASSERT_TRUE(WaitForAbandoned(kLong));
  std::promise<void> go;
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watched = held;
  LingeringThread([until = go.get_future().share(), held = std::move(held)] {
    until.wait();
  }).Abandon();
  EXPECT_FALSE(WaitForAbandoned(milliseconds(5)));
  EXPECT_FALSE(watched.expired());
  go.set_value();
  EXPECT_TRUE(WaitForAbandoned(kLong));
  EXPECT_TRUE(watched.expired());
}

TEST(LingeringThread, JoinedItIsNotWaitedFor) {
  bool ran = false;
  LingeringThread thread([&] { ran = true; });
  thread.Join();
  EXPECT_TRUE(ran);
  EXPECT_TRUE(WaitForAbandoned(milliseconds(0)));
}

#if !defined(__SANITIZE_THREAD__)  // which does not follow threads across a fork
TEST(LingeringThread, AChildOfForkHasNone) {
  std::promise<void> go;
  LingeringThread([until = go.get_future().share()] { until.wait(); }).Abandon();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(WaitForAbandoned(milliseconds(0)) ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  go.set_value();
  EXPECT_TRUE(WaitForAbandoned(kLong));
}
#endif

}  // namespace
}  // namespace shoal::runtime
