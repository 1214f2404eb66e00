#include "read/scheduler.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <numeric>
#include <optional>

#include <arrow/util/cancel.h>
#include <gtest/gtest.h>

#include "read/scheduler_test_doubles.h"

namespace shoal::read {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// Bounds on time are generous: they tell a hang from progress, not fast from slow.
constexpr seconds kPromptly{10};

UnitSource Source(std::vector<std::unique_ptr<Unit>> units) {
  auto shared = std::make_shared<std::vector<std::unique_ptr<Unit>>>(std::move(units));
  return [shared, next = size_t{0}]() mutable -> std::unique_ptr<Unit> {
    return next < shared->size() ? std::move((*shared)[next++]) : nullptr;
  };
}

struct Scan {
  std::shared_ptr<runtime::Counters> counters = std::make_shared<runtime::Counters>();
  std::unique_ptr<Scheduler> scheduler;

  Scan(std::vector<std::unique_ptr<Unit>> units, SchedulerOptions options)
      : scheduler(
            std::make_unique<Scheduler>(Source(std::move(units)), counters, std::move(options))) {}

  arrow::Result<std::vector<int64_t>> Rest() {
    std::vector<int64_t> out;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, scheduler->Next());
      if (!batch) return out;
      Append(*batch, &out);
    }
  }
  static void Append(const arrow::RecordBatch& batch, std::vector<int64_t>* out) {
    const auto& values = static_cast<const arrow::Int64Array&>(*batch.column(0));
    for (int64_t i = 0; i < values.length(); ++i) out->push_back(values.Value(i));
  }
};

std::vector<int64_t> CountingUp(int64_t n) {
  std::vector<int64_t> out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// One unit per file: plain for even files, split twice over for odd ones.
std::vector<std::unique_ptr<Unit>> MixedUnits(
    const NumberFiles& files, NumbersUnit::Options options,
    const std::shared_ptr<arrow::fs::FileSystem>& store = nullptr) {
  std::vector<std::unique_ptr<Unit>> units;
  const uint32_t seed = options.jitter_seed;
  for (int f = 0; f < files.files(); ++f) {
    auto file = store ? files.On(store, f) : files.Local(f);
    if (seed != 0) options.jitter_seed = seed * 1000 + f + 1;
    if (f % 2 == 0) {
      units.push_back(std::make_unique<NumbersUnit>(file, files.Ranges(), options));
    } else {
      units.push_back(std::make_unique<SplittingUnit>(file, files.Ranges(), 3, options));
    }
  }
  return units;
}

std::vector<std::unique_ptr<Unit>> PlainUnits(
    const NumberFiles& files, NumbersUnit::Options options = {},
    const std::shared_ptr<arrow::fs::FileSystem>& store = nullptr) {
  std::vector<std::unique_ptr<Unit>> units;
  for (int f = 0; f < files.files(); ++f) {
    units.push_back(std::make_unique<NumbersUnit>(store ? files.On(store, f) : files.Local(f),
                                                  files.Ranges(), options));
  }
  return units;
}

NumbersUnit::Options Jitter(uint32_t seed, bool read_ahead = false, int pieces = 1) {
  NumbersUnit::Options options;
  options.jitter_seed = seed;
  options.read_ahead = read_ahead;
  options.pieces = pieces;
  options.empty_batches = seed % 2 == 1;
  return options;
}

TEST(Scheduler, OrderedDeliveryIsFileOrderWhateverTheTiming) {
  NumberFiles files(7, 8, 50);
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    for (int workers : {1, 2, 4}) {
      Scan scan(MixedUnits(files, Jitter(seed, seed % 3 == 0, 1 + seed % 4)), {.workers = workers});
      ASSERT_EQ(scan.Rest().ValueOrDie(), CountingUp(files.total_rows())) << seed << " " << workers;
    }
  }
}

