// Many requests to a store at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include "runtime/parallel.h"

namespace shoal::list {

/// Starts up to `threads` threads that call `work` once each and are not waited for. Returns how
/// many there are: fewer where the process may have no more.
size_t StartDetached(size_t threads, const std::function<void()>& work);

/// fetch(i) for all i < n, at most `concurrency` at a time. A stop returns at once and abandons
/// requests in flight: so `fetch` must own all that it uses. The error of the first fetch to fail
/// is returned, likewise at once; a fetch that throws has failed with an UnknownError.
///
/// Where the process may have no thread more, the calling one fetches, and a stop waits for the
/// request in flight.
template <typename T>
arrow::Result<std::vector<T>> FetchAll(size_t n, int concurrency, const arrow::StopToken& stop,
                                       std::function<arrow::Result<T>(size_t)> fetch) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    size_t next = 0, running = 0;
    arrow::Status error;
    bool abandoned = false;
    std::vector<std::optional<T>> results;
    std::function<arrow::Result<T>(size_t)> fetch;
  };
  auto shared = std::make_shared<Shared>();
  shared->results.resize(n);
  shared->fetch = std::move(fetch);
  const size_t wanted = std::min<size_t>(n, std::max(concurrency, 1));
  shared->running = wanted;
  const size_t started = StartDetached(wanted, [shared] {
    std::unique_lock lock(shared->mutex);
    while (!shared->abandoned && shared->error.ok() && shared->next < shared->results.size()) {
      const size_t i = shared->next++;
      lock.unlock();
      arrow::Result<T> result = runtime::Caught([&] { return shared->fetch(i); });
      lock.lock();
      if (result.ok()) {
        shared->results[i].emplace(*std::move(result));
      } else if (shared->error.ok()) {
        shared->error = result.status();
      }
    }
    --shared->running;
    shared->changed.notify_all();
  });

  std::vector<T> results;
  results.reserve(n);
  if (started == 0) {
    for (size_t i = 0; i < n; ++i) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      ARROW_ASSIGN_OR_RAISE(T result, runtime::Caught([&] { return shared->fetch(i); }));
      results.push_back(std::move(result));
    }
    return results;
  }

  std::unique_lock lock(shared->mutex);
  shared->running -= wanted - started;
  while (shared->running > 0 && shared->error.ok()) {
    shared->changed.wait_for(lock, std::chrono::milliseconds(20));
    const arrow::Status stopped = stop.Poll();
    if (!stopped.ok()) {
      shared->abandoned = true;
      return stopped;
    }
  }
  if (!shared->error.ok()) return shared->error;
  // No thread uses it any more; what it holds is released here and not by the last thread to leave.
  shared->fetch = nullptr;
  for (auto& result : shared->results) results.push_back(*std::move(result));
  return results;
}

}  // namespace shoal::list
