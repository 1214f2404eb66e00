// READ: a plan becomes batches, by pulling.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/file_groups.h>
#include <shoal/listing.h>
#include <shoal/plan.h>

namespace shoal {

enum class OnBadFile { kError, kSkip };

struct ScanOptions {
  /// Threads that decode; kAuto: one per core. 0: files are read and decoded in the caller's
  /// thread, in Next(). What comes before that, listing and inspecting the table and reading the
  /// footers that a limit asks for, may use threads all the same.
  static constexpr int kAuto = -1;
  /// More are an error: nothing is read faster by them, and systems give no more.
  static constexpr int kMostThreads = 4096;
  int workers = kAuto;
  /// Reads in flight, at most; kAuto: 2 on local disks, 32 elsewhere. With workers = 0 reads are in
  /// the caller's thread.
  int io_concurrency = kAuto;
  /// Ceiling, in bytes, for fetched bytes, decode state and batches not yet taken. The oldest piece
  /// of work is always admitted, so any budget makes progress.
  int64_t memory_budget = int64_t{256} << 20;
  /// Rows a batch should have: small pieces are joined, large ones cut. At least 1.
  int64_t batch_rows = 32768;
  /// Batches in dataset order (files by path, row groups in file order), or as they come.
  bool ordered = true;
  OnBadFile on_missing = OnBadFile::kError;
  OnBadFile on_corrupt = OnBadFile::kError;
  /// Of what is read and decoded; nullptr: a pool of the library's own, which uses large blocks
  /// again.
  arrow::MemoryPool* pool = nullptr;
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
};

/// What a scan did so far.
struct ScanMetrics {
  int64_t files_opened = 0;
  int64_t footers_cached = 0;  // files whose facts came from memory or from a cache on disk
  int64_t files_pruned = 0;    // after their footers were read
  int64_t row_groups_read = 0;
  int64_t row_groups_pruned = 0;
  int64_t requests = 0;
  int64_t bytes_read = 0;
  int64_t rows_decoded = 0;
  int64_t rows_returned = 0;
  int64_t batches_returned = 0;
  int64_t peak_bytes = 0;           // the most that was charged to the budget at once
  StoreRequests store_requests;     // of reading
  StoreRequests planning_requests;  // of the plan before it, and of its inspection
  ListingReport listing;            // of the plan: what it left out unread, and why
  /// Files left out, with the reason: by on_missing or on_corrupt, or, whatever these say, because
  /// they turned out to be empty. It says so where rows of a file had been returned before the
  /// damage was met; only a scan without on_corrupt = kSkip guarantees whole files.
  std::vector<std::string> skipped;
  /// Columns that are not read since inspection did not meet them, each with a file that has it, by
  /// name; at most about a hundred. In JSON lines, those of the lines read so far.
  std::vector<std::string> unseen_columns;
};

namespace read {
class StreamMaker;  // internal
}

/// A stream of batches. Thread rule: one consumer at a time; Close() and metrics() may come from
/// any thread. Destroying or closing a stream stops it without reading the rest.
class BatchStream {
 public:
  /// Reading starts with the first Next(). The stream shares the plan's parts it needs; the plan
  /// may go.
  static arrow::Result<std::unique_ptr<BatchStream>> Make(const ScanPlan& plan,
                                                          const ScanOptions& options = {});
  ~BatchStream();

  const std::shared_ptr<arrow::Schema>& schema() const;
  /// The next batch, never empty; nullptr at the end. After an error every call returns it again.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();
  /// Stops the reading. Waits for units being decoded and for local reads in progress, not for
  /// requests to a store: see WaitForAbandonedReads(). A Next() that waits in another thread, and
  /// those that come later, give Cancelled, after the batches that were ready to be handed out; a
  /// stream that had come to its end still gives nullptr. Closing again does nothing.
  void Close();
  ScanMetrics metrics() const;

 private:
  friend class read::StreamMaker;
  class Impl;
  explicit BatchStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct ReadFileGroupsOptions {
  /// Of all streams together: those that read apart have equal shares of the memory budget, the
  /// workers and the reads in flight.
  ScanOptions scan = {};
  /// Streams take what is ready, whichever group it is of, so that none is idle while there is
  /// work. Never so where the groups declare an order or a partitioning.
  bool file_stream_work_stealing = true;
};

/// A stream for each group; together they have each row of the groups once. A limit and an offset
/// are as in PartOf(). The streams may be used from different threads at once, each as any stream.
///
/// Where they may take each other's work, the streams share one reading of all groups: a batch is
/// in whichever stream is asked first, and one that is slow, closed or never asked keeps nothing
/// from the others. With ScanOptions::ordered the batches of each stream are in dataset order.
/// Closing one ends that one; an error ends all. Of the metrics, what was returned is the stream's,
/// all else that of the reading. Otherwise each stream reads the fragments of its group.
///
/// Invalid, naming the option: the groups declare an order, and ScanOptions::ordered is false.
arrow::Result<std::vector<std::unique_ptr<BatchStream>>> ReadFileGroups(
    const ScanPlan& plan, const FileGroups& groups, const ReadFileGroupsOptions& options = {});

/// Closing a stream, or stopping a call, does not wait for requests that hang in a store: those are
/// left behind, with their buffers. This waits for them, at most so long; false: some still run.
/// For the end of a process after which a filesystem can't be called any more.
bool WaitForAbandonedReads(std::chrono::milliseconds at_most);

/// The same as an Arrow reader, for export through the C stream interface.
std::shared_ptr<arrow::RecordBatchReader> ToRecordBatchReader(std::unique_ptr<BatchStream> stream);

}  // namespace shoal
