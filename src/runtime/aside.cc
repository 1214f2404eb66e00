#include "runtime/aside.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/lingering_thread.h"

namespace shoal::runtime {

namespace {

/// How often a waiting caller looks at its stop token.
constexpr auto kStopPoll = std::chrono::milliseconds(20);

struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;
  bool ended = false;        // the work; nobody has taken note yet
  bool left_behind = false;  // ends with its work
  std::optional<LingeringThread> thread;

  void Loop() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return work != nullptr; });
      auto now = std::exchange(work, nullptr);
      lock.unlock();
      now();
      now = nullptr;  // what it holds goes before its end is told
      lock.lock();
      if (left_behind) return;
      ended = true;
      changed.notify_all();
    }
  }
};

/// Workers without work.
class IdleWorkers {
 public:
  /// Never destroyed: workers wait when static objects are being destroyed.
  static IdleWorkers& Instance() {
    static auto* instance = new IdleWorkers;
    return *instance;
  }

  /// nullptr if the process may have no thread more.
  std::shared_ptr<Worker> Take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    auto worker = std::make_shared<Worker>();
    try {
      // Set before anyone else knows the worker.
      worker->thread.emplace([worker] { worker->Loop(); });
    } catch (const std::system_error&) {
      return nullptr;
    }
    return worker;
  }

  void Return(std::shared_ptr<Worker> worker) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  IdleWorkers() {
    // A child has none of the threads, and must not find the lock taken.
    ::pthread_atfork(
        [] { Instance().mutex_.lock(); }, [] { Instance().mutex_.unlock(); },
        [] {
          (void)new std::vector<std::shared_ptr<Worker>>(std::exchange(Instance().idle_, {}));
          Instance().mutex_.unlock();
        });
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<Worker>> idle_;
};

}  // namespace

bool RunAside(std::function<void()> work, std::chrono::steady_clock::time_point until,
              const arrow::StopToken& stop) {
  auto worker = IdleWorkers::Instance().Take();
  if (!worker) {
    work();
    return true;
  }
  std::unique_lock lock(worker->mutex);
  worker->work = std::move(work);
  worker->changed.notify_all();
  while (!worker->ended) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= until || stop.IsStopRequested()) {
      worker->left_behind = true;
      LingeringThread thread = *std::move(worker->thread);
      worker->thread.reset();
      lock.unlock();
      std::move(thread).Abandon();
      return false;
    }
    worker->changed.wait_until(lock, std::min(until, now + kStopPoll));
  }
  worker->ended = false;
  lock.unlock();
  IdleWorkers::Instance().Return(std::move(worker));
  return true;
}

}  // namespace shoal::runtime
