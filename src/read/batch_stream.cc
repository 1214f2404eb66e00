#include "read/batch_stream.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "plan/rows_wanted.h"
#include "plan/validate.h"
#include "read/reading.h"
#include "read/scan_context.h"
#include "runtime/lingering_thread.h"
#include "runtime/recycling_pool.h"

namespace shoal {

namespace read {

arrow::Status ValidateOptions(const ScanOptions& options) {
  auto bad = [](std::string_view name, int64_t value, std::string_view must) {
    return arrow::Status::Invalid("Scan option ", name, " is ", value, ", but must be ", must);
  };
  const std::string most = "at most " + std::to_string(ScanOptions::kMostThreads);
  if (options.batch_rows < 1) return bad("batch_rows", options.batch_rows, "at least 1");
  if (options.memory_budget < 1)
    return bad("memory_budget", options.memory_budget, "at least 1 byte");
  if (options.workers < 0 && options.workers != ScanOptions::kAuto)
    return bad("workers", options.workers, "0 or more");
  if (options.workers > ScanOptions::kMostThreads) return bad("workers", options.workers, most);
  if (options.io_concurrency < 1 && options.io_concurrency != ScanOptions::kAuto) {
    return bad("io_concurrency", options.io_concurrency, "at least 1");
  }
  if (options.io_concurrency > ScanOptions::kMostThreads)
    return bad("io_concurrency", options.io_concurrency, most);
  return arrow::Status::OK();
}

}  // namespace read

class BatchStream::Impl {
 public:
  virtual ~Impl() = default;
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
  virtual void Close() = 0;
  virtual ScanMetrics metrics() const = 0;
};

BatchStream::BatchStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BatchStream::~BatchStream() = default;

arrow::Result<std::unique_ptr<BatchStream>> BatchStream::Make(const ScanPlan& plan,
                                                              const ScanOptions& options) {
  // Plans made inside of the library hold together.
  ARROW_RETURN_NOT_OK(plan::ValidatePlan(plan));
  return read::MakeStream(plan, options, nullptr);
}

const std::shared_ptr<arrow::Schema>& BatchStream::schema() const { return impl_->schema(); }
arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchStream::Next() { return impl_->Next(); }
void BatchStream::Close() { impl_->Close(); }
ScanMetrics BatchStream::metrics() const { return impl_->metrics(); }

namespace read {

/// The door to BatchStream's private constructor for code inside the library.
class StreamMaker {
 public:
  class OfReading;
  class Joined;
  static std::unique_ptr<BatchStream> Make(std::unique_ptr<BatchStream::Impl> impl) {
    return std::unique_ptr<BatchStream>(new BatchStream(std::move(impl)));
  }
  static arrow::Result<std::vector<std::unique_ptr<BatchStream>>> Make(
      const ScanPlan& plan, const ScanOptions& options, std::shared_ptr<plan::FactsCache> cache,
      const std::vector<plan::SkippedFile>& skipped, int consumers) {
    ARROW_RETURN_NOT_OK(ValidateOptions(options));
    const ScanRequest& request = plan.request;
    // Without a filter a small limit is known to be met by few rows: decode no more.
    int64_t batch_rows = options.batch_rows;
    if (KeepsAllRows(plan)) {
      batch_rows = std::clamp<int64_t>(plan::RowsWanted(request), 1, batch_rows);
    }
    arrow::MemoryPool* pool = options.pool ? options.pool : &runtime::RecyclingPool::Instance();
    auto counters = std::make_shared<runtime::Counters>();
    for (const auto& file : skipped) counters->AddSkipped(DescribeSkipped(file.path, file.error));
    // Of files nothing is known yet, but what planning saw of their paths.
    for (const auto& what : plan.listing[ListingIssue::kUnseenColumn].examples)
      counters->AddUnseen(what);
    ARROW_ASSIGN_OR_RAISE(auto context, ScanContext::Make(plan, batch_rows, pool,
                                                          std::move(counters), std::move(cache)));
    auto reading =
        std::make_shared<Reading>(std::move(context), plan.fragments, request, options, consumers);
    std::vector<std::unique_ptr<BatchStream>> streams;
    for (int i = 0; i < consumers; ++i) streams.push_back(Make(MakeImpl(reading)));
    return streams;
  }

 private:
  static std::unique_ptr<BatchStream::Impl> MakeImpl(std::shared_ptr<Reading> reading);
  static bool KeepsAllRows(const ScanPlan& plan) {
    return plan.request.filter.Equals(arrow::compute::literal(true));
  }
};

/// What one consumer of a reading takes.
class StreamMaker::OfReading final : public BatchStream::Impl {
 public:
  explicit OfReading(std::shared_ptr<Reading> reading) : reading_(std::move(reading)) {}
  ~OfReading() override { OfReading::Close(); }

  const std::shared_ptr<arrow::Schema>& schema() const override { return reading_->schema(); }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    return reading_->Next(&consumer_);
  }
  void Close() override { reading_->Leave(&consumer_); }
  ScanMetrics metrics() const override { return reading_->metrics(consumer_); }

 private:
  const std::shared_ptr<Reading> reading_;
  Consumer consumer_;
};

std::unique_ptr<BatchStream::Impl> StreamMaker::MakeImpl(std::shared_ptr<Reading> reading) {
  return std::make_unique<OfReading>(std::move(reading));
}

/// Scans one after the other. One is open at a time, and so has all of the memory budget.
class StreamMaker::Joined final : public BatchStream::Impl {
 public:
  Joined(std::shared_ptr<arrow::Schema> schema, size_t scans, ScanOpener open, int64_t offset,
         std::optional<int64_t> limit)
      : schema_(std::move(schema)),
        scans_(scans),
        open_(std::move(open)),
        skip_(offset),
        left_(limit.value_or(std::numeric_limits<int64_t>::max())),
        limited_(limit.has_value()) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (!failed_.ok()) return failed_;
    auto batch = Pull();
    if (!batch.ok()) failed_ = batch.status();
    return batch;
  }

