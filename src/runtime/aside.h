// Calls that nobody can cancel, made in another thread so that the caller can stop waiting.
#pragma once

#include <chrono>
#include <functional>

#include <arrow/util/cancel.h>

namespace shoal::runtime {

/// Runs `work`, which must not throw, in a thread beside the caller's, and waits for its end: but
/// no longer than `patience` without a sign that it gets on, nor once `stop` is requested. False:
/// it was left behind, and goes on to its own end, so it must own all that it uses. Threads are
/// kept for later calls. Where the process may have no thread more, the calling one runs it, and
/// waits for as long as that takes.
///
/// A sign is TellProgress(), which `work` may call; and where `watch` is set, that its thread does
/// some work again and again, as a client does that gets and takes apart one answer after the
/// other. One that only waits, or only computes, gives no sign.
bool RunAside(std::function<void()> work, std::chrono::milliseconds patience,
              const arrow::StopToken& stop, bool watch = false);

/// To be called by `work`; elsewhere it does nothing.
void TellProgress();

}  // namespace shoal::runtime
