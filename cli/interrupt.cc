#include "interrupt.h"

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace shoal::cli {

namespace {

constexpr unsigned kGraceSeconds = 1;

arrow::StopSource* stop_source = nullptr;  // never deleted: a handler may use it at any time
std::atomic<int> signal_seen = 0;
char unfinished_file[PATH_MAX + 1];
std::atomic<bool> has_unfinished_file = false;
std::atomic<bool> line_shown = false;

/// Only calls that are allowed in a signal handler.
[[noreturn]] void LeaveAtOnce() {
  if (has_unfinished_file) unlink(unfinished_file);
  if (line_shown) {
    // There is nobody left to tell of a failure.
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, kEraseLine, sizeof(kEraseLine) - 1);
  }
  _exit(128 + signal_seen);
}

void OnSignal(int number) {
  int none = 0;
  if (!signal_seen.compare_exchange_strong(none, number)) LeaveAtOnce();
  stop_source->RequestStopFromSignal(number);
  alarm(kGraceSeconds);
}

void OnAlarm(int) { LeaveAtOnce(); }

}  // namespace

void HandleSignals() {
  stop_source = new arrow::StopSource;
  struct sigaction action = {};
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = OnAlarm;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = OnSignal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    // Background jobs and nohup have signals ignored on purpose.
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

arrow::StopToken StopOnSignal() { return stop_source->token(); }

int SignalExitStatus() { return signal_seen == 0 ? 0 : 128 + signal_seen; }

void SetUnfinishedFile(const char* path) {
  has_unfinished_file = false;
  const size_t length = std::strlen(path);
  if (length == 0 || length > PATH_MAX) return;
  std::memcpy(unfinished_file, path, length + 1);
  has_unfinished_file = true;
}

void SetLineShown(bool shown) { line_shown = shown; }

}  // namespace shoal::cli
