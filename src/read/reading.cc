#include "read/reading.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <utility>

#include <arrow/util/io_util.h>

#include "base/location.h"
#include "base/question_error.h"
#include "read/file_unit.h"
#include "runtime/parallel.h"
#include "storage/open_file.h"

namespace shoal::read {

namespace {

constexpr int kRemoteIoThreads = 32;
constexpr int kLocalIoThreads = 2;

}  // namespace

// Lack of permission, a store that fails and a file that was replaced are never skipped: its rows
// exist, they just were not read.
bool MaySkip(const ScanOptions& options, const arrow::Status& error) {
  const int number = arrow::internal::ErrnoFromStatus(error);
  // ENOTDIR: a folder on the way to it is gone, and a file in its place.
  if (number == ENOENT || number == ENOTDIR) return options.on_missing == OnBadFile::kSkip;
  // What a store says of a file and what goes wrong with the question have details; what decoders
  // say of bytes has none.
  if (error.detail()) return false;
  const bool corrupt = error.IsIOError() || error.IsInvalid() || error.IsSerializationError();
  return corrupt && options.on_corrupt == OnBadFile::kSkip;
}

std::string DescribeSkipped(const std::string& path, const arrow::Status& error) {
  const bool named = error.message().find(path) != std::string::npos;
  return (named ? "" : "'" + path + "': ") + error.message();
}

int IoConcurrency(const ScanOptions& options, bool local) {
  if (options.io_concurrency != ScanOptions::kAuto) return options.io_concurrency;
  return local ? kLocalIoThreads : kRemoteIoThreads;
}

Reading::Reading(std::shared_ptr<const ScanContext> context, std::vector<Fragment> fragments,
                 const ScanRequest& request, const ScanOptions& options, int consumers)
    : context_(std::move(context)),
      fragments_(std::move(fragments)),
      consumers_(consumers),
      skip_rows_(request.offset),
      rows_left_(request.limit.value_or(std::numeric_limits<int64_t>::max())),
      rebatcher_(options.batch_rows, context_->pool) {
  SchedulerOptions scheduling;
  scheduling.local = base::IsLocal(*context_->filesystem);
  scheduling.workers =
      options.workers == ScanOptions::kAuto ? runtime::DefaultWorkers() : options.workers;
  scheduling.consumers = consumers;
  scheduling.io_threads = IoConcurrency(options, scheduling.local);
  scheduling.memory_budget = options.memory_budget;
  scheduling.ordered = options.ordered;
  scheduling.read_ahead = context_->rows_wanted > options.batch_rows;
  scheduling.stop = options.stop;
  scheduling.pool = context_->pool;
  if (options.on_missing == OnBadFile::kSkip || options.on_corrupt == OnBadFile::kSkip) {
    scheduling.may_skip = [options](const SourceFile&, const arrow::Status& error) {
      return MaySkip(options, error);
    };
    scheduling.skipped = [counters = context_->counters](const SourceFile& file,
                                                         const arrow::Status& error, bool begun) {
      counters->AddSkipped(
          DescribeSkipped(file.path, error) +
          (begun ? " (rows before that were returned, the rest of the file was left out)" : ""));
    };
  }
  retries_before_ = storage::RetriesOn(context_->filesystem);
  scheduler_ = std::make_unique<Scheduler>([this] { return NextUnit(); }, context_->counters,
                                           std::move(scheduling));
}

std::unique_ptr<Unit> Reading::NextUnit() {
  if (next_fragment_ == fragments_.size()) return nullptr;
  return MakeFileUnit(context_, fragments_[next_fragment_++]);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Reading::Next(Consumer* consumer) {
  ARROW_ASSIGN_OR_RAISE(auto batch, Pull(*consumer));
  if (batch) {
    consumer->rows += batch->num_rows();
    ++consumer->batches;
  }
  return batch;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Reading::Pull(const Consumer& consumer) {
  ARROW_RETURN_NOT_OK(scheduler_->CheckProcess());
  while (true) {
    {
      std::lock_guard lock(mutex_);
      if (!consumer.gone || ended_) {
        auto taken = TakeLocked();
        if (!taken.ok()) return status_ = base::WithoutQuestionMark(taken.status());
        if (!taken->wait) return std::move(taken->batch);
      }
    }
    if (consumer.gone) return arrow::Status::Cancelled("The stream was closed");
    scheduler_->Wait(consumer.gone);
  }
}

arrow::Result<Reading::Taken> Reading::TakeLocked() {
  while (true) {
    ARROW_RETURN_NOT_OK(status_);
    if (auto batch = rebatcher_.Pop()) return Taken{std::move(batch)};
    if (ended_) return Taken{};
    if (rows_left_ == 0) {
      ARROW_RETURN_NOT_OK(EndLocked());
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto polled, scheduler_->Poll());
    if (polled.end) {
      ARROW_RETURN_NOT_OK(EndLocked());
      continue;
    }
    auto batch = std::move(polled.batch);
    if (!batch) return Taken{nullptr, /*wait=*/true};
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

arrow::Status Reading::EndLocked() {
  ended_ = true;
  // What is still being read past a limit is not wanted.
  scheduler_->Close();
  if (context_->cache) context_->cache->Persist();
  return rebatcher_.Finish();
}

void Reading::Leave(Consumer* consumer) {
  if (consumer->left.exchange(true)) return;
  // No lock is taken here: in a forked child it could be held by a thread that is not there.
  if (--consumers_ == 0) {
    scheduler_->Close();
  } else {
    consumer->gone = true;
    scheduler_->Wake();
  }
}

ScanMetrics Reading::metrics(const Consumer& consumer) const {
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
  m.store_requests = c.store_requests();
  m.store_requests.retries = storage::RetriesOn(context_->filesystem) - retries_before_;
  m.planning_requests = context_->planning_requests;
  m.listing = context_->listing;
  m.skipped = c.Skipped();
  m.unseen_columns = c.Unseen();
  m.rows_returned = consumer.rows;
  m.batches_returned = consumer.batches;
  return m;
}

}  // namespace shoal::read
