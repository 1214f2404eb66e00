// A thread that may be stuck in a call nobody can cancel, such as a read from a store that hangs.
//
// It can be left behind, but not for ever unwatched: once main() has returned, static objects are
// destroyed (Arrow's memory pools among them), and a thread that wakes up then would use them.
// Threads left behind are therefore waited for when the process exits, though not for long.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace shoal::runtime {

/// Thread rule: as std::thread. Join or Abandon must be called before it is destroyed. In a forked
/// child, where the thread does not exist, neither may be: there it must never be destroyed.
class LingeringThread {
 public:
  explicit LingeringThread(std::function<void()> body);
  LingeringThread(LingeringThread&&) = default;

  std::thread::id id() const { return thread_.get_id(); }
  void Join() { thread_.join(); }
  /// Leaves it to end on its own; what `body` holds lives as long as it runs.
  void Abandon() &&;

 private:
  friend class AbandonedThreads;
  struct Progress;
  std::shared_ptr<Progress> progress_;
  std::thread thread_;
};

/// Waits, at most so long, until every thread that was left behind has ended and let go of what it
/// holds. False: some still run. Happens by itself when the process exits; earlier for those who
/// must not be called from then on.
bool WaitForAbandoned(std::chrono::milliseconds at_most);

}  // namespace shoal::runtime