  void Close() override {
    std::shared_ptr<BatchStream> current;
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      current = current_;
    }
    if (current) current->Close();
  }

  ScanMetrics metrics() const override {
    std::lock_guard lock(mutex_);
    ScanMetrics out = done_;
    if (current_) AddMetrics(current_->metrics(), &out);
    out.rows_returned = rows_;
    out.batches_returned = batches_;
    return out;
  }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Pull() {
    while (left_ > 0) {
      ARROW_ASSIGN_OR_RAISE(auto current, Current());
      if (!current) return nullptr;
      ARROW_ASSIGN_OR_RAISE(auto batch, current->Next());
      std::lock_guard lock(mutex_);
      if (!batch) {
        AddMetrics(current->metrics(), &done_);
        current_.reset();
        continue;
      }
      if (skip_ >= batch->num_rows()) {
        skip_ -= batch->num_rows();
        continue;
      }
      batch = batch->Slice(std::exchange(skip_, 0), left_);
      left_ -= batch->num_rows();
      rows_ += batch->num_rows();
      ++batches_;
      return batch;
    }
    return nullptr;
  }

  /// The scan that is open, or the next one; nullptr: there is none.
  arrow::Result<std::shared_ptr<BatchStream>> Current() {
    {
      std::lock_guard lock(mutex_);
      if (current_) return current_;
      if (next_ == scans_) return nullptr;
      if (closed_) return arrow::Status::Cancelled("The stream is closed");
    }
    std::optional<int64_t> limit;
    if (limited_) {
      limit = skip_ > std::numeric_limits<int64_t>::max() - left_
                  ? std::numeric_limits<int64_t>::max()
                  : skip_ + left_;
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<BatchStream> opened, open_(next_, limit));
    std::lock_guard lock(mutex_);
    ++next_;
    if (closed_) return arrow::Status::Cancelled("The stream is closed");
    current_ = std::move(opened);
    return current_;
  }

  const std::shared_ptr<arrow::Schema> schema_;
  const size_t scans_;
  const ScanOpener open_;
  // Of the one consumer.
  int64_t skip_, left_;
  const bool limited_;
  arrow::Status failed_;
  mutable std::mutex mutex_;  // of what follows
  std::shared_ptr<BatchStream> current_;
  size_t next_ = 0;
  bool closed_ = false;
  ScanMetrics done_;
  int64_t rows_ = 0, batches_ = 0;
};

void AddMetrics(const ScanMetrics& one, ScanMetrics* sum) {
  sum->files_opened += one.files_opened;
  sum->footers_cached += one.footers_cached;
  sum->files_pruned += one.files_pruned;
  sum->row_groups_read += one.row_groups_read;
  sum->row_groups_pruned += one.row_groups_pruned;
  sum->requests += one.requests;
  sum->bytes_read += one.bytes_read;
  sum->rows_decoded += one.rows_decoded;
  sum->rows_returned += one.rows_returned;
  sum->batches_returned += one.batches_returned;
  sum->peak_bytes = std::max(sum->peak_bytes, one.peak_bytes);
  sum->skipped.insert(sum->skipped.end(), one.skipped.begin(), one.skipped.end());
  sum->unseen_columns.insert(sum->unseen_columns.end(), one.unseen_columns.begin(),
                             one.unseen_columns.end());
  sum->store_requests += one.store_requests;
  sum->planning_requests += one.planning_requests;
  sum->listing.Merge(one.listing);
}

std::unique_ptr<BatchStream> JoinScans(std::shared_ptr<arrow::Schema> schema, size_t scans,
                                       ScanOpener open, int64_t offset,
                                       std::optional<int64_t> limit) {
  return StreamMaker::Make(std::make_unique<StreamMaker::Joined>(std::move(schema), scans,
                                                                 std::move(open), offset, limit));
}

arrow::Result<std::unique_ptr<BatchStream>> MakeStream(
    const ScanPlan& plan, const ScanOptions& options, std::shared_ptr<plan::FactsCache> cache,
    const std::vector<plan::SkippedFile>& skipped) {
  ARROW_ASSIGN_OR_RAISE(auto streams,
                        StreamMaker::Make(plan, options, std::move(cache), skipped, 1));
  return std::move(streams[0]);
}

arrow::Result<std::vector<std::unique_ptr<BatchStream>>> MakeSharedStreams(
    const ScanPlan& plan, const ScanOptions& options, int consumers) {
  return StreamMaker::Make(plan, options, nullptr, {}, consumers);
}

}  // namespace read

namespace {

class StreamReader final : public arrow::RecordBatchReader {
 public:
  explicit StreamReader(std::unique_ptr<BatchStream> stream) : stream_(std::move(stream)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return stream_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    return stream_->Next().Value(out);
  }
  arrow::Status Close() override {
    stream_->Close();
    return arrow::Status::OK();
  }

 private:
  std::unique_ptr<BatchStream> stream_;
};

}  // namespace

bool WaitForAbandonedReads(std::chrono::milliseconds at_most) {
  return runtime::WaitForAbandoned(at_most);
}

std::shared_ptr<arrow::RecordBatchReader> ToRecordBatchReader(std::unique_ptr<BatchStream> stream) {
  return std::make_shared<StreamReader>(std::move(stream));
}

}  // namespace shoal
