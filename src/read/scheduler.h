// Drives units: fetches what they ask for, decodes, and delivers their batches. Holds all the
// threads of a scan, and the locks that they share.
//
// A unit in the order is held in a *slot*. A slot goes ready -> stepping -> (blocked -> fetching
// ->) ready ... -> done.
//
// - Bytes are charged before they exist. Fetched bytes and decode state share one part of the
//   budget, batches that nobody has taken yet have the other; in one pot, read-ahead would crowd
//   out the batches the consumer waits for.
//
// - The oldest slot that is not done is always admitted and may always be stepped, so no budget can
//   deadlock.
//
// - On local disks only one unit beyond the workers is read ahead: more costs page faults and gains
//   nothing. Before the first batch nothing is read ahead there: it would only take time from that
//   batch.
//
// - Requests own their buffers and share what they need, so that closing can abandon those that
//   hang in a network.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/unit.h>

#include "runtime/counters.h"
#include "storage/coalesce.h"

namespace shoal::read {

struct SchedulerOptions {
  int workers = 2;     // 0: everything happens in the threads that call Next() or Wait()
  int consumers = 1;   // threads that may do so at once; told for workers = 0 only
  int io_threads = 2;  // not used when workers is 0
  int64_t memory_budget = int64_t{256} << 20;
  bool ordered = true;
  bool local = true;
  /// False: on local disks nothing is fetched but what the oldest unit needs. For scans that will
  /// most likely end with that unit.
  bool read_ahead = true;
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  arrow::MemoryPool* pool = arrow::default_memory_pool();  // of what is read from local disks
  /// Asked when a file fails; true: go on without what lies behind. May be null: never.
  std::function<bool(const SourceFile& file, const arrow::Status& error)> may_skip = nullptr;
  /// Told of each file that was left out so, once. `begun`: the consumer has the rows before that.
  /// Not null if may_skip is not. Both are called under the lock.
  std::function<void(const SourceFile& file, const arrow::Status& error, bool begun)> skipped =
      nullptr;
};

/// The units to run, in order; nullptr at the end. Called under the lock, so it must not block.
using UnitSource = std::function<std::unique_ptr<Unit>()>;

/// Thread rule: any number of consumers; a batch goes to one of them. Threads start with the first
/// Next() or Poll().
class Scheduler {
 public:
  Scheduler(UnitSource units, std::shared_ptr<runtime::Counters> counters,
            SchedulerOptions options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// A batch as a unit made it (it may be empty); nullptr at the end. An error comes in its place
  /// where batches are ordered, else at once; after it, that error for ever.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

  /// Next() in two halves, for several consumers who must agree on what was taken first: Poll()
  /// never waits, and Wait() takes nothing. A batch that a consumer waited for is still there for
  /// others if that one goes away.
  struct Polled {
    std::shared_ptr<arrow::RecordBatch> batch;
    bool end = false;
  };
  arrow::Result<Polled> Poll();
  /// Waits until Poll() may have news (without workers: does some of the work meanwhile), or until
  /// `gone` is true and Wake() is called.
  void Wait(const std::atomic<bool>& gone);
  void Wake();
  /// An error in a forked child. Takes no lock, which a thread that is not there could hold.
  arrow::Status CheckProcess() const;

  void Close();
  int64_t peak_bytes() const;

 private:
  struct State;
  void Start();

  std::shared_ptr<State> state_;  // shared with I/O threads, which may outlive the scheduler
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace shoal::read
