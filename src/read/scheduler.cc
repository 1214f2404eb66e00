#include "read/scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/util/byte_size.h>

#include "runtime/lingering_thread.h"
#include "storage/open_file.h"
#include "storage/why_failed.h"

namespace shoal::read {

namespace {

using arrow::RecordBatch;
using Lock = std::unique_lock<std::mutex>;

/// Files and row groups in work at once, at most: bounds open descriptors and requests in flight.
constexpr int kMaxOpen = 64;
/// Local reads up to this size are done by the worker that wants them: handing them over costs more
/// than reading them.
constexpr int64_t kInlineRead = 1 << 20;
/// What a batch takes besides its buffers; without columns it has none, and still must not queue up
/// without end.
constexpr int64_t kBatchOverhead = 512;
/// How often a waiting consumer looks at its stop token.
constexpr auto kStopPoll = std::chrono::milliseconds(50);

/// A file shared by its units: opened once, by whoever first reads from it.
struct FileHandle {
  std::mutex mutex;
  std::shared_ptr<storage::OpenFile> open;
  bool delivered = false;  // the consumer has rows of it; under the scheduler's lock

  arrow::Result<std::shared_ptr<storage::OpenFile>> Get(
      const std::shared_ptr<const SourceFile>& file,
      const std::shared_ptr<runtime::Counters>& counters, const SchedulerOptions& options) {
    std::lock_guard lock(mutex);
    if (!open) {
      ARROW_ASSIGN_OR_RAISE(open,
                            storage::OpenFile::Open(file, counters, options.pool, options.stop));
    }
    return open;
  }
};

struct Fetch {
  ByteRange range;
  std::shared_ptr<arrow::Buffer> buffer;
  bool done = false;
};

struct Slot {
  enum State { kReady, kStepping, kBlocked, kFetching, kDone };

  Slot(std::unique_ptr<Unit> u, std::shared_ptr<FileHandle> handle)
      : unit(std::move(u)), source(unit->file()), file(std::move(handle)) {}

  std::unique_ptr<Unit> unit;
  const std::shared_ptr<const SourceFile> source;
  const std::shared_ptr<FileHandle> file;
  State state = kReady;
  bool dropped = false;    // its file was skipped: whatever still comes of it is thrown away
  arrow::Status failure;   // why its file ends here; told when the consumer gets here
  bool ends_scan = false;  // the failure is the scan's

  NeedBytes need;
  storage::CoalescedRanges requests;  // not used when a range is counted from the end
  bool absolute = true;
  std::vector<std::shared_ptr<Fetch>> parts;
  std::deque<std::shared_ptr<Fetch>> ahead;
  Resident got;
  int64_t charge = 0;        // fetched bytes and decode state
  int64_t charge_ahead = 0;  // bytes fetched early
  /// Who has what was fetched early, after a split; until then null.
  std::shared_ptr<Slot> heir;
  std::deque<std::pair<std::shared_ptr<RecordBatch>, int64_t>> out;
};

struct Request {
  std::shared_ptr<Slot> slot;
  std::shared_ptr<Fetch> fetch;
};

/// A format or a filesystem of a user's own may throw; an exception that left a thread would end
/// the process.
template <typename Work>
auto Caught(const SourceFile& file, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return arrow::Status::UnknownError("'", file.path, "': ", error.what());
  }
}

bool SameRange(const Fetch& fetch, const ByteRange& range) { return fetch.range == range; }

}  // namespace

/// Everything the threads share. Members ending in Locked run with `mutex` held.
struct Scheduler::State {
  State(UnitSource u, std::shared_ptr<runtime::Counters> c, SchedulerOptions o)
      : units(std::move(u)),
        counters(std::move(c)),
        options(std::move(o)),
        rule(options.local ? storage::CoalesceRule::Local() : storage::CoalesceRule::Remote()),
        queue_limit(options.memory_budget / (options.local ? 8 : 4)),
        read_limit(options.memory_budget - queue_limit) {}