TEST(Scheduler, OrderedDeliveryFromAStoreIsFileOrder) {
  NumberFiles files(9, 6, 40);
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    auto behaviour = std::make_shared<StoreBehaviour>();
    behaviour->delay = std::chrono::microseconds(200 * (seed % 3));
    auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
    Scan scan(MixedUnits(files, Jitter(seed, seed % 2 == 0, 2), store),
              {.workers = 2, .io_threads = 8, .local = false});
    ASSERT_EQ(scan.Rest().ValueOrDie(), CountingUp(files.total_rows())) << seed;
  }
}

TEST(Scheduler, UnorderedDeliversTheSameRows) {
  NumberFiles files(6, 8, 30);
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    Scan scan(MixedUnits(files, Jitter(seed, seed % 2 == 0)), {.workers = 3, .ordered = false});
    auto rows = scan.Rest().ValueOrDie();
    std::sort(rows.begin(), rows.end());
    ASSERT_EQ(rows, CountingUp(files.total_rows())) << seed;
  }
}

TEST(Scheduler, ZeroWorkersGiveTheSameRowsInTheCallersThread) {
  NumberFiles files(5, 4, 20);
  for (bool ordered : {true, false}) {
    Scan scan(MixedUnits(files, Jitter(3, true)), {.workers = 0, .ordered = ordered});
    auto rows = scan.Rest().ValueOrDie();
    EXPECT_EQ(rows, CountingUp(files.total_rows()));
  }
}

TEST(Scheduler, EveryLegalExtremeFinishes) {
  NumberFiles files(4, 3, 10);
  auto behaviour = std::make_shared<StoreBehaviour>();
  auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
  for (int64_t budget : {int64_t{1}, int64_t{7}, int64_t{100}, int64_t{1} << 40}) {
    for (int workers : {0, 1, 16}) {
      for (int io_threads : {1, 16}) {
        for (bool ordered : {true, false}) {
          for (bool local : {true, false}) {
            for (bool ahead : {true, false}) {
              NumbersUnit::Options options;
              options.read_ahead = ahead;
              options.decode_bytes = 1000;
              Scan scan(MixedUnits(files, options, local ? nullptr : store),
                        {.workers = workers,
                         .io_threads = io_threads,
                         .memory_budget = budget,
                         .ordered = ordered,
                         .local = local});
              auto done = std::async(std::launch::async, [&] { return scan.Rest(); });
              const std::string which = std::to_string(budget) + " " + std::to_string(workers) +
                                        " " + std::to_string(io_threads) + " " +
                                        std::to_string(ordered) + " " + std::to_string(local) +
                                        " " + std::to_string(ahead);
              if (done.wait_for(kPromptly) != std::future_status::ready) {
                scan.scheduler->Close();
                FAIL() << "hangs: " << which;
              }
              auto rows = done.get().ValueOrDie();
              std::sort(rows.begin(), rows.end());
              ASSERT_EQ(rows, CountingUp(files.total_rows())) << which;
            }
          }
        }
      }
    }
  }
}

TEST(Scheduler, NoUnitsAtAllIsAnEnd) {
  for (int workers : {0, 2}) {
    Scan scan({}, {.workers = workers});
    EXPECT_EQ(scan.scheduler->Next().ValueOrDie(), nullptr);
    EXPECT_EQ(scan.scheduler->Next().ValueOrDie(), nullptr);
  }
}

TEST(Scheduler, AUnitLargerThanTheBudgetIsStillAdmitted) {
  NumberFiles files(3, 2, 4096);  // 32 KiB a batch
  NumbersUnit::Options options;
  options.decode_bytes = 1 << 20;
  Scan scan(PlainUnits(files, options), {.workers = 2, .memory_budget = 4096});
  EXPECT_EQ(scan.Rest().ValueOrDie(), CountingUp(files.total_rows()));
}

