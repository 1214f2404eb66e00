// A record batch handed out in batches of the wanted size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include <arrow/record_batch.h>

namespace shoal::formats {

class Slices {
 public:
  explicit Slices(int64_t batch_rows) : batch_rows_(batch_rows) {}
  void Reset(std::shared_ptr<arrow::RecordBatch> batch) {
    batch_ = std::move(batch);
    at_ = 0;
  }
  /// nullptr: nothing is left.
  std::shared_ptr<arrow::RecordBatch> Next() {
    if (!batch_ || at_ >= batch_->num_rows()) {
      batch_.reset();
      return nullptr;
    }
    const int64_t rows = std::min(batch_rows_, batch_->num_rows() - at_);
    auto out = rows == batch_->num_rows() ? batch_ : batch_->Slice(at_, rows);
    at_ += rows;
    return out;
  }

 private:
  const int64_t batch_rows_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int64_t at_ = 0;
};

}  // namespace shoal::formats
