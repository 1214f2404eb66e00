#include "base/fork_mutex.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace shoal::base {
namespace {

/// The status of a child that calls `work`; a child that hangs is killed by its alarm.
int InChild(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(ForkMutex, AChildFindsItFreeAndTheValueWhole) {
  ForkMutex mutex;
  int first = 0, second = 0;
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    while (!ends) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      std::lock_guard lock(mutex);
      ++first;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++second;
    }
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(InChild([&] {
                std::lock_guard lock(mutex);
                return first == second;
              }),
              0);
  }
  ends = true;
  writer.join();
  std::lock_guard lock(mutex);
  EXPECT_EQ(first, second);
}

TEST(ForkMutex, AForkDoesNotWaitForALongOneAndTheChildFindsItFree) {
  ForkMutex mutex(ForkMutex::Over::kBreaks);
  std::atomic<bool> held{false}, ends{false};
  std::thread holder([&] {
    std::lock_guard lock(mutex);
    held = true;
    while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(InChild([&] { return mutex.try_lock(); }), 0);
  EXPECT_FALSE(mutex.try_lock());  // in the parent nothing has changed
  ends = true;
  holder.join();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
}  // namespace shoal::base