TEST(Scheduler, ChargedBytesStayWithinTheBudgetAndOneUnit) {
  NumberFiles files(24, 6, 2048);  // 16 KiB a batch
  const int64_t unit =
      files.batch_bytes() + 20000 + files.batch_bytes();  // its bytes, decode state and a batch
  for (bool local : {true, false}) {
    for (bool ordered : {true, false}) {
      auto behaviour = std::make_shared<StoreBehaviour>();
      auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
      NumbersUnit::Options options;
      options.decode_bytes = 20000;
      options.read_ahead = true;
      const int64_t budget = 256 << 10;
      Scan scan(PlainUnits(files, options, local ? nullptr : store), {.workers = 2,
                                                                      .io_threads = 8,
                                                                      .memory_budget = budget,
                                                                      .ordered = ordered,
                                                                      .local = local});
      int64_t rows = 0;
      while (auto batch = scan.scheduler->Next().ValueOrDie()) {
        rows += batch->num_rows();
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      }
      EXPECT_EQ(rows, files.total_rows());
      EXPECT_LE(scan.scheduler->peak_bytes(), budget + unit) << local << ordered;
    }
  }
}

/// Waits until the number stands still.
int64_t Settled(const std::atomic<int64_t>& number) {
  int64_t last = -1;
  for (int same = 0; same < 20;) {
    const int64_t now = number;
    same = now == last ? same + 1 : 0;
    last = now;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return last;
}

TEST(Scheduler, AConsumerThatStopsTakingStopsReadAhead) {
  NumberFiles files(64, 8, 2048);  // 8 MiB in 512 requests
  for (bool local : {true, false}) {
    auto behaviour = std::make_shared<StoreBehaviour>();
    auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
    const int64_t budget = 512 << 10;
    Scan scan(PlainUnits(files, {}, local ? nullptr : store),
              {.workers = 2, .io_threads = 8, .memory_budget = budget, .local = local});
    ASSERT_TRUE(scan.scheduler->Next().ok());
    const int64_t requests = Settled(scan.counters->requests);
    EXPECT_LE(requests, budget / files.batch_bytes() + 8) << local;
    EXPECT_EQ(scan.Rest().ValueOrDie().size() + 2048, static_cast<size_t>(files.total_rows()));
  }
}

/// Units whose batches have no columns, as in a scan that only counts.
class ColumnlessUnit final : public Unit {
 public:
  ColumnlessUnit(std::shared_ptr<const SourceFile> file, int batches, std::atomic<int64_t>* steps)
      : Unit(std::move(file)), left_(batches), steps_(steps) {}
  arrow::Result<Step> Next(Resident) override {
    ++*steps_;
    if (left_-- == 0) return Done{};
    return arrow::RecordBatch::Make(arrow::schema({}), 10, arrow::ArrayVector{});
  }

 private:
  int left_;
  std::atomic<int64_t>* steps_;
};

TEST(Scheduler, BatchesWithoutColumnsFillTheQueueToo) {
  NumberFiles files(1, 1, 1);
  std::atomic<int64_t> steps{0};
  std::vector<std::unique_ptr<Unit>> units;
  for (int i = 0; i < 10; ++i)
    units.push_back(std::make_unique<ColumnlessUnit>(files.Local(0), 10000, &steps));
  Scan scan(std::move(units), {.workers = 2, .memory_budget = 64 << 10});
  ASSERT_TRUE(scan.scheduler->Next().ok());
  EXPECT_LT(Settled(steps), 1000);
  int64_t rows = 10;
  while (auto batch = scan.scheduler->Next().ValueOrDie()) rows += batch->num_rows();
  EXPECT_EQ(rows, 1000000);
}

TEST(Scheduler, ClosingAfterOneBatchReadsNoMore) {
  NumberFiles files(64, 8, 1024);
  for (bool local : {true, false}) {
    auto behaviour = std::make_shared<StoreBehaviour>();
    auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
    Scan scan(PlainUnits(files, {}, local ? nullptr : store),
              {.workers = 2, .io_threads = 4, .memory_budget = 64 << 10, .local = local});
    ASSERT_NE(scan.scheduler->Next().ValueOrDie(), nullptr);
    scan.scheduler->Close();
    // At most the reads that were in flight are still counted.
    const int64_t at_close = scan.counters->requests;
    EXPECT_LE(Settled(scan.counters->requests), at_close + 4);
    EXPECT_LT(scan.counters->requests, 64);
    EXPECT_TRUE(scan.scheduler->Next().status().IsCancelled());
    scan.scheduler->Close();
  }
}

TEST(Scheduler, ClosingFromAnotherThreadWakesTheConsumer) {
  NumberFiles files(4, 2, 10);
  for (int workers : {0, 2}) {
    auto behaviour = std::make_shared<StoreBehaviour>();
    behaviour->hanging_path = NumberFiles::Name(0);
    auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
    Scan scan(PlainUnits(files, {}, store), {.workers = workers, .io_threads = 4, .local = false});
    auto waiting = std::async(std::launch::async, [&] { return scan.scheduler->Next().status(); });
    while (behaviour->in_flight == 0) std::this_thread::sleep_for(milliseconds(1));
    auto closing = std::async(std::launch::async, [&] { scan.scheduler->Close(); });
    ASSERT_EQ(closing.wait_for(kPromptly), std::future_status::ready) << workers;
    // In the caller's thread the read itself has to end first.
    if (workers == 0) behaviour->Release();
    ASSERT_EQ(waiting.wait_for(kPromptly), std::future_status::ready) << workers;
    EXPECT_TRUE(waiting.get().IsCancelled());
    behaviour->Release();
  }
}

TEST(Scheduler, AHangingStoreDoesNotHoldUpClosingNorDestruction) {
  NumberFiles files(40, 2, 10);
  auto behaviour = std::make_shared<StoreBehaviour>();
  behaviour->hanging_path = NumberFiles::Name(1);
  auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
  {
    Scan scan(PlainUnits(files, {}, store), {.workers = 2, .io_threads = 8, .local = false});
    ASSERT_NE(scan.scheduler->Next().ValueOrDie(), nullptr);
    while (behaviour->in_flight == 0) std::this_thread::sleep_for(milliseconds(1));
    const auto start = steady_clock::now();
    scan.scheduler->Close();
    scan.scheduler.reset();
    EXPECT_LT(steady_clock::now() - start, seconds(1));
  }
  EXPECT_GT(behaviour->in_flight, 0);
  // The abandoned request ends on its own, with its buffers.
  behaviour->Release();
  while (behaviour->in_flight > 0) std::this_thread::sleep_for(milliseconds(1));
}

TEST(Scheduler, DestructionWithoutReadingReadsNothing) {
  NumberFiles files(3, 2, 10);
  std::shared_ptr<runtime::Counters> counters;
  {
    Scan scan(PlainUnits(files), {});
    counters = scan.counters;
  }
  EXPECT_EQ(counters->requests, 0);
  EXPECT_EQ(counters->files_opened, 0);
}

TEST(Scheduler, AnErrorIsDeliveredInItsPlaceAndForEver) {
  NumberFiles files(6, 4, 100);
  for (int workers : {0, 1, 3}) {
    std::vector<std::unique_ptr<Unit>> units = PlainUnits(files);
    NumbersUnit::Options failing;
    failing.fail_at = 2;
    units[3] = std::make_unique<NumbersUnit>(files.Local(3), files.Ranges(), failing);
    Scan scan(std::move(units), {.workers = workers});
    arrow::Status error;
    std::vector<int64_t> rows;
    while (error.ok()) {
      auto batch = scan.scheduler->Next();
      error = batch.status();
      if (error.ok()) {
        ASSERT_NE(*batch, nullptr) << "the error was lost";
        Scan::Append(**batch, &rows);
      }
    }
    EXPECT_TRUE(error.IsIOError());
    EXPECT_NE(error.message().find(NumberFiles::Name(3)), std::string::npos) << error;
    // All rows before it, however far was read ahead, and none of what comes after it.
    EXPECT_EQ(rows, CountingUp(3 * 400 + 200));
    for (int again = 0; again < 3; ++again) EXPECT_EQ(scan.scheduler->Next().status(), error);
    const int64_t requests = Settled(scan.counters->requests);
    EXPECT_LT(requests, 6 * 4 + 1);
  }
}

TEST(Scheduler, AFailedReadIsAnErrorThatStaysAndStopsTheRest) {
  NumberFiles files(64, 4, 100);
  auto behaviour = std::make_shared<StoreBehaviour>();
  behaviour->failing_path = NumberFiles::Name(2);
  auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
  Scan scan(PlainUnits(files, {}, store),
            {.workers = 2, .io_threads = 4, .memory_budget = 64 << 10, .local = false});
  const arrow::Status error = scan.Rest().status();
  EXPECT_TRUE(error.IsIOError());
  EXPECT_NE(error.message().find(NumberFiles::Name(2)), std::string::npos) << error;
  EXPECT_EQ(scan.scheduler->Next().status(), error);
  EXPECT_LT(Settled(scan.counters->requests), 100);
}

TEST(Scheduler, SkippingAFileDropsTheRestOfItInAllItsSlotsAndGoesOn) {
  NumberFiles files(7, 8, 10);
  for (int workers : {0, 1, 4}) {
    for (uint32_t seed = 1; seed <= 10; ++seed) {
      auto units = MixedUnits(files, Jitter(seed));
      NumbersUnit::Options failing = Jitter(seed);
      failing.fail_at = 0;
      units[3] = std::make_unique<SplittingUnit>(files.Local(3), files.Ranges(), 3, failing);
      std::atomic<int> told{0};
      SchedulerOptions options{.workers = workers};
      options.may_skip = [](const SourceFile&, const arrow::Status&) { return true; };
      options.skipped = [&](const SourceFile& file, const arrow::Status& error, bool begun) {
        ++told;
        EXPECT_NE(file.path.find(NumberFiles::Name(3)), std::string::npos);
        EXPECT_NE(error.message().find("unreadable"), std::string::npos);
        EXPECT_FALSE(begun);
      };
      Scan scan(std::move(units), std::move(options));
      auto rows = scan.Rest().ValueOrDie();
      auto expected = CountingUp(files.total_rows());
      expected.erase(expected.begin() + 3 * 80, expected.begin() + 4 * 80);
      ASSERT_EQ(rows, expected) << workers << " " << seed;
      EXPECT_EQ(told, 1);
    }
  }
}

TEST(Scheduler, AnOrderedScanKeepsWhatLiesBeforeTheDamageAndNothingElseOfTheFile) {
  NumberFiles files(3, 8, 10);
  for (int workers : {0, 1, 4}) {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
      std::vector<std::unique_ptr<Unit>> units;
      std::vector<ByteRange> ranges = files.Ranges();
      units.push_back(std::make_unique<NumbersUnit>(files.Local(0), ranges, Jitter(seed)));
      // The second file in four pieces that share it, of which two fail in the middle.
      const auto second = files.Local(1);
      std::vector<std::unique_ptr<Unit>> pieces;
      for (int p = 0; p < 4; ++p) {
        NumbersUnit::Options options = Jitter(seed * 10 + p);
        if (p == 1 || p == 3) options.fail_at = 1;
        pieces.push_back(std::make_unique<NumbersUnit>(
            second, std::vector<ByteRange>{ranges[2 * p], ranges[2 * p + 1]}, options));
      }
      units.push_back(std::make_unique<GivenPieces>(second, std::move(pieces)));
      units.push_back(std::make_unique<NumbersUnit>(files.Local(2), ranges, Jitter(seed + 1)));
      int told = 0;
      SchedulerOptions options{.workers = workers};
      options.may_skip = [](const SourceFile&, const arrow::Status&) { return true; };
      options.skipped = [&](const SourceFile&, const arrow::Status&, bool begun) {
        ++told;
        EXPECT_TRUE(begun);
      };
      Scan scan(std::move(units), std::move(options));
      auto rows = scan.Rest().ValueOrDie();
      auto expected = CountingUp(files.total_rows());
      // Of the second file: all of its first piece, and one batch of its second.
      expected.erase(expected.begin() + 80 + 30, expected.begin() + 160);
      ASSERT_EQ(rows, expected) << workers << " " << seed;
      EXPECT_EQ(told, 1);
    }
  }
}

