// Calls that nobody can cancel, made in another thread so that the caller can stop waiting.
#pragma once

#include <chrono>
#include <functional>

#include <arrow/util/cancel.h>

namespace shoal::runtime {

/// Runs `work`, which must not throw, in a thread beside the caller's, and waits for its end: but
/// not beyond `until`, nor once `stop` is requested. False: it was left behind, and goes on to its
/// own end, so it must own all that it uses. Threads are kept for later calls. Where the process
/// may have no thread more, the calling one runs it, and waits for as long as that takes.
bool RunAside(std::function<void()> work, std::chrono::steady_clock::time_point until,
              const arrow::StopToken& stop);

}  // namespace shoal::runtime
