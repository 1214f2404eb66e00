// Groups that are read at once.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/cancel.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "formats/parquet/test_files.h"
#include "read/scheduler_test_doubles.h"
#include "temporary_directory.h"

namespace shoal {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

using Streams = std::vector<std::unique_ptr<BatchStream>>;

class GroupStreams : public ::testing::Test {
 protected:
  /// Files of 100 numbers each, counting up over all files.
  ScanPlan Numbers(int files, int64_t row_group_rows = 30, ScanRequest request = {}) {
    for (int i = 0; i < files; ++i) {
      const std::string folder = directory_.path() / ("k=" + std::to_string(i % 3));
      std::filesystem::create_directories(folder);
      std::ofstream(folder + "/" + std::to_string(1000 + i) + ".parquet", std::ios::binary)
          << formats::parquet::WriteFile(
                 *formats::parquet::OneColumn(formats::parquet::Numbers(100 * i, 100)),
                 row_group_rows,
                 formats::parquet::Properties().set_sorting_columns({{0, false, false}})->build());
    }
    PlanOptions options;
    options.column_statistics = true;
    return Dataset::Open({directory_.path()}).ValueOrDie()->Plan(request, options).ValueOrDie();
  }
  static Streams Read(const ScanPlan& plan, FileGroupOptions groups,
                      const ReadFileGroupsOptions& options = {}) {
    return ReadFileGroups(plan, MakeFileGroups(plan, groups).ValueOrDie(), options).ValueOrDie();
  }
  static void Append(const arrow::RecordBatch& batch, std::vector<int64_t>* out) {
    const auto& x = static_cast<const arrow::Int64Array&>(*batch.GetColumnByName("x"));
    for (int64_t i = 0; i < x.length(); ++i) out->push_back(x.Value(i));
  }
  static std::vector<int64_t> Rest(BatchStream& stream) {
    std::vector<int64_t> out;
    while (auto batch = stream.Next().ValueOrDie()) Append(*batch, &out);
    return out;
  }
  static std::vector<int64_t> CountingUp(int64_t n) {
    std::vector<int64_t> out(n);
    std::iota(out.begin(), out.end(), 0);
    return out;
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(GroupStreams, EachRowIsInOneStreamHoweverFastItsConsumerIs) {
  const auto plan = Numbers(12);
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    ReadFileGroupsOptions options;
    options.scan.workers = round % 3;
    options.scan.ordered = random() % 2 == 0;
    options.scan.batch_rows = 1 + static_cast<int64_t>(random() % 60);
    options.scan.memory_budget = random() % 2 == 0 ? 1 : int64_t{1} << 26;
    options.file_stream_work_stealing = random() % 4 != 0;
    auto streams = Read(plan, {.target_partitions = 4}, options);
    ASSERT_EQ(streams.size(), 4u);
    std::mutex mutex;
    std::vector<int64_t> all;
    std::vector<std::thread> consumers;
    for (auto& stream : streams) {
      const auto delay = std::chrono::microseconds(random() % 3 == 0 ? 200 : 0);
      consumers.emplace_back([&, delay] {
        std::vector<int64_t> rows;
        while (auto batch = stream->Next().ValueOrDie()) {
          Append(*batch, &rows);
          std::this_thread::sleep_for(delay);
        }
        std::lock_guard lock(mutex);
        all.insert(all.end(), rows.begin(), rows.end());
      });
    }
    for (auto& consumer : consumers) consumer.join();
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all, CountingUp(1200)) << "round " << round;
  }
}

TEST_F(GroupStreams, BatchesOfEachStreamAreInDatasetOrder) {
  const auto plan = Numbers(9);
  const auto in_order = Rest(*BatchStream::Make(plan).ValueOrDie());
  std::vector<int64_t> place(in_order.size());
  for (size_t i = 0; i < in_order.size(); ++i) place[in_order[i]] = static_cast<int64_t>(i);
  for (int workers : {0, 2}) {
    ReadFileGroupsOptions options;
    options.scan.workers = workers;
    options.scan.batch_rows = 7;
    auto streams = Read(plan, {.target_partitions = 3}, options);
    std::vector<std::thread> consumers;
    for (auto& stream : streams) {
      consumers.emplace_back([&] {
        std::vector<int64_t> places;
        for (int64_t x : Rest(*stream)) places.push_back(place[x]);
        EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
      });
    }
    for (auto& consumer : consumers) consumer.join();
  }
}

TEST_F(GroupStreams, AnIdleConsumerTakesAllThatNobodyElseAsksFor) {
  const auto plan = Numbers(6);
  for (int workers : {0, 2}) {
    ReadFileGroupsOptions options;
    options.scan.workers = workers;
    auto streams = Read(plan, {.target_partitions = 3}, options);
    auto rows = Rest(*streams[2]);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, CountingUp(600));
    // The reading is at its end for all.
    EXPECT_EQ(streams[0]->Next().ValueOrDie(), nullptr);
    EXPECT_EQ(streams[2]->metrics().rows_returned, 600);
    EXPECT_EQ(streams[0]->metrics().rows_returned, 0);
    EXPECT_EQ(streams[0]->metrics().rows_decoded, 600);
  }
}