TEST(Scheduler, SkippingAFileThatIsMissingGoesOn) {
  NumberFiles files(5, 2, 10);
  std::filesystem::remove(std::filesystem::path(files.directory()) / NumberFiles::Name(4));
  for (int workers : {0, 2}) {
    SchedulerOptions options{.workers = workers};
    options.may_skip = [](const SourceFile&, const arrow::Status&) { return true; };
    options.skipped = [](const SourceFile&, const arrow::Status&, bool) {};
    Scan scan(MixedUnits(files, {}), std::move(options));
    EXPECT_EQ(scan.Rest().ValueOrDie(), CountingUp(80));
  }
}

TEST(Scheduler, AStopTokenCancelsAWaitingConsumer) {
  NumberFiles files(4, 2, 10);
  auto behaviour = std::make_shared<StoreBehaviour>();
  behaviour->hanging_path = NumberFiles::Name(0);
  auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
  arrow::StopSource stop;
  {
    Scan scan(PlainUnits(files, {}, store),
              {.workers = 2, .io_threads = 4, .local = false, .stop = stop.token()});
    auto waiting = std::async(std::launch::async, [&] { return scan.scheduler->Next().status(); });
    while (behaviour->in_flight == 0) std::this_thread::sleep_for(milliseconds(1));
    stop.RequestStop();
    ASSERT_EQ(waiting.wait_for(kPromptly), std::future_status::ready);
    EXPECT_TRUE(waiting.get().IsCancelled());
  }
  behaviour->Release();
}

