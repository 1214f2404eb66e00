#include "runtime/detached.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include <pthread.h>

namespace shoal::runtime {

namespace {

// Without a lock: one that a thread held at a fork would stay locked in the child.
std::atomic<int> running{0};

// A child of fork has none of its parent's threads.
[[maybe_unused]] const int at_fork = ::pthread_atfork(nullptr, nullptr, [] { running = 0; });

}  // namespace

std::function<void()> Counted(std::function<void()> work) {
  // Counted from here on, not only once the thread has begun.
  struct Count {
    Count() { ++running; }
    ~Count() { --running; }
  };
  return [count = std::make_shared<Count>(), work = std::move(work)]() mutable {
    const auto until_released = std::move(count);
    std::exchange(work, nullptr)();
  };
}

bool WaitForCounted(std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (running > 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace shoal::runtime
