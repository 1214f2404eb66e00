#include "read/batch_stream.h"

#include <algorithm>
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
  if (options.batch_rows < 1) return bad("batch_rows", options.batch_rows, "at least 1");
  if (options.memory_budget < 1)
    return bad("memory_budget", options.memory_budget, "at least 1 byte");
  if (options.workers < 0 && options.workers != ScanOptions::kAuto)
    return bad("workers", options.workers, "0 or more");
  if (options.io_concurrency < 1 && options.io_concurrency != ScanOptions::kAuto) {
    return bad("io_concurrency", options.io_concurrency, "at least 1");
  }
  return arrow::Status::OK();
}

}  // namespace read

class BatchStream::Impl {
 public:
  explicit Impl(std::shared_ptr<read::Reading> reading) : reading_(std::move(reading)) {}
  ~Impl() { Close(); }

  const std::shared_ptr<arrow::Schema>& schema() const { return reading_->schema(); }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() { return reading_->Next(&consumer_); }
  void Close() { reading_->Leave(&consumer_); }
  ScanMetrics metrics() const { return reading_->metrics(consumer_); }

 private:
  const std::shared_ptr<read::Reading> reading_;
  read::Consumer consumer_;
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
    ARROW_ASSIGN_OR_RAISE(auto context, ScanContext::Make(plan, batch_rows, pool,
                                                          std::move(counters), std::move(cache)));
    auto reading =
        std::make_shared<Reading>(std::move(context), plan.fragments, request, options, consumers);
    std::vector<std::unique_ptr<BatchStream>> streams;
    for (int i = 0; i < consumers; ++i)
      streams.push_back(Make(std::make_unique<BatchStream::Impl>(reading)));
    return streams;
  }

 private:
  static bool KeepsAllRows(const ScanPlan& plan) {
    return plan.request.filter.Equals(arrow::compute::literal(true));
  }
};

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
