#include "interruptible.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <pthread.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <arrow/python/common.h>

namespace shoal::python {

namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLookForSignals{50};
constexpr milliseconds kGrace{500};

/// Pieces of work that have begun and not ended. A child of fork() has none of its parent's
/// threads.
std::atomic<int> at_work{0};
[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, [] { at_work = 0; });

/// Python runs signal handlers in the main thread alone.
bool OnMainThread() {
#ifdef __linux__
  return syscall(SYS_gettid) == getpid();
#else
  return pthread_main_np() != 0;
#endif
}

/// Runs the handlers of signals that have come in. Not OK: one of them raised.
arrow::Status RunSignalHandlers() {
  arrow::py::PyAcquireGIL gil;
  if (PyErr_CheckSignals() == 0) return arrow::Status::OK();
  return arrow::py::ConvertPyError(arrow::StatusCode::Cancelled);
}

/// A thread that works for the main thread, one call after the other. It waits for work for as long
/// as the process lives: a thread a call would cost more than many a call does.
class Helper {
 public:
  static std::shared_ptr<Helper> Start() {
    auto helper = std::make_shared<Helper>();
    std::thread([helper] { helper->Loop(); }).detach();
    return helper;
  }
  void Post(std::function<void()> task) {
    std::lock_guard lock(mutex_);
    task_ = std::move(task);
    wake_.notify_one();
  }
  /// The thread ends once it has nothing to do.
  void Leave() {
    std::lock_guard lock(mutex_);
    leave_ = true;
    wake_.notify_one();
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return task_ || leave_; });
      if (!task_) return;
      auto task = std::exchange(task_, nullptr);
      lock.unlock();
      task();
      task = nullptr;  // what it holds is freed before it is asked for more
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void()> task_;
  bool leave_ = false;
};

/// The helper that has no work at present. Only the main thread comes here, so it needs no lock. A
/// child of fork() has none of its parent's threads, and begins anew.
class IdleHelper {
 public:
  std::shared_ptr<Helper> Take() {
    if (process_ == getpid() && helper_) return std::move(helper_);
    return Helper::Start();
  }
  void GiveBack(std::shared_ptr<Helper> helper) {
    if (process_ == getpid() && helper_)
      return helper->Leave();  // a signal handler's call was nested in another
    process_ = getpid();
    // That of another process has no thread; dropping it would wait for one.
    if (helper_) new std::shared_ptr<Helper>(std::move(helper_));
    helper_ = std::move(helper);
  }

 private:
  std::shared_ptr<Helper> helper_;
  pid_t process_ = 0;
};

IdleHelper& Idle() {
  static auto* idle = new IdleHelper;  // outlives static destructors, as its thread does
  return *idle;
}

struct Call {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  arrow::Status status;
};

}  // namespace

arrow::Status RunInterruptible(arrow::StopSource stop, std::function<arrow::Status()> work) {
  GilReleased released;
  if (!OnMainThread() || !Py_IsInitialized()) return work();

  auto call = std::make_shared<Call>();
  auto helper = Idle().Take();
  ++at_work;
  helper->Post([call, work = std::move(work)]() mutable {
    arrow::Status status = work();
    work = nullptr;
    std::lock_guard lock(call->mutex);
    call->status = std::move(status);
    call->done = true;
    call->ended.notify_one();
    --at_work;
  });
  auto done = [&] { return call->done; };
  std::unique_lock lock(call->mutex);
  while (!call->ended.wait_for(lock, kLookForSignals, done)) {
    lock.unlock();
    arrow::Status interrupted = RunSignalHandlers();
    lock.lock();
    if (interrupted.ok()) continue;
    stop.RequestStop();
    if (call->ended.wait_for(lock, kGrace, done)) {
      Idle().GiveBack(std::move(helper));
    } else {
      helper->Leave();
    }
    return interrupted;
  }
  Idle().GiveBack(std::move(helper));
  return std::move(call->status);
}

void WaitForLeftWork(milliseconds at_most) {
  GilReleased released;
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (at_work > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace shoal::python
