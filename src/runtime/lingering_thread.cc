#include "runtime/lingering_thread.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <list>
#include <mutex>
#include <utility>

namespace shoal::runtime {

namespace {

/// How long an exiting process waits for threads that were left behind. A read that is about to end does so in this
/// time; one that hangs would hang longer than anybody wants to wait.
constexpr auto kExitWait = std::chrono::milliseconds(500);
constexpr auto kExitPoll = std::chrono::milliseconds(1);

}  // namespace

struct LingeringThread::Progress {
  std::atomic<bool> ended{false};
};

LingeringThread::LingeringThread(std::function<void()> body)
    : progress_(std::make_shared<Progress>()), thread_([progress = progress_, body = std::move(body)]() mutable {
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

 private:
  AbandonedThreads() {
    // Registered after all that the threads use was made, and so called before any of it is destroyed.
    std::atexit([] { Instance().WaitAtExit(); });
  }

  void WaitAtExit() {
    if (::getpid() != pid_) return;  // a forked child has none of the threads, and the lock may be held for ever
    const auto deadline = std::chrono::steady_clock::now() + kExitWait;
    std::lock_guard lock(mutex_);
    for (JoinEndedLocked(); !threads_.empty() && std::chrono::steady_clock::now() < deadline; JoinEndedLocked()) {
      std::this_thread::sleep_for(kExitPoll);
    }
    for (auto& thread : threads_) thread.thread_.detach();
    threads_.clear();
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

  const pid_t pid_ = ::getpid();
  std::mutex mutex_;
  std::list<LingeringThread> threads_;
};

void LingeringThread::Abandon() && { AbandonedThreads::Instance().Add(std::move(*this)); }

}  // namespace shoal::runtime
