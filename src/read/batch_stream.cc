#include "read/batch_stream.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>

#include <arrow/util/io_util.h>

#include "base/location.h"
#include "base/question_error.h"
#include "plan/rows_wanted.h"
#include "plan/validate.h"
#include "read/file_unit.h"
#include "read/rebatcher.h"
#include "read/scan_context.h"
#include "read/scheduler.h"
#include "runtime/lingering_thread.h"
#include "runtime/parallel.h"
#include "runtime/recycling_pool.h"
#include "storage/open_file.h"

namespace shoal {

namespace {

constexpr int kRemoteIoThreads = 32;
constexpr int kLocalIoThreads = 2;

/// What the metrics say of a file that was left out.
std::string DescribeSkipped(const std::string& path, const arrow::Status& error) {
  const bool named = error.message().find(path) != std::string::npos;
  return (named ? "" : "'" + path + "': ") + error.message();
}

}  // namespace

namespace read {

// Lack of permission, a store that fails and a file that was replaced are never skipped: its rows
// exist, they just were not read.
bool MaySkip(const ScanOptions& options, const arrow::Status& error) {
  const int number = arrow::internal::ErrnoFromStatus(error);
  if (number == ENOENT) return options.on_missing == OnBadFile::kSkip;
  // What a store says of a file and what goes wrong with the question have details; what decoders
  // say of bytes has none.
  if (error.detail()) return false;
  const bool corrupt = error.IsIOError() || error.IsInvalid() || error.IsSerializationError();
  return corrupt && options.on_corrupt == OnBadFile::kSkip;
}

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

/// Pulls from the scheduler; applies offset and limit, and cuts batches to size.
class BatchStream::Impl {
 public:
  Impl(std::shared_ptr<const read::ScanContext> context, std::vector<Fragment> fragments,
       const ScanRequest& request, const ScanOptions& options)
      : context_(std::move(context)),
        fragments_(std::move(fragments)),
        skip_rows_(request.offset),
        rows_left_(request.limit.value_or(std::numeric_limits<int64_t>::max())),
        rebatcher_(options.batch_rows, context_->pool) {
    read::SchedulerOptions scheduling;
    scheduling.local = base::IsLocal(*context_->filesystem);
    scheduling.workers =
        options.workers == ScanOptions::kAuto ? runtime::DefaultWorkers() : options.workers;
    scheduling.io_threads = options.io_concurrency != ScanOptions::kAuto ? options.io_concurrency
                            : scheduling.local                           ? kLocalIoThreads
                                                                         : kRemoteIoThreads;
    scheduling.memory_budget = options.memory_budget;
    scheduling.ordered = options.ordered;
    scheduling.read_ahead = context_->rows_wanted > options.batch_rows;
    scheduling.stop = options.stop;
    scheduling.pool = context_->pool;
    if (options.on_missing == OnBadFile::kSkip || options.on_corrupt == OnBadFile::kSkip) {
      scheduling.may_skip = [options](const SourceFile&, const arrow::Status& error) {
        return read::MaySkip(options, error);
      };
      scheduling.skipped = [counters = context_->counters](const SourceFile& file,
                                                           const arrow::Status& error, bool begun) {
        counters->AddSkipped(
            DescribeSkipped(file.path, error) +
            (begun ? " (rows before that were returned, the rest of the file was left out)" : ""));
      };
    }
    scheduler_ = std::make_unique<read::Scheduler>([this] { return NextUnit(); },
                                                   context_->counters, std::move(scheduling));
  }

  const std::shared_ptr<arrow::Schema>& schema() const { return context_->output_schema; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    if (!status_.ok()) return status_;
    auto batch = Pull();
    if (!batch.ok()) {
      status_ = base::WithoutQuestionMark(batch.status());
      return status_;
    }
    if (*batch) {
      std::lock_guard lock(mutex_);
      rows_returned_ += (*batch)->num_rows();
      ++batches_returned_;
    }
    return batch;
  }

  void Close() { scheduler_->Close(); }

  ScanMetrics metrics() const {
    const auto& c = *context_->counters;
    ScanMetrics m;
    m.files_opened = c.files_opened;
    m.footers_cached = c.footers_cached;
    m.files_pruned = c.files_pruned;
    m.row_groups_read = c.row_groups_read;
    m.row_groups_pruned = c.row_groups_pruned;
    m.requests = c.requests;
    m.bytes_read = c.bytes_read;
    m.rows_decoded = c.rows_decoded;
    m.peak_bytes = scheduler_->peak_bytes();
    m.skipped = c.Skipped();
    std::lock_guard lock(mutex_);
    m.rows_returned = rows_returned_;
    m.batches_returned = batches_returned_;
    return m;
  }

 private:
  /// Called by the scheduler, under its lock.
  std::unique_ptr<Unit> NextUnit() {
    if (next_fragment_ == fragments_.size()) return nullptr;
    return read::MakeFileUnit(context_, fragments_[next_fragment_++]);
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Pull() {
    while (true) {
      if (auto batch = rebatcher_.Pop()) return batch;
      if (ended_) return nullptr;
      std::shared_ptr<arrow::RecordBatch> batch;
      if (rows_left_ > 0) {
        ARROW_ASSIGN_OR_RAISE(batch, scheduler_->Next());
      }
      if (!batch) {
        ended_ = true;
        // What is still being read past a limit is not wanted.
        scheduler_->Close();
        if (context_->cache) context_->cache->Persist();
        ARROW_RETURN_NOT_OK(rebatcher_.Finish());
        continue;
      }
      if (skip_rows_ > 0) {
        const int64_t skipped = std::min(skip_rows_, batch->num_rows());
        skip_rows_ -= skipped;
        batch = batch->Slice(skipped);
      }
      if (batch->num_rows() > rows_left_) batch = batch->Slice(0, rows_left_);
      rows_left_ -= batch->num_rows();
      ARROW_RETURN_NOT_OK(rebatcher_.Push(std::move(batch)));
    }
  }

  const runtime::RecyclingPool::Lease lease_;
  std::shared_ptr<const read::ScanContext> context_;
  const std::vector<Fragment> fragments_;
  size_t next_fragment_ = 0;
  int64_t skip_rows_;
  int64_t rows_left_;
  read::Rebatcher rebatcher_;
  bool ended_ = false;
  arrow::Status status_;
  mutable std::mutex mutex_;
  int64_t rows_returned_ = 0;
  int64_t batches_returned_ = 0;
  std::unique_ptr<read::Scheduler> scheduler_;  // last: its threads use the rest
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
  static arrow::Result<std::unique_ptr<BatchStream>> Make(
      const ScanPlan& plan, const ScanOptions& options, std::shared_ptr<plan::FactsCache> cache,
      const std::vector<plan::SkippedFile>& skipped) {
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
    return Make(
        std::make_unique<BatchStream::Impl>(std::move(context), plan.fragments, request, options));
  }

 private:
  static bool KeepsAllRows(const ScanPlan& plan) {
    return plan.request.filter.Equals(arrow::compute::literal(true));
  }
};

arrow::Result<std::unique_ptr<BatchStream>> MakeStream(
    const ScanPlan& plan, const ScanOptions& options, std::shared_ptr<plan::FactsCache> cache,
    const std::vector<plan::SkippedFile>& skipped) {
  return StreamMaker::Make(plan, options, std::move(cache), skipped);
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