TEST_F(GroupStreams, WithoutStealingEachStreamIsItsGroup) {
  const auto plan = Numbers(6);
  ReadFileGroupsOptions options;
  options.file_stream_work_stealing = false;
  const auto groups = MakeFileGroups(plan, {.target_partitions = 3}).ValueOrDie();
  auto streams = ReadFileGroups(plan, groups, options).ValueOrDie();
  for (size_t g = 0; g < streams.size(); ++g) {
    EXPECT_EQ(Rest(*streams[g]),
              Rest(*BatchStream::Make(PartOf(plan, groups.groups[g].fragments)).ValueOrDie()));
  }
}

TEST_F(GroupStreams, WhatIsDeclaredIsNeverStolen) {
  const auto plan = Numbers(6);
  FileGroupOptions by_values{.target_partitions = 3, .preserve_file_partitions = 1};
  FileGroupOptions by_order{.target_partitions = 3};
  by_order.split_file_groups_by_statistics = true;
  for (const auto& how : {by_values, by_order}) {
    const auto groups = MakeFileGroups(plan, how).ValueOrDie();
    ASSERT_TRUE(groups.by_partition_values || !groups.output_ordering.empty());
    auto streams = ReadFileGroups(plan, groups).ValueOrDie();
    for (size_t g = 0; g < streams.size(); ++g) {
      EXPECT_EQ(Rest(*streams[g]),
                Rest(*BatchStream::Make(PartOf(plan, groups.groups[g].fragments)).ValueOrDie()));
    }
  }
  ReadFileGroupsOptions unordered;
  unordered.scan.ordered = false;
  const auto refused =
      ReadFileGroups(plan, MakeFileGroups(plan, by_order).ValueOrDie(), unordered).status();
  EXPECT_NE(refused.message().find("ordered is false"), std::string::npos) << refused;
}

TEST_F(GroupStreams, AStreamThatIsClosedKeepsNothingFromTheOthers) {
  const auto plan = Numbers(10, 10);
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    ReadFileGroupsOptions options;
    options.scan.workers = round % 3;
    options.scan.batch_rows = 8;
    auto streams = Read(plan, {.target_partitions = 4}, options);
    std::mutex mutex;
    std::vector<int64_t> all;
    std::vector<std::thread> consumers;
    for (size_t i = 0; i < streams.size(); ++i) {
      // One goes on to the end; the others leave after some batches, one of them in mid-wait.
      const int batches = i == 0 ? 1 << 20 : static_cast<int>(random() % 10);
      consumers.emplace_back([&, i, batches] {
        std::vector<int64_t> rows;
        for (int b = 0; b < batches; ++b) {
          auto batch = streams[i]->Next();
          if (!batch.ok()) {
            EXPECT_TRUE(batch.status().IsCancelled()) << batch.status();
            break;
          }
          if (!*batch) break;
          Append(**batch, &rows);
        }
        if (i > 0) streams[i].reset();
        std::lock_guard lock(mutex);
        all.insert(all.end(), rows.begin(), rows.end());
      });
    }
    for (auto& consumer : consumers) consumer.join();
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all, CountingUp(1000)) << "round " << round;
  }
}

