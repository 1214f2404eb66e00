#include "runtime/lingering_thread.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <list>
#include <mutex>
#include <utility>

namespace shoal::runtime {

namespace {

/// How long an exiting process waits for threads that were left behind. A read that is about to end
/// does so in this time; one that hangs would hang longer than anybody wants to wait.
constexpr auto kExitWait = std::chrono::milliseconds(500);
constexpr auto kPoll = std::chrono::milliseconds(1);

}  // namespace

struct LingeringThread::Progress {
  std::atomic<bool> ended{false};
};

LingeringThread::LingeringThread(std::function<void()> body)
    : progress_(std::make_shared<Progress>()),
      thread_([progress = progress_, body = std::move(body)]() mutable {
        body();
        body = nullptr;  // what it holds goes before `ended` is told
        progress->ended = true;
      }) {}

/// All threads of the process that were left behind.
class AbandonedThreads {
 public:
  /// Never destroyed: threads end while static objects are being destroyed.
  static AbandonedThreads& Instance() {
    static auto* instance = new AbandonedThreads;
    return *instance;
  }

  void Add(LingeringThread thread) {
    std::lock_guard lock(mutex_);
    JoinEndedLocked();
    threads_.push_back(std::move(thread));
  }

  bool Wait(std::chrono::milliseconds at_most) {
    const auto deadline = std::chrono::steady_clock::now() + at_most;
    while (true) {
      {
        std::lock_guard lock(mutex_);
        JoinEndedLocked();
        if (threads_.empty()) return true;
      }
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(kPoll);
    }
  }

 private:
  AbandonedThreads() {
    // Registered after all that the threads use was made, and so called before any of it is
    // destroyed.
    std::atexit([] { Instance().Wait(kExitWait); });
    // A child has none of the threads, and must not find the lock taken. Joining or detaching one
    // there would free its stack a second time.
    ::pthread_atfork([] { Instance().mutex_.lock(); }, [] { Instance().mutex_.unlock(); },
                     [] {
                       (void)new std::list<LingeringThread>(std::exchange(Instance().threads_, {}));
                       Instance().mutex_.unlock();
                     });
  }

  void JoinEndedLocked() {
    for (auto it = threads_.begin(); it != threads_.end();) {
      if (it->progress_->ended) {
        it->Join();
        it = threads_.erase(it);
      } else {
        ++it;
      }
    }
  }

  std::mutex mutex_;
  std::list<LingeringThread> threads_;
};

bool WaitForAbandoned(std::chrono::milliseconds at_most) {
  return AbandonedThreads::Instance().Wait(at_most);
}

void LingeringThread::Abandon() && { AbandonedThreads::Instance().Add(std::move(*this)); }

}  // namespace shoal::runtime
