// One reading of a plan, and those who take its batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <shoal/plan.h>
#include <shoal/scan.h>

#include "read/rebatcher.h"
#include "read/scan_context.h"
#include "read/scheduler.h"
#include "runtime/recycling_pool.h"

namespace shoal::read {

/// Whether the options allow going on without a file that failed like this.
bool MaySkip(const ScanOptions& options, const arrow::Status& error);

/// What the metrics say of a file that was left out.
std::string DescribeSkipped(const std::string& path, const arrow::Status& error);

/// Reads in flight at once, at most.
int IoConcurrency(const ScanOptions& options, bool local);

/// One of those who take batches of a reading.
struct Consumer {
  std::atomic<bool> left{false};
  std::atomic<bool> gone{false};  // others go on without it
  std::atomic<int64_t> rows{0};
  std::atomic<int64_t> batches{0};
};

/// Pulls from the scheduler; applies offset and limit, and cuts batches to size. Each batch goes to
/// whichever consumer asks first, and until then belongs to none: a consumer who is slow or goes
/// away takes nothing from the others. All consumers get the same error. Thread-safe.
class Reading {
 public:
  Reading(std::shared_ptr<const ScanContext> context, std::vector<Fragment> fragments,
          const ScanRequest& request, const ScanOptions& options, int consumers);

  const std::shared_ptr<arrow::Schema>& schema() const { return context_->output_schema; }
  /// If batches come in dataset order, those of each consumer do.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next(Consumer* consumer);
  /// One consumer less, to whom nothing is given any more. When the last one leaves, reading stops,
  /// and that one still gets what is ready.
  void Leave(Consumer* consumer);
  /// What the whole reading did so far, and what this consumer was given.
  ScanMetrics metrics(const Consumer& consumer) const;

 private:
  struct Taken {
    std::shared_ptr<arrow::RecordBatch> batch;
    bool wait = false;
  };
  /// Called by the scheduler, under its lock.
  std::unique_ptr<Unit> NextUnit();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Pull(const Consumer& consumer);
  arrow::Result<Taken> TakeLocked();
  arrow::Status EndLocked();

  const runtime::RecyclingPool::Lease lease_;
  const std::shared_ptr<const ScanContext> context_;
  const std::vector<Fragment> fragments_;
  size_t next_fragment_ = 0;
  int64_t retries_before_ = 0;
  std::atomic<int> consumers_;
  std::mutex mutex_;  // what is taken from the scheduler first goes into the rebatcher first
  int64_t skip_rows_;
  int64_t rows_left_;
  Rebatcher rebatcher_;
  bool ended_ = false;
  arrow::Status status_;
  std::unique_ptr<Scheduler> scheduler_;  // last: its threads use the rest
};

}  // namespace shoal::read
