// Running many independent blocking jobs on a few threads.
#pragma once

#include <cstdint>
#include <functional>

#include <arrow/status.h>
#include <arrow/util/cancel.h>

namespace shoal::runtime {

/// Threads that compute at once where nobody says otherwise: one per core.
int DefaultWorkers();

/// Calls job(0) ... job(count - 1) on at most `concurrency` threads (the caller's is one of them)
/// and waits for them. Jobs start in order. After a failure, or once `stop` asks for it, no further
/// job starts; of several errors the one of the lowest index is returned, so that the same input
/// fails in the same way.
arrow::Status ParallelFor(int64_t count, int concurrency, const arrow::StopToken& stop,
                          const std::function<arrow::Status(int64_t)>& job);

}  // namespace shoal::runtime
