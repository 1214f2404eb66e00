#include "progress.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

#include <unistd.h>

#include "interrupt.h"

namespace shoal::cli {

namespace {

constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(200);

/// `12,345`.
std::string Grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (auto i = static_cast<int64_t>(text.size()) - 3; i > 0; i -= 3) text.insert(i, ",");
  return text;
}

}  // namespace

Progress::Progress(bool wanted, std::function<ScanMetrics()> metrics)
    : metrics_(std::move(metrics)) {
  if (wanted && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0) {
    thread_ = std::thread([this] { Run(); });
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Progress::Run() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  std::chrono::steady_clock::duration wait = kFirst;
  while (!ended_.wait_for(lock, wait, [&] { return end_; })) {
    // An interrupted program may take a moment to end, and nobody waits for its rows.
    if (SignalExitStatus() != 0) break;
    SetLineShown(true);
    std::cerr << kEraseLine + Line() << std::flush;
    shown = true;
    wait = kInterval;
  }
  if (shown) std::cerr << kEraseLine << std::flush;
  SetLineShown(false);
}

std::string Progress::Line() const {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  char text[160];
  if (!metrics_) {
    std::snprintf(text, sizeof(text), "%.0f s", seconds);
    return text;
  }
  const ScanMetrics metrics = metrics_();
  const double megabytes = static_cast<double>(metrics.bytes_read) / 1e6;
  std::snprintf(text, sizeof(text), "%s %s, %.1f MB read, %.1f MB/s, %s %s, %.0f s",
                Grouped(metrics.rows_returned).c_str(), metrics.rows_returned == 1 ? "row" : "rows",
                megabytes, megabytes / seconds, Grouped(metrics.files_opened).c_str(),
                metrics.files_opened == 1 ? "file" : "files", seconds);
  return text;
}

}  // namespace shoal::cli
