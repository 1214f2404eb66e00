// Batches of about the wanted size: small ones are joined, large ones cut.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

namespace shoal::read {

/// Keeps order. A batch of at least half the wanted size passes through untouched, so nothing is
/// copied where the source already cuts well. Not thread-safe.
class Rebatcher {
 public:
  Rebatcher(int64_t batch_rows, arrow::MemoryPool* pool) : batch_rows_(batch_rows), pool_(pool) {}

  /// Takes in a batch; an empty one is dropped.
  arrow::Status Push(std::shared_ptr<arrow::RecordBatch> batch);
  /// No more batches will come.
  arrow::Status Finish() { return JoinPending(); }
  /// The next batch that is ready; nullptr if there is none.
  std::shared_ptr<arrow::RecordBatch> Pop();

 private:
  arrow::Status JoinPending();
  void Cut(std::shared_ptr<arrow::RecordBatch> batch);

  const int64_t batch_rows_;
  arrow::MemoryPool* pool_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending_;  // each less than half of batch_rows_
  int64_t pending_rows_ = 0;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
};

}  // namespace shoal::read