TEST(Scheduler, AStopTokenCancelsAConsumerForWhomBatchesAreReady) {
  NumberFiles files(20, 2, 10);
  arrow::StopSource stop;
  Scan scan(PlainUnits(files, {}), {.workers = 2, .stop = stop.token()});
  ASSERT_TRUE(scan.scheduler->Next().ok());
  std::this_thread::sleep_for(milliseconds(20));  // for the workers to be ahead
  stop.RequestStop();
  EXPECT_TRUE(scan.scheduler->Next().status().IsCancelled());
}

TEST(Scheduler, AStoreSeesManyRequestsAtOnce) {
  NumberFiles files(64, 1, 10);
  auto behaviour = std::make_shared<StoreBehaviour>();
  behaviour->delay = milliseconds(50);
  auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
  Scan scan(PlainUnits(files, {}, store), {.workers = 2, .io_threads = 32, .local = false});
  EXPECT_EQ(scan.Rest().ValueOrDie(), CountingUp(files.total_rows()));
  EXPECT_GE(behaviour->most_in_flight, 32);
  EXPECT_EQ(behaviour->reads, 64);
}

TEST(Scheduler, BytesAreReadOnceWhetherAheadOrNot) {
  NumberFiles files(3, 6, 100);
  for (bool ahead : {true, false}) {
    NumbersUnit::Options options;
    options.read_ahead = ahead;
    Scan scan(PlainUnits(files, options), {.workers = 2});
    EXPECT_EQ(scan.Rest().ValueOrDie(), CountingUp(files.total_rows()));
    EXPECT_EQ(scan.counters->requests, 18) << ahead;
    EXPECT_EQ(scan.counters->bytes_read, files.total_rows() * 8);
    EXPECT_EQ(scan.counters->files_opened, 3);
  }
}

