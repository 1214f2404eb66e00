#include "base/fork_mutex.h"

#include <pthread.h>

#include <chrono>
#include <unordered_set>
#include <utility>

namespace shoal::base {

namespace {

/// That a lock is not free for so long can only be where its holder waits for the thread that
/// forks. The child then gets a new lock, as it would without waiting.
constexpr auto kPatience = std::chrono::seconds(1);

}  // namespace

/// All there are.
class ForkMutexes {
 public:
  /// Never destroyed: there may be a fork while static objects are destroyed.
  static ForkMutexes& Instance() {
    static auto* instance = new ForkMutexes;
    return *instance;
  }

  void Add(ForkMutex* mutex) {
    std::lock_guard lock(mutex_);
    all_.insert(mutex);
  }
  void Remove(ForkMutex* mutex) {
    std::lock_guard lock(mutex_);
    all_.erase(mutex);
  }

 private:
  ForkMutexes() {
    ::pthread_atfork([] { Instance().Prepare(); }, [] { Instance().InParent(); },
                     [] { Instance().InChild(); });
  }

  void Prepare() {
    mutex_.lock();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (ForkMutex* each : all_) {
      if (each->over_ != ForkMutex::Over::kWaits) continue;
      each->held_ = each->mutex_.try_lock_until(until);
    }
  }

  void InParent() {
    for (ForkMutex* each : all_) {
      if (std::exchange(each->held_, false)) each->mutex_.unlock();
    }
    mutex_.unlock();
  }

  void InChild() {
    for (ForkMutex* each : all_) {
      if (std::exchange(each->held_, false)) {
        each->mutex_.unlock();
      } else {
        // Not destroyed: that is for nobody to do while it is locked.
        new (&each->mutex_) std::timed_mutex;
      }
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::unordered_set<ForkMutex*> all_;
};

ForkMutex::ForkMutex(Over over) : over_(over) { ForkMutexes::Instance().Add(this); }

ForkMutex::~ForkMutex() { ForkMutexes::Instance().Remove(this); }

}  // namespace shoal::base
