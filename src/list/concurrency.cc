#include "list/concurrency.h"

#include <atomic>
#include <thread>

#include "runtime/lingering_thread.h"

namespace shoal::list {

arrow::Status ForEach(size_t n, int threads, const arrow::StopToken& stop,
                      const std::function<arrow::Status(size_t)>& step) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t failed = n;
  arrow::Status error;
  const auto work = [&] {
    while (true) {
      const size_t i = next.fetch_add(1);
      if (i >= n) return;
      arrow::Status status = stop.Poll();
      if (status.ok()) status = step(i);
      if (status.ok()) continue;
      next.store(n);
      const std::lock_guard lock(mutex);
      if (i < failed) {
        failed = i;
        error = std::move(status);
      }
      return;
    }
  };
  // Starting a thread costs about as much as reading a few directories.
  constexpr size_t kStepsPerThread = 4;
  const size_t helpers =
      std::min<size_t>(std::max(threads, 1), (n + kStepsPerThread - 1) / kStepsPerThread);
  std::vector<std::thread> pool;
  for (size_t i = 1; i < helpers; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  return error;
}

void StartDetached(size_t threads, const std::function<void()>& work) {
  for (size_t i = 0; i < threads; ++i) runtime::LingeringThread(work).Abandon();
}

}  // namespace shoal::list