TEST(Scheduler, WhatIsReadAheadOutlivesASplit) {
  NumberFiles files(3, 12, 100);
  auto behaviour = std::make_shared<StoreBehaviour>();
  behaviour->delay = milliseconds(5);
  auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
  for (int workers : {0, 1, 3}) {
    for (int64_t budget : {int64_t{1}, int64_t{1} << 20}) {
      behaviour->reads = behaviour->most_in_flight = 0;
      std::vector<std::unique_ptr<Unit>> units;
      for (int f = 0; f < files.files(); ++f) {
        units.push_back(std::make_unique<ChainedUnit>(files.On(store, f), files.Ranges()));
      }
      Scan scan(std::move(units),
                {.workers = workers, .io_threads = 8, .memory_budget = budget, .local = false});
      EXPECT_EQ(scan.Rest().ValueOrDie(), CountingUp(files.total_rows()));
      EXPECT_EQ(behaviour->reads, 36);
      EXPECT_LE(scan.scheduler->peak_bytes(), std::max(budget, 3 * files.batch_bytes() + 2000));
    }
  }
  EXPECT_GE(behaviour->most_in_flight, 4);  // each file's next range is on its way
}

TEST(Scheduler, LocalFilesAreReadOneUnitBeyondTheWorkersAhead) {
  NumberFiles files(32, 1, 100);
  Scan scan(PlainUnits(files), {.workers = 2, .memory_budget = 8 * 800});
  ASSERT_NE(scan.scheduler->Next().ValueOrDie(), nullptr);
  EXPECT_LE(Settled(scan.counters->files_opened), 8);
}