  UnitSource units;
  const std::shared_ptr<runtime::Counters> counters;
  const SchedulerOptions options;
  const storage::CoalesceRule rule;
  const int64_t queue_limit, read_limit;
  const pid_t pid = ::getpid();

  std::mutex mutex;
  std::condition_variable work, io, out;   // for workers, for I/O threads, for the consumer
  std::list<std::shared_ptr<Slot>> slots;  // in order
  bool units_left = true;
  std::deque<Request> requests;
  int64_t reading = 0, queued = 0;  // bytes charged to the two parts of the budget
  std::atomic<int64_t> peak{0};  // changed under the lock; read without it, in a forked child too
  arrow::Status status;
  bool closed = false;
  bool has_batch = false;                 // some unit has made one, or ended without
  std::set<std::thread::id> inside_read;  // threads that may be stuck in a store

  // ---- consumer

  bool serial() const { return options.workers == 0; }
  /// Threads that decode at once, besides the one that the oldest unit has for itself where nobody
  /// decodes but consumers.
  int lanes() const { return serial() ? options.consumers - 1 : options.workers; }

  /// Consumers do the work where there are no workers.
  void WakeWorkerLocked() { serial() ? out.notify_all() : work.notify_one(); }
  void WakeWorkersLocked() { serial() ? out.notify_all() : work.notify_all(); }

  /// Whether there is something for PopLocked() to do, or nothing more to wait for.
  bool HasNewsLocked() const {
    if (closed || !status.ok() || FinishedLocked()) return true;
    for (const auto& slot : slots) {
      if (!slot->out.empty() || slot->state == Slot::kDone) return true;
      if (options.ordered) break;
    }
    return false;
  }

  /// Fails, where that is what comes next.
  std::shared_ptr<RecordBatch> PopLocked() {
    for (auto it = slots.begin(); it != slots.end();) {
      Slot& slot = **it;
      if (!slot.out.empty()) {
        auto [batch, bytes] = std::move(slot.out.front());
        slot.out.pop_front();
        queued -= bytes;
        slot.file->delivered |= batch->num_rows() > 0;
        AdmitLocked();
        WakeWorkersLocked();
        return batch;
      }
      if (slot.state == Slot::kDone) {
        if (slot.ends_scan) {
          FailLocked(slot.failure);
          return nullptr;
        }
        if (!slot.failure.ok()) {
          options.skipped(*slot.source, slot.failure, slot.file->delivered);
        }
        it = slots.erase(it);
        AdmitLocked();
        WakeWorkerLocked();
        continue;
      }
      if (options.ordered) break;
      ++it;
    }
    return nullptr;
  }

  bool FinishedLocked() const { return slots.empty() && !units_left; }

  void FailLocked(arrow::Status error) {
    if (status.ok()) status = std::move(error);
    StopLocked();
  }

  void StopLocked() {
    closed = true;
    WakeWorkersLocked();
    io.notify_all();
    out.notify_all();
  }

  void ClearLocked() {
    slots.clear();
    requests.clear();
    units = nullptr;
    units_left = false;
    reading = queued = 0;
  }

  // ---- admission

  void ChargeLocked(int64_t* part, int64_t bytes) {
    *part += bytes;
    peak = std::max(peak.load(), reading + queued);
  }

  void ReleaseLocked(Slot& slot) {
    reading -= slot.charge;
    slot.charge = 0;
  }

  std::shared_ptr<Fetch> StartFetchLocked(const std::shared_ptr<Slot>& slot, ByteRange range) {
    auto fetch = std::make_shared<Fetch>();
    fetch->range = range;
    ChargeLocked(&reading, range.length);
    requests.push_back({slot, fetch});
    if (InlineLocked(requests.back())) {
      WakeWorkerLocked();
    } else {
      io.notify_one();
    }
    out.notify_all();
    return fetch;
  }

