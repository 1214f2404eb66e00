// Calls that nobody can cancel, made in another thread so that the caller can stop waiting.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <arrow/util/cancel.h>

namespace shoal::runtime {

/// What a thread has shown since it was looked at last.
enum class Sign {
  kNone,
  /// It did some work again and again, as a client does that gets and takes apart one answer after
  /// the other (or fails once and again). One that only waits, or only computes, gives no sign.
  kWorked,
  kTold,  // TellProgress()
};

/// Called often by the thread that waits: how long it goes on waiting from now on; nothing: as long
/// as it would have.
using JudgeSign = std::function<std::optional<std::chrono::milliseconds>(Sign)>;

/// Runs `work`, which must not throw, in a thread beside the caller's, and waits for its end: but
/// no longer than `patience`, unless `judge` says so, nor once `stop` is requested. False: it was
/// left behind, and goes on to its own end, so it must own all that it uses. Threads are kept for
/// later calls. Where the process may have no thread more, the calling one runs it, and waits for
/// as long as that takes.
bool RunAside(std::function<void()> work, std::chrono::milliseconds patience,
              const arrow::StopToken& stop, const JudgeSign& judge = nullptr);

/// To be called by `work`; elsewhere it does nothing.
void TellProgress();

}  // namespace shoal::runtime