#if defined(__SANITIZE_THREAD__)
constexpr bool kForkTests = false;  // ThreadSanitizer does not follow threads across a fork
#else
constexpr bool kForkTests = true;
#endif

TEST(Scheduler, AProcessThatLeavesAReadBehindExitsCleanly) {
  if (!kForkTests) GTEST_SKIP() << "not under ThreadSanitizer";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  // The read wakes up while the process exits, when static objects are being destroyed: a race, so
  // several rounds.
  for (int round = 0; round < 20; ++round) {
    EXPECT_EXIT(
        {
          NumberFiles files(4, 2, 10);
          auto behaviour = std::make_shared<StoreBehaviour>();
          behaviour->hanging_path = NumberFiles::Name(0);
          auto store = std::make_shared<ObservedFilesystem>(files.directory(), behaviour);
          arrow::StopSource stop;
          {
            Scan scan(PlainUnits(files, {}, store),
                      {.workers = 2, .io_threads = 4, .local = false, .stop = stop.token()});
            auto waiting =
                std::async(std::launch::async, [&] { return scan.scheduler->Next().status(); });
            while (behaviour->in_flight == 0) std::this_thread::sleep_for(milliseconds(1));
            stop.RequestStop();
            EXPECT_TRUE(waiting.get().IsCancelled());
          }
          behaviour->Release();
          std::exit(0);
        },
        ::testing::ExitedWithCode(0), "");
  }
}

TEST(Scheduler, AForkedChildGetsAnErrorAndExits) {
  if (!kForkTests) GTEST_SKIP() << "not under ThreadSanitizer";
  NumberFiles files(8, 4, 100);
  for (bool close_first : {false, true}) {
    Scan scan(PlainUnits(files), {.workers = 2});
    ASSERT_NE(scan.scheduler->Next().ValueOrDie(), nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const bool failed = scan.scheduler->Next().status().IsInvalid();
      if (close_first) {
        scan.scheduler->Close();
        scan.scheduler->Close();
        if (!scan.scheduler->Next().status().IsInvalid()) ::_exit(2);
      }
      scan.scheduler.reset();
      ::_exit(failed ? 0 : 1);
    }
    int status = -1;
    const auto start = steady_clock::now();
    while (::waitpid(child, &status, WNOHANG) == 0) {
      if (steady_clock::now() - start > kPromptly) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        FAIL() << "the child hangs";
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    // The parent goes on as if nothing had happened.
    EXPECT_EQ(scan.Rest().ValueOrDie().size() + 100, static_cast<size_t>(files.total_rows()));
  }
}

}  // namespace
}  // namespace shoal::read
