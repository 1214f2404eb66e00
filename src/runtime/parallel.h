// Running many independent blocking jobs on a few threads.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/cancel.h>

namespace shoal::runtime {

/// Threads that compute at once where nobody says otherwise: one per core.
int DefaultWorkers();

/// Calls job(0) ... job(count - 1) and waits for them. Runs on the caller's thread and on up to
/// `concurrency` - 1 others, but no more than one for each `jobs_per_thread` jobs, for jobs that
/// are cheaper than starting a thread. Where the process may have no more threads, those there are
/// do all the work.
///
/// Jobs start in order. After a failure, or once `stop` asks for it, no further job starts; of
/// several errors the one of the lowest index is returned, so that the same input fails in the same
/// way. A job that throws has failed with an UnknownError.
arrow::Status ParallelFor(int64_t count, int concurrency, const arrow::StopToken& stop,
                          const std::function<arrow::Status(int64_t)>& job,
                          int64_t jobs_per_thread = 1);

/// What `call` returns (a Status or a Result); an exception becomes an UnknownError with its words,
/// as none may leave a thread. Only standard exceptions: what else unwinds a stack is the end of
/// the thread itself (pthread_exit, as Python does to threads that come back to it too late) and
/// must pass.
template <typename Call>
auto Caught(Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& e) {
    return arrow::Status::UnknownError(e.what());
  }
}

}  // namespace shoal::runtime