  /// The ranges a blocked slot needs, as requests.
  static std::vector<ByteRange> RequestsOf(const Slot& slot) {
    if (slot.absolute) return slot.requests.requests();
    // Nothing to coalesce: the footer of a file, or only its opening.
    if (slot.need.ranges.empty()) return {ByteRange{0, 0}};
    return slot.need.ranges;
  }

  void AdmitLocked() {
    bool oldest = true;
    int active = 0;
    for (auto& slot : slots) {
      if (slot->state == Slot::kBlocked) {
        const bool room_for_units =
            !options.local || (options.read_ahead && has_batch && active <= lanes());
        if (!TryAdmitLocked(slot, oldest, room_for_units)) return;
      }
      if (slot->state != Slot::kDone) oldest = false;
      if (slot->charge > 0 || slot->state == Slot::kFetching) ++active;
    }
  }

  bool TryAdmitLocked(const std::shared_ptr<Slot>& slot, bool oldest, bool room_for_units) {
    auto early = [&](const ByteRange& range) {
      return std::find_if(slot->ahead.begin(), slot->ahead.end(),
                          [&](auto& f) { return SameRange(*f, range); });
    };
    const auto wanted = RequestsOf(*slot);
    int64_t bytes = slot->need.decode_bytes;
    for (const auto& range : wanted) {
      if (early(range) == slot->ahead.end()) bytes += range.length;
    }
    if (!oldest && (!room_for_units || reading + bytes > read_limit)) return false;

    slot->parts.clear();
    slot->charge = slot->need.decode_bytes;
    ChargeLocked(&reading, slot->need.decode_bytes);
    for (const auto& range : wanted) {
      slot->charge += range.length;
      if (auto it = early(range); it != slot->ahead.end()) {
        slot->parts.push_back(*it);
        slot->ahead.erase(it);
        slot->charge_ahead -= range.length;
      } else {
        slot->parts.push_back(StartFetchLocked(slot, range));
      }
    }
    // Reading ahead within a unit favours the oldest: younger ones would take the budget it needs
    // next.
    for (const auto& range : slot->need.ahead) {
      if (early(range) != slot->ahead.end()) continue;
      if (reading + range.length > read_limit) break;
      slot->ahead.push_back(StartFetchLocked(slot, range));
      slot->charge_ahead += range.length;
    }
    slot->state = Slot::kFetching;
    ReadyLocked(*slot);
    return true;
  }

  /// A fetching slot whose parts have all come becomes ready.
  void ReadyLocked(Slot& slot) {
    if (slot.state != Slot::kFetching) return;
    std::vector<std::shared_ptr<arrow::Buffer>> answers;
    for (const auto& part : slot.parts) {
      if (!part->done) return;
      answers.push_back(part->buffer);
    }
    if (slot.absolute) answers = slot.requests.Slice(answers);
    slot.got.buffers = std::move(answers);
    if (!slot.absolute && slot.need.ranges.empty()) slot.got.buffers.clear();
    {
      std::lock_guard lock(slot.file->mutex);
      slot.got.version = slot.file->open->version();
    }
    slot.parts.clear();
    slot.state = Slot::kReady;
    WakeWorkerLocked();
    out.notify_all();
  }

  // ---- I/O

  bool InlineLocked(const Request& request) const {
    return options.local && options.workers > 0 && request.fetch->range.length <= kInlineRead;
  }

