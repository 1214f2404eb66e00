// Locks of values that a child of fork() goes on to use.
#pragma once

#include <mutex>
#include <new>

namespace shoal::base {

/// A child has none of its parent's threads: a lock that one of them held would stay locked there
/// for ever. This one is free in the child. As std::mutex, for std::lock_guard.
class ForkMutex {
 public:
  enum class Over {
    /// The thread that forks waits for the lock, so what it guards is whole in the child. For locks
    /// that are held for a moment, within which no other ForkMutex is locked, made or destroyed,
    /// and nothing waits for Python.
    kWaits,
    /// The child gets a new lock, whoever held the old one: fork() must not wait for what goes on
    /// under it. For values that are assigned at the end of long work.
    kBreaks,
  };

  explicit ForkMutex(Over over = Over::kWaits);
  ~ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  friend class ForkMutexes;
  const Over over_;
  bool held_ = false;  // by the thread that forks
  std::timed_mutex mutex_;
};

}  // namespace shoal::base
