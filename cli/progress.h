// A line on the terminal while work goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <shoal/scan.h>

namespace shoal::cli {

/// Shows itself after a second, and is gone when it is destroyed. Only where standard output and
/// standard error are terminals.
class Progress {
 public:
  /// `metrics` is called from another thread; null: only the time is shown.
  Progress(bool wanted, std::function<ScanMetrics()> metrics);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void Run();
  std::string Line() const;

  const std::function<ScanMetrics()> metrics_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace shoal::cli