  /// Serves the oldest request (of those a worker should do itself, if `only_inline`). False if
  /// there is none.
  bool FetchOne(Lock& lock, bool only_inline) {
    if (closed) return false;
    auto it = requests.begin();
    if (only_inline)
      it = std::find_if(it, requests.end(), [&](const Request& r) { return InlineLocked(r); });
    if (it == requests.end()) return false;
    Request request = std::move(*it);
    requests.erase(it);
    inside_read.insert(std::this_thread::get_id());
    lock.unlock();
    auto buffer = Caught(*request.slot->source, [&] { return Read(request); });
    if (!buffer.ok())
      buffer = storage::WhyFailed(buffer.status(), *request.slot->source, options.stop);
    lock.lock();
    inside_read.erase(std::this_thread::get_id());
    if (closed) return false;
    Slot* slot = request.slot.get();
    while (slot->heir) slot = slot->heir.get();
    if (slot->dropped) return true;
    if (!buffer.ok()) {
      FailFileLocked(*slot, buffer.status());
      return true;
    }
    request.fetch->buffer = *std::move(buffer);
    request.fetch->done = true;
    ReadyLocked(*slot);
    return true;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(const Request& request) {
    ARROW_ASSIGN_OR_RAISE(auto file,
                          request.slot->file->Get(request.slot->source, counters, options));
    if (request.fetch->range.length == 0) return std::make_shared<arrow::Buffer>(nullptr, 0);
    return file->Read(request.fetch->range);
  }

  // ---- stepping

  /// The slot to step next: the oldest that is ready. A full output queue stops all but the slot
  /// that the consumer waits for.
  std::shared_ptr<Slot> PickLocked() {
    // A queue without room for a single byte still takes a batch, or the smallest budgets would
    // stand still.
    const bool full = queued > 0 && queued >= queue_limit;
    bool blocked = false;
    int unfinished = 0;
    for (auto& slot : slots) {
      if (slot->state == Slot::kReady && (!full || (slot == slots.front() && slot->out.empty())))
        return slot;
      if (full && options.ordered) return nullptr;
      blocked |= slot->state == Slot::kBlocked;
      if (slot->state != Slot::kDone) ++unfinished;
    }
    const int max_open = options.local ? lanes() + 1 : kMaxOpen;
    if (full || blocked || !units_left || unfinished >= max_open) return nullptr;
    auto unit = units();
    if (!unit) {
      units_left = false;
      out.notify_all();
      return nullptr;
    }
    slots.push_back(std::make_shared<Slot>(std::move(unit), std::make_shared<FileHandle>()));
    return slots.back();
  }

  /// Steps one unit. False if there is nothing to step.
  bool StepOne(Lock& lock) {
    if (closed) return false;
    std::shared_ptr<Slot> slot = PickLocked();
    if (!slot) return false;
    slot->state = Slot::kStepping;
    Resident got = std::move(slot->got);
    slot->got = {};
    lock.unlock();
    arrow::Result<Step> step =
        Caught(*slot->source, [&] { return slot->unit->Next(std::move(got)); });
    if (!step.ok()) step = storage::WhyFailed(step.status(), *slot->source, options.stop);
    int64_t batch_bytes = 0;
    if (step.ok()) {
      if (auto* batch = std::get_if<std::shared_ptr<RecordBatch>>(&*step)) {
        // Slices of one batch share its buffers.
        batch_bytes = kBatchOverhead + arrow::util::ReferencedBufferSize(**batch).ValueOr(
                                           arrow::util::TotalBufferSize(**batch));
      }
    }
    lock.lock();
    if (closed) return false;
    if (slot->dropped) {
      FinishLocked(*slot);
    } else if (!step.ok()) {
      slot->state = Slot::kBlocked;  // nobody is inside the unit any more
      FailFileLocked(*slot, step.status());
    } else {
      ApplyLocked(slot, *std::move(step), batch_bytes);
    }
    return true;
  }

  void ApplyLocked(const std::shared_ptr<Slot>& slot, Step step, int64_t batch_bytes) {
    if (auto* batch = std::get_if<std::shared_ptr<RecordBatch>>(&step)) {
      ChargeLocked(&queued, batch_bytes);
      slot->out.emplace_back(std::move(*batch), batch_bytes);
      slot->state = Slot::kReady;
      if (!std::exchange(has_batch, true)) AdmitLocked();
      out.notify_all();
      return;
    }
    ReleaseLocked(*slot);
    if (auto* need = std::get_if<NeedBytes>(&step)) {
      slot->need = std::move(*need);
      slot->absolute = !slot->need.ranges.empty() &&
                       std::none_of(slot->need.ranges.begin(), slot->need.ranges.end(),
                                    [](const ByteRange& r) { return r.from_end(); });
      if (slot->absolute) slot->requests = storage::CoalescedRanges(slot->need.ranges, rule);
      slot->state = Slot::kBlocked;
    } else {
      has_batch |= std::holds_alternative<Done>(step);
      if (auto* split = std::get_if<Split>(&step)) {
        auto after = std::next(std::find(slots.begin(), slots.end(), slot));
        for (auto& unit : split->units)
          slots.insert(after, std::make_shared<Slot>(std::move(unit), slot->file));
        if (!split->units.empty()) InheritLocked(*slot, *std::prev(after));
        WakeWorkersLocked();
      }
      FinishLocked(*slot);
    }
    AdmitLocked();
    WakeWorkerLocked();
  }

  /// What was fetched ahead is what the last of the smaller units begins with.
  static void InheritLocked(Slot& from, const std::shared_ptr<Slot>& heir) {
    heir->ahead = std::exchange(from.ahead, {});
    heir->charge_ahead = std::exchange(from.charge_ahead, 0);
    if (!heir->ahead.empty()) from.heir = heir;
  }

  void FinishLocked(Slot& slot) {
    ReleaseLocked(slot);
    reading -= slot.charge_ahead;
    slot.charge_ahead = 0;
    slot.ahead.clear();
    slot.parts.clear();
    slot.unit.reset();
    slot.state = Slot::kDone;
    out.notify_all();
  }

  /// A file failed: the scan fails, or the file ends where it failed. What came before stays,
  /// whether the consumer has it already or not, so that an ordered scan gives the same rows each
  /// time; and an error that lies behind what a limit takes is none, however far was read ahead.
  void FailFileLocked(Slot& failed, const arrow::Status& error) {
    failed.ends_scan = !options.may_skip || !options.may_skip(*failed.source, error);
    if (failed.ends_scan && !options.ordered) {
      FailLocked(error);
      return;
    }
    failed.failure = error;
    if (failed.ends_scan) units_left = false;
    EndFileLocked(failed);
  }

  /// Drops what lies behind in the file, or in the scan.
  void EndFileLocked(Slot& failed) {
    // Another thread is inside a stepping unit; that thread finishes the slot.
    if (failed.state != Slot::kStepping) FinishLocked(failed);
    failed.dropped = true;  // whatever else is still being fetched for it
    bool behind = false;
    for (auto& slot : slots) {
      behind |= slot.get() == &failed;
      if (!behind || slot.get() == &failed) continue;
      if (!failed.ends_scan && slot->source != failed.source) continue;
      slot->dropped = true;
      slot->failure = arrow::Status::OK();  // the earlier one is told
      slot->ends_scan = false;
      for (auto& [batch, bytes] : slot->out) queued -= bytes;
      slot->out.clear();
      if (slot->state != Slot::kStepping) FinishLocked(*slot);
    }
    std::erase_if(requests, [](const Request& request) { return request.slot->dropped; });
    AdmitLocked();
    WakeWorkersLocked();
    out.notify_all();
  }
};

struct Scheduler::Threads {
  std::mutex mutex;  // Close() may come from several threads
  std::vector<std::thread> workers;
  std::vector<runtime::LingeringThread> io;
  bool started = false;
};

Scheduler::Scheduler(UnitSource units, std::shared_ptr<runtime::Counters> counters,
                     SchedulerOptions options)
    : state_(std::make_shared<State>(std::move(units), std::move(counters), std::move(options))),
      threads_(std::make_unique<Threads>()) {}

Scheduler::~Scheduler() { Close(); }

void Scheduler::Start() {
  std::lock_guard lock(threads_->mutex);
  if (threads_->started) return;
  threads_->started = true;
  const auto& options = state_->options;
  try {
    for (int i = 0; i < options.workers; ++i) {
      threads_->workers.emplace_back([state = state_] {
        Lock lock(state->mutex);
        while (!state->closed) {
          if (!state->StepOne(lock) && !state->FetchOne(lock, /*only_inline=*/true) &&
              !state->closed) {
            state->work.wait(lock);
          }
        }
      });
    }
    for (int i = 0; options.workers > 0 && i < options.io_threads; ++i) {
      threads_->io.emplace_back([state = state_] {
        Lock lock(state->mutex);
        while (!state->closed) {
          if (!state->FetchOne(lock, /*only_inline=*/false) && !state->closed) {
            state->io.wait(lock);
          }
        }
      });
    }
  } catch (const std::system_error& error) {
    Lock state_lock(state_->mutex);
    state_->FailLocked(arrow::Status::UnknownError("Cannot start a thread: ", error.what(),
                                                   ". With workers = 0 a scan needs none"));
  }
}

arrow::Status Scheduler::CheckProcess() const {
  if (::getpid() == state_->pid) return arrow::Status::OK();
  return arrow::Status::Invalid("A scan cannot go on in a forked process: open it anew");
}

arrow::Result<Scheduler::Polled> Scheduler::Poll() {
  ARROW_RETURN_NOT_OK(CheckProcess());
  State& state = *state_;
  Start();
  Lock lock(state.mutex);
  if (!state.status.ok()) return state.status;
  // Asked first: a consumer slower than the workers never has to wait for a batch.
  if (arrow::Status stop = state.options.stop.Poll(); !stop.ok()) {
    state.FailLocked(stop);
    return stop;
  }
  if (auto batch = state.PopLocked()) return Polled{std::move(batch)};
  ARROW_RETURN_NOT_OK(state.status);
  if (state.closed) return arrow::Status::Cancelled("The scan was closed");
  if (state.FinishedLocked()) return Polled{nullptr, true};
  return Polled{};
}

void Scheduler::Wait(const std::atomic<bool>& gone) {
  State& state = *state_;
  if (::getpid() != state.pid) return;
  Lock lock(state.mutex);
  if (gone || state.HasNewsLocked()) return;
  if (state.serial()) {
    if (state.StepOne(lock) || state.FetchOne(lock, /*only_inline=*/false)) return;
    // Other consumers have all the work there is.
    if (gone || state.HasNewsLocked()) return;
  }
  state.out.wait_for(lock, kStopPoll);
}

void Scheduler::Wake() {
  if (::getpid() != state_->pid) return;
  Lock lock(state_->mutex);
  state_->out.notify_all();
}

arrow::Result<std::shared_ptr<RecordBatch>> Scheduler::Next() {
  const std::atomic<bool> gone{false};
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto polled, Poll());
    if (polled.batch || polled.end) return std::move(polled.batch);
    Wait(gone);
  }
}

void Scheduler::Close() {
  if (::getpid() != state_->pid) {
    // The threads do not exist in a forked child, and the lock may be held by one of them for ever.
    // Joining or detaching them would free their stacks a second time: all is left as it is.
    if (!threads_) return;
    (void)new std::shared_ptr<State>(state_);
    (void)threads_.release();
    return;
  }
  std::set<std::thread::id> inside_read;
  {
    Lock lock(state_->mutex);
    state_->StopLocked();
    // From here on no thread begins a read.
    if (!state_->options.local) inside_read = state_->inside_read;
  }
  std::lock_guard closing(threads_->mutex);
  threads_->started = true;  // a closed scheduler never starts
  for (auto& thread : threads_->workers) thread.join();
  threads_->workers.clear();
  for (auto& thread : threads_->io) {
    // A network request may hang for as long as its time-out: it is left to end on its own, with
    // its buffers.
    if (inside_read.contains(thread.id())) {
      std::move(thread).Abandon();
    } else {
      thread.Join();
    }
  }
  threads_->io.clear();
  Lock lock(state_->mutex);
  state_->ClearLocked();
}

int64_t Scheduler::peak_bytes() const { return state_->peak; }

}  // namespace shoal::read
