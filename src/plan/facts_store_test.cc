// Facts kept on disk: they answer for the file they were read from, and for no other, whatever
// happens to the bytes.
#include "plan/facts_store.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arrow/compute/initialize.h>
#include <arrow/filesystem/localfs.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "formats/parquet/test_files.h"
#include "support/scripted_filesystem.h"
#include "temporary_directory.h"

namespace shoal::plan {
namespace {

namespace fs = std::filesystem;
using formats::parquet::Numbers;
using formats::parquet::OneColumn;
using formats::parquet::Properties;
using formats::parquet::WriteFile;

const bool kInitialized = arrow::compute::Initialize().ok();

std::string BytesOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Replace(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class FactsOnDisk : public ::testing::Test {
 protected:
  fs::path root() const { return directory_.path() / "table"; }
  fs::path folder() const { return directory_.path() / "cache"; }

  /// A file that was changed so many seconds ago.
  void Write(const std::string& name, int64_t rows, int age = 100, int64_t row_group_rows = 100) {
    const auto path = root() / name;
    fs::create_directories(path.parent_path());
    Replace(path, WriteFile(*OneColumn(Numbers(0, rows)), row_group_rows, Properties().build()));
    Age(path, age);
  }
  static void Age(const fs::path& path, int seconds) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  std::shared_ptr<Dataset> Open(int64_t limit = int64_t{1} << 30) const {
    OpenOptions options;
    options.cache = folder();
    options.cache_limit = limit;
    options.inspect = 1;  // or all footers would be in memory before they are asked for
    return Dataset::Open({root()}, options).ValueOrDie();
  }
  /// The one file in the folder.
  fs::path Only() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder())) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1);
    return found.at(0);
  }
  int64_t Rows() const { return Open()->Count().ValueOrDie(); }
  /// How many footers a plan reads and takes from the cache.
  std::pair<int64_t, int64_t> ReadAndCached() const {
    const auto plan = Open()->Plan({}).ValueOrDie();
    return {plan.prune.footers_read, plan.prune.footers_cached};
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(FactsOnDisk, AnswerALaterDatasetWithoutReadingFooters) {
  for (int i = 0; i < 20; ++i) Write("f" + std::to_string(i) + ".parquet", 10 + i);
  const auto first = Open();
  EXPECT_EQ(first->Count().ValueOrDie(), 390);
  EXPECT_EQ(first->cache_report().files_added, 20);
  EXPECT_EQ(first->cache_report().files_used, 0);

  const auto second = Open();
  const auto plan = second->Plan({}).ValueOrDie();
  EXPECT_EQ(plan.prune.footers_read, 0);
  EXPECT_EQ(plan.prune.footers_cached, 20);
  EXPECT_EQ(plan.prune.metadata_bytes, 0);
  EXPECT_EQ(plan.statistics.num_rows.exact_value(), 390);
  EXPECT_EQ(second->cache_report().files_known, 20);
  EXPECT_EQ(second->cache_report().files_added, 0);
  EXPECT_GE(second->cache_report().files_used, 20);
  EXPECT_EQ(second->cache_report().problem, "");
}

TEST_F(FactsOnDisk, PruneAndReadAsFreshOnesDo) {
  for (int i = 0; i < 5; ++i) Write("f" + std::to_string(i) + ".parquet", 1000 * (i + 1));
  ScanRequest request;
  request.filter = ParseFilter("x >= 950 and x < 2050").ValueOrDie();
  const auto rows = [&](const Dataset& dataset) {
    auto stream = dataset.Scan(request).ValueOrDie();
    int64_t total = 0;
    while (auto batch = stream->Next().ValueOrDie()) total += batch->num_rows();
    return std::pair(total, stream->metrics());
  };
  const auto [fresh, before] = rows(*Open());
  const auto [kept, after] = rows(*Open());
  EXPECT_EQ(kept, fresh);
  EXPECT_EQ(after.row_groups_read, before.row_groups_read);
  EXPECT_EQ(after.row_groups_pruned, before.row_groups_pruned);
  EXPECT_EQ(after.footers_cached, 5);
  EXPECT_LT(after.bytes_read, before.bytes_read);
}

TEST_F(FactsOnDisk, AreNeverBelievedOfAChangedFile) {
  Write("a.parquet", 100, 100, 10);
  Write("b.parquet", 100, 100, 10);
  EXPECT_EQ(Rows(), 200);
  // As many bytes, other content.
  const auto path = root() / "a.parquet";
  const auto size = fs::file_size(path);
  std::string other = WriteFile(*OneColumn(Numbers(0, 30)), 100, Properties().build());
  ASSERT_LT(other.size(), size);
  const std::string magic = other.substr(0, 4);
  other = magic + std::string(size - other.size(), '\0') + other.substr(4);
  ASSERT_EQ(other.size(), size);
  Replace(path, other);
  Age(path, 50);
  EXPECT_EQ(Rows(), 130);
  EXPECT_EQ(Rows(), 130);
  EXPECT_EQ(ReadAndCached(), std::pair(int64_t{0}, int64_t{2}));
}

TEST_F(FactsOnDisk, AreNotKeptOfFilesThatWereChangedAMomentAgo) {
  Write("old.parquet", 10);
  Write("young.parquet", 10, /*age=*/0);
  EXPECT_EQ(Rows(), 20);
  EXPECT_EQ(ReadAndCached(), std::pair(int64_t{1}, int64_t{1}));
}

TEST_F(FactsOnDisk, OfAFileThatIsGoneAreNoFile) {
  Write("a.parquet", 10);
  Write("b.parquet", 20);
  EXPECT_EQ(Rows(), 30);
  fs::remove(root() / "a.parquet");
  EXPECT_EQ(Rows(), 20);
  // Listed, then gone: an error that names it, as without a cache.
  const auto dataset = Open();
  ASSERT_TRUE(dataset->files().ok());
  fs::remove(root() / "b.parquet");
  const auto counted = dataset->Count();
  ASSERT_FALSE(counted.ok());
  EXPECT_NE(counted.status().message().find("b.parquet"), std::string::npos);
}

TEST_F(FactsOnDisk, GrowByWhatIsNewAndKeepTheRest) {
  for (int i = 0; i < 10; ++i) Write("f" + std::to_string(i) + ".parquet", 10);
  EXPECT_EQ(Rows(), 100);
  for (int i = 0; i < 5; ++i) Write("e" + std::to_string(i) + ".parquet", 10);
  EXPECT_EQ(Rows(), 150);
  EXPECT_EQ(Open()->Plan({}).ValueOrDie().prune.footers_cached, 15);
}

TEST_F(FactsOnDisk, SurviveDamageOfAnyKindByBeingMadeAgain) {
  for (int i = 0; i < 8; ++i) Write("f" + std::to_string(i) + ".parquet", 10 * i);
  EXPECT_EQ(Rows(), 280);
  const auto file = Only();
  const std::string good = BytesOf(file);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string bad = good;
    const size_t at = random() % bad.size();
    if (round % 3 == 0) {
      bad.resize(at);
    } else if (round % 3 == 1) {
      bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    } else {
      bad += std::string(1 + random() % 100, 'x');
    }
    Replace(file, bad);
    ASSERT_EQ(Rows(), 280) << round;
    ASSERT_EQ(ReadAndCached(), std::pair(int64_t{0}, int64_t{8})) << round << ": made again";
  }
  for (const std::string& bad : {std::string(), std::string(64, '\0'), std::string(5000, 'y')}) {
    Replace(file, bad);
    EXPECT_EQ(Rows(), 280);
  }
}

