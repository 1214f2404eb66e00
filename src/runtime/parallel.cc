#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace shoal::runtime {

int DefaultWorkers() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

arrow::Status ParallelFor(int64_t count, int concurrency, const arrow::StopToken& stop,
                          const std::function<arrow::Status(int64_t)>& job,
                          int64_t jobs_per_thread) {
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  int64_t failed_index = count;
  arrow::Status failure;

  auto run = [&] {
    while (!failed.load(std::memory_order_relaxed)) {
      int64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      arrow::Status status = stop.Poll();
      if (status.ok()) status = Caught([&] { return job(index); });
      if (status.ok()) continue;
      failed = true;
      std::lock_guard lock(mutex);
      if (index < failed_index) {
        failed_index = index;
        failure = std::move(status);
      }
    }
  };

  const int64_t useful = (count + jobs_per_thread - 1) / jobs_per_thread;
  const auto extra = std::clamp<int64_t>(concurrency, 1, std::max<int64_t>(useful, 1)) - 1;
  std::vector<std::thread> threads;
  threads.reserve(extra);
  try {
    for (int64_t i = 0; i < extra; ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // The process may have no more threads.
  }
  run();
  for (auto& thread : threads) thread.join();
  return failure;
}

}  // namespace shoal::runtime
