// Threads that nobody joins, because they may hang in a store for as long as its time-outs.
#pragma once

#include <chrono>
#include <functional>

namespace shoal::runtime {

/// A thread's function that counts as running until it has ended and all that it holds is released.
std::function<void()> Counted(std::function<void()> work);

/// Waits, at most so long, until no counted function runs in this process. False: some still do.
bool WaitForCounted(std::chrono::milliseconds at_most);

}  // namespace shoal::runtime