TEST_F(FactsOnDisk, AreNotWaitedForWhereAPipeLiesInTheirPlace) {
  Write("a.parquet", 10);
  EXPECT_EQ(Rows(), 10);
  const fs::path path = Only();
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(Rows(), 10);
  EXPECT_EQ(ReadAndCached(), std::make_pair(int64_t{0}, int64_t{1}));
}

TEST_F(FactsOnDisk, OfAnotherDatasetAreForeign) {
  Write("f.parquet", 10);
  EXPECT_EQ(Rows(), 10);
  const std::string first = BytesOf(Only());
  const auto other = directory_.path() / "other";
  fs::create_directories(other);
  fs::copy(root() / "f.parquet", other / "f.parquet");
  OpenOptions options;
  options.cache = folder();
  const auto dataset = Dataset::Open({other}, options).ValueOrDie();
  EXPECT_EQ(dataset->Count().ValueOrDie(), 10);
  const fs::path path = dataset->cache_report().path;
  Replace(path, first);
  const auto again = Dataset::Open({other}, options).ValueOrDie();
  ASSERT_TRUE(again->schema().ok());
  EXPECT_EQ(again->cache_report().files_known, 0);
  EXPECT_NE(again->cache_report().problem.find("other files"), std::string::npos);
}

TEST_F(FactsOnDisk, CannotBeKeptInAFileAndThatIsSaidButCostsNoAnswer) {
  Write("f.parquet", 10);
  Replace(folder(), "a file where the folder should be");
  const auto dataset = Open();
  EXPECT_EQ(dataset->Count().ValueOrDie(), 10);
  EXPECT_NE(dataset->cache_report().problem.find(folder().string()), std::string::npos);
  EXPECT_EQ(dataset->cache_report().files_added, 0);
}

