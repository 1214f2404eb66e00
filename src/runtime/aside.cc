#include "runtime/aside.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/lingering_thread.h"

namespace shoal::runtime {

namespace {

/// How often a waiting caller looks at its stop token.
constexpr auto kStopPoll = std::chrono::milliseconds(20);
/// In each such time a thread shows what it does.
constexpr auto kWatch = std::chrono::seconds(1);
/// A thousand waits in poll() take less processor time, taking apart a page of names takes more.
constexpr auto kWorked = std::chrono::milliseconds(2);
/// A loop around a broken connection computes, but never sleeps.
constexpr int64_t kSlept = 1;
constexpr int kLowestPriority = 19;

struct Worker;
thread_local Worker* this_worker = nullptr;

struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;
  bool ended = false;        // the work; nobody has taken note yet
  bool left_behind = false;  // ends with its work
  std::atomic<int64_t> told{0};
  pid_t id = 0;
  std::optional<clockid_t> clock;  // of the thread's processor time
  std::optional<LingeringThread> thread;

  void Loop() {
    std::unique_lock lock(mutex);
    this_worker = this;
    id = ::gettid();
    if (clockid_t own; ::pthread_getcpuclockid(::pthread_self(), &own) == 0) clock = own;
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

/// What a thread has done so far.
struct Activity {
  std::chrono::nanoseconds worked{0};
  int64_t slept = 0;  // how often it waited for something

  static Activity Of(const Worker& worker) {
    Activity out;
    timespec time{};
    if (worker.clock && ::clock_gettime(*worker.clock, &time) == 0)
      out.worked = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    std::ifstream status("/proc/self/task/" + std::to_string(worker.id) + "/status");
    for (std::string line; std::getline(status, line);) {
      constexpr std::string_view kSwitches = "voluntary_ctxt_switches:";
      if (line.starts_with(kSwitches)) out.slept = std::atoll(line.c_str() + kSwitches.size());
    }
    return out;
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

void TellProgress() {
  if (this_worker != nullptr) ++this_worker->told;
}

bool RunAside(std::function<void()> work, std::chrono::milliseconds patience,
              const arrow::StopToken& stop, const JudgeSign& judge) {
  auto worker = IdleWorkers::Instance().Take();
  if (!worker) {
    work();
    return true;
  }
  std::unique_lock lock(worker->mutex);
  worker->work = std::move(work);
  worker->changed.notify_all();
  auto until = std::chrono::steady_clock::now() + patience;
  int64_t told = worker->told;
  auto watched = std::chrono::steady_clock::now();
  Activity activity = judge ? Activity::Of(*worker) : Activity();
  while (!worker->ended) {
    const auto now = std::chrono::steady_clock::now();
    if (judge) {
      const int64_t told_before = std::exchange(told, worker->told);
      Sign sign = told == told_before ? Sign::kNone : Sign::kTold;
      if (now - watched >= kWatch) {
        watched = now;
        const Activity before = std::exchange(activity, Activity::Of(*worker));
        const bool worked =
            activity.worked - before.worked >= kWorked && activity.slept - before.slept >= kSlept;
        if (sign == Sign::kNone && worked) sign = Sign::kWorked;
      }
      lock.unlock();
      const auto more = judge(sign);
      lock.lock();
      if (worker->ended) break;
      if (more) until = now + *more;
    }
    if (now >= until || stop.IsStopRequested()) {
      worker->left_behind = true;
      LingeringThread thread = *std::move(worker->thread);
      worker->thread.reset();
      // Azure's client loops without end where a listing is cut off between two chunks. A worker
      // that has not begun has no id yet, and 0 would be this thread.
      if (worker->id != 0) ::setpriority(PRIO_PROCESS, worker->id, kLowestPriority);
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