TEST_F(GroupStreams, ClosingOneEndsItsWaitAndNoOther) {
  auto plan = Numbers(2, 100);
  auto behaviour = std::make_shared<read::StoreBehaviour>();
  const std::string root = directory_.path();
  for (auto& fragment : plan.fragments) fragment.path.erase(0, root.size() + 1);
  behaviour->hanging_path = plan.fragments[0].path;
  plan.filesystem = std::make_shared<read::ObservedFilesystem>(root, behaviour);
  auto streams = Read(plan, {.target_partitions = 2});
  ASSERT_EQ(streams.size(), 2u);
  auto first = std::async(std::launch::async, [&] { return streams[0]->Next().status(); });
  auto second = std::async(std::launch::async, [&] { return Rest(*streams[1]); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  streams[0]->Close();
  EXPECT_TRUE(first.get().IsCancelled());
  EXPECT_TRUE(streams[0]->Next().status().IsCancelled());
  behaviour->Release();
  EXPECT_EQ(second.get(), CountingUp(200));
}

TEST_F(GroupStreams, AnErrorIsEveryStreams) {
  const auto plan = Numbers(4);
  std::filesystem::remove(plan.fragments[3].path);
  for (bool stealing : {true, false}) {
    ReadFileGroupsOptions options;
    options.file_stream_work_stealing = stealing;
    auto streams = Read(plan, {.target_partitions = 2}, options);
    int failed = 0;
    for (auto& stream : streams) {
      while (true) {
        auto batch = stream->Next();
        if (batch.ok() && *batch) continue;
        failed += !batch.ok();
        break;
      }
    }
    EXPECT_EQ(failed, stealing ? 2 : 1);
  }
}

TEST_F(GroupStreams, StoppingEndsAll) {
  const auto plan = Numbers(4);
  arrow::StopSource stop;
  ReadFileGroupsOptions options;
  options.scan.stop = stop.token();
  auto streams = Read(plan, {.target_partitions = 2}, options);
  stop.RequestStop();
  for (auto& stream : streams) {
    auto batch = stream->Next();
    while (batch.ok() && *batch) batch = stream->Next();
    EXPECT_TRUE(batch.status().IsCancelled()) << batch.status();
  }
}

TEST_F(GroupStreams, ALimitIsThatOfTheWhole) {
  ScanRequest request;
  request.limit = 150;
  request.offset = 20;
  const auto plan = Numbers(6, 30, request);
  auto streams = Read(plan, {.target_partitions = 3});
  std::set<int64_t> rows;
  for (auto& stream : streams) {
    for (int64_t x : Rest(*stream)) EXPECT_TRUE(rows.insert(x).second);
  }
  EXPECT_EQ(rows.size(), 170u);
}

TEST_F(GroupStreams, AFileThatGroupsShareIsOpenedOnce) {
  const auto plan = Numbers(1, 10);
  auto streams = Read(plan, {.target_partitions = 5, .repartition_file_min_size = 0});
  EXPECT_EQ(streams.size(), 5u);
  EXPECT_EQ(Rest(*streams[0]).size(), 100u);
  EXPECT_EQ(streams[0]->metrics().files_opened, 1);
}

TEST_F(GroupStreams, NoGroupsAreNoStreams) {
  const auto plan = Numbers(2);
  EXPECT_TRUE(ReadFileGroups(plan, {}).ValueOrDie().empty());
}

}  // namespace
}  // namespace shoal