TEST_F(FactsOnDisk, OfAStoreSpareItAllRequestsButTheListing) {
  auto store = testing::ScriptedFileSystem::InMemory("s3");
  const std::string file = WriteFile(*OneColumn(Numbers(0, 10)), 100, Properties().build());
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(store->CreateFile("root/" + std::to_string(i) + ".parquet", file).ok());
  OpenOptions options;
  options.filesystem = store;
  options.cache = folder();
  EXPECT_EQ(Dataset::Open({"root"}, options).ValueOrDie()->Count().ValueOrDie(), 100);
  EXPECT_GT(store->counts().read, 0);
  store->ResetCounts();
  const auto dataset = Dataset::Open({"root"}, options).ValueOrDie();
  EXPECT_EQ(dataset->Count().ValueOrDie(), 100);
  EXPECT_EQ(store->counts().open_input_file, 0);
  EXPECT_EQ(store->counts().read, 0);
  EXPECT_EQ(store->counts().stat, 0);
  // A scan reads what is there now.
  auto stream = dataset->Scan({}).ValueOrDie();
  int64_t rows = 0;
  while (auto batch = stream->Next().ValueOrDie()) rows += batch->num_rows();
  EXPECT_EQ(rows, 100);
  EXPECT_EQ(stream->metrics().footers_cached, 0);
}

TEST_F(FactsOnDisk, StayWithinTheirBytes) {
  for (int i = 0; i < 200; ++i) Write("f" + std::to_string(1000 + i) + ".parquet", 500 + i, 100, 7);
  EXPECT_EQ(Open(40'000)->Count().ValueOrDie(), 200 * 500 + 199 * 100);
  EXPECT_LE(fs::file_size(Only()), 40'000);
  const auto dataset = Open(40'000);
  EXPECT_EQ(dataset->Count().ValueOrDie(), 200 * 500 + 199 * 100);
  EXPECT_GT(dataset->cache_report().files_used, 0);
  // No room for anything is a word, not an error.
  const auto tiny = Open(100);
  EXPECT_EQ(tiny->Count().ValueOrDie(), 200 * 500 + 199 * 100);
  EXPECT_NE(tiny->cache_report().problem, "");
}

TEST_F(FactsOnDisk, OfDatasetsUsedLongestAgoGoFirst) {
  std::vector<fs::path> paths;
  int64_t size = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "t" + std::to_string(i);
    for (int f = 0; f < 20; ++f) Write(name + "/" + std::to_string(f) + ".parquet", 100, 100, 5);
    OpenOptions options;
    options.cache = folder();
    if (i == 3) options.cache_limit = 3 * size + size / 2;
    const auto dataset = Dataset::Open({root() / name}, options).ValueOrDie();
    EXPECT_EQ(dataset->Count().ValueOrDie(), 2000);
    paths.push_back(dataset->cache_report().path);
    size = static_cast<int64_t>(fs::file_size(paths.back()));
    Age(paths.back(), i == 0 ? 1000 : 2000 + i);
  }
  EXPECT_TRUE(fs::exists(paths[0]));
  EXPECT_TRUE(fs::exists(paths[1]));
  EXPECT_FALSE(fs::exists(paths[2]));
  EXPECT_TRUE(fs::exists(paths[3]));
}

TEST_F(FactsOnDisk, AreWholeWhileProcessesReadAndWriteThem) {
  for (int i = 0; i < 30; ++i) Write("f" + std::to_string(i) + ".parquet", 10);
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int round = 0; round < 20; ++round) {
        std::error_code gone;
        if (c == 0)
          for (const auto& entry : fs::directory_iterator(folder(), gone))
            fs::remove(entry.path(), gone);
        OpenOptions options;
        options.cache = folder();
        ScanOptions alone;
        alone.workers = 0;
        auto dataset = Dataset::Open({root()}, options);
        if (!dataset.ok() ||
            (*dataset)->Count(arrow::compute::literal(true), alone).ValueOr(-1) != 300)
          ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Rows(), 300);
}

}  // namespace
}  // namespace shoal::plan
