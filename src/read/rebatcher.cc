#include "read/rebatcher.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shoal::read {

arrow::Status Rebatcher::Push(std::shared_ptr<arrow::RecordBatch> batch) {
  const int64_t rows = batch->num_rows();
  if (rows == 0) return arrow::Status::OK();
  if (2 * rows >= batch_rows_) {
    ARROW_RETURN_NOT_OK(JoinPending());
    Cut(std::move(batch));
    return arrow::Status::OK();
  }
  if (pending_rows_ + rows > batch_rows_) ARROW_RETURN_NOT_OK(JoinPending());
  pending_.push_back(std::move(batch));
  pending_rows_ += rows;
  return arrow::Status::OK();
}

arrow::Status Rebatcher::JoinPending() {
  if (pending_.empty()) return arrow::Status::OK();
  auto pending = std::exchange(pending_, {});
  const int64_t rows = std::exchange(pending_rows_, 0);
  if (pending.size() == 1) {
    ready_.push_back(std::move(pending[0]));
  } else if (pending[0]->num_columns() == 0) {
    ready_.push_back(arrow::RecordBatch::Make(pending[0]->schema(), rows, arrow::ArrayVector{}));
  } else {
    auto joined = arrow::ConcatenateRecordBatches(pending, pool_);
    if (joined.ok()) {
      ready_.push_back(*std::move(joined));
    } else if (joined.status().IsInvalid()) {
      // The values of several dictionaries need not have room in the indices of one.
      std::move(pending.begin(), pending.end(), std::back_inserter(ready_));
    } else {
      return joined.status();
    }
  }
  return arrow::Status::OK();
}

void Rebatcher::Cut(std::shared_ptr<arrow::RecordBatch> batch) {
  const int64_t rows = batch->num_rows();
  if (rows <= batch_rows_) {
    ready_.push_back(std::move(batch));
    return;
  }
  for (int64_t offset = 0; offset < rows; offset += batch_rows_) {
    ready_.push_back(batch->Slice(offset, std::min(batch_rows_, rows - offset)));
  }
}

std::shared_ptr<arrow::RecordBatch> Rebatcher::Pop() {
  if (ready_.empty()) return nullptr;
  auto batch = std::move(ready_.front());
  ready_.pop_front();
  return batch;
}

}  // namespace shoal::read
