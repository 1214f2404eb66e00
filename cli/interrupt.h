// Signals: the work is asked to stop, and no unfinished file stays behind.
#pragma once

#include <arrow/util/cancel.h>

namespace shoal::cli {

/// Interrupt, terminate and hang-up stop the work that holds StopOnSignal(). If it has not ended a
/// second later, or a second signal comes, the process leaves at once. Writing to a closed pipe
/// becomes an error of that write.
void HandleSignals();

arrow::StopToken StopOnSignal();

/// 128 + the number of the signal that came; 0 if none did.
int SignalExitStatus();

/// The file that has to go if the process leaves early; an empty path: none. One at a time.
void SetUnfinishedFile(const char* path);

/// Takes a line off the terminal that ends without a line break.
inline constexpr char kEraseLine[] = "\r\x1b[K";

/// Whether such a line is on the terminal, which has to be erased if the process leaves early.
void SetLineShown(bool shown);

}  // namespace shoal::cli
