// What listing asks of a store, and how it takes its answers.
#include <shoal/listing.h>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <arrow/util/io_util.h>

#include "support/key_filters.h"
#include "support/scripted_filesystem.h"

namespace shoal {
namespace {

using testing::Call;
using testing::Is;
using testing::KeyTest;
using testing::ScriptedFileSystem;
using testing::Where;
using testing::WhereEqual;
using Paths = std::vector<std::string>;

struct Listed {
  FileTable files;
  ListingReport report;
};

arrow::Result<Listed> List(const std::shared_ptr<ScriptedFileSystem>& filesystem,
                           const Paths& sources, const ListOptions& options) {
  Listed out;
  ARROW_ASSIGN_OR_RAISE(auto source, MakeListingSource(sources, filesystem));
  ARROW_ASSIGN_OR_RAISE(out.report,
                        source->List(options, [&](FileTable page) -> arrow::Result<bool> {
                          out.files.Append(page);
                          return true;
                        }));
  return out;
}

Paths PathsOf(const FileTable& files) {
  Paths out;
  for (int64_t i = 0; i < files.num_files(); ++i) out.push_back(files.path(i));
  return out;
}

ListOptions Hive() {
  ListOptions options;
  options.partitioning = MakeHivePartitioning();
  return options;
}

// a × b × files.
std::shared_ptr<ScriptedFileSystem> Tree(int a, int b, int files,
                                         const std::string& type_name = "scripted") {
  auto filesystem = ScriptedFileSystem::InMemory(type_name);
  for (int i = 0; i < a; ++i) {
    for (int j = 0; j < b; ++j) {
      for (int k = 0; k < files; ++k) {
        EXPECT_TRUE(filesystem
                        ->CreateFile("root/a=" + std::to_string(i) + "/b=" + std::to_string(j) +
                                     "/f" + std::to_string(k) + ".parquet")
                        .ok());
      }
    }
  }
  return filesystem;
}

TEST(RemoteListing, MakingASourceTouchesNoStore) {
  auto filesystem = Tree(1, 1, 1);
  filesystem->ResetCounts();
  ASSERT_TRUE(MakeListingSource({"root", "root/*/x"}, filesystem).ok());
  EXPECT_TRUE(filesystem->log().empty());
}

TEST(RemoteListing, OnlySurvivingDirectoriesAreListed) {
  for (const char* type : {"scripted", "s3"}) {
    auto filesystem = Tree(20, 20, 5, type);
    filesystem->ResetCounts();
    ListOptions options = Hive();
    options.directory_filter = Where({{"a", Is("3")}, {"b", Is("7")}});
    const auto listed = List(filesystem, {"root/"}, options).ValueOrDie();
    EXPECT_EQ(listed.files.num_files(), 5);
    EXPECT_EQ(listed.files.path(0), "root/a=3/b=7/f0.parquet");
    EXPECT_LE(filesystem->counts().lists(), 3) << type;
    EXPECT_EQ(filesystem->counts().stat, 0);
    EXPECT_EQ(listed.report.directories_pruned, 38);
  }
}

TEST(RemoteListing, AnyFilterOverKeysPrunesLevelByLevel) {
  auto filesystem = Tree(20, 20, 1);
  filesystem->ResetCounts();
  ListOptions options = Hive();
  options.directory_filter =
      Where({{"a", [](const auto& value) { return value == "1" || value == "2"; }}});
  EXPECT_EQ(List(filesystem, {"root"}, options)->files.num_files(), 40);
  EXPECT_EQ(filesystem->counts().lists(), 1 + 2 + 40);
  // The second level alone: all of the first has to be listed.
  filesystem->ResetCounts();
  options.directory_filter = Where({{"b", Is("7")}});
  EXPECT_EQ(List(filesystem, {"root"}, options)->files.num_files(), 20);
  EXPECT_EQ(filesystem->counts().lists(), 1 + 20 + 20);
}

TEST(RemoteListing, TheListingThatFindsTheSourceIsWhereTheWalkGoesOn) {
  for (const char* type : {"scripted", "s3"}) {
    auto filesystem = ScriptedFileSystem::InMemory(type);
    for (const char* path : {"root/x/1/f.parquet", "root/x/2/f.parquet", "root/y/1/f.parquet",
                             "root/_x/1/f.parquet", "root/z/f.parquet"}) {
      ASSERT_TRUE(filesystem->CreateFile(path).ok());
    }
    struct Expected {
      std::vector<PartitionKey> values;
      bool decode;
      Paths files;
      int lists;
    };
    const Expected cases[] = {
        {{{"k", "x"}, {"j", "1"}}, false, {"root/x/1/f.parquet"}, 3},
        {{{"k", "x"}}, false, {"root/x/1/f.parquet", "root/x/2/f.parquet"}, 4},
        {{{"j", "1"}}, false, {"root/x/1/f.parquet", "root/y/1/f.parquet"}, 6},
        {{{"k", "x"}, {"j", "1"}}, true, {"root/x/1/f.parquet"}, 3},
        {{{"k", "_x"}}, false, {}, 1},
        {{{"k", "absent"}}, false, {}, 1},
        {{{"k", ".."}}, false, {}, 1},
        {{{"k", "z"}}, false, {}, 2},
    };
    for (const Expected& expected : cases) {
      filesystem->ResetCounts();
      ListOptions options;
      options.partitioning = MakeDirectoryPartitioning(
          {.field_names = {"k", "j"}, .declared = nullptr, .percent_decode = expected.decode});
      options.key_values = expected.values;
      options.directory_filter = WhereEqual(expected.values);
      const auto listed = List(filesystem, {"root/"}, options).ValueOrDie();
      const std::string what = expected.values[0].name + "=" + *expected.values[0].value;
      EXPECT_EQ(PathsOf(listed.files), expected.files) << what;
      EXPECT_LE(filesystem->counts().lists(), expected.lists) << what;
      EXPECT_EQ(filesystem->counts().stat, 0) << what;
    }
    ListOptions options;
    options.partitioning = MakeDirectoryPartitioning(
        {.field_names = {"k"}, .declared = nullptr, .percent_decode = false});
    options.key_values = {{"k", "x"}};
    EXPECT_FALSE(List(filesystem, {"absent/"}, options).ok()) << "a source that is not there";
  }
}

TEST(RemoteListing, FilesAreFilteredByTheirKeys) {
  auto filesystem = ScriptedFileSystem::InMemory();
  ASSERT_TRUE(filesystem->CreateFile("root/x.parquet").ok());
  ASSERT_TRUE(filesystem->CreateFile("root/k=1/y.parquet").ok());
  ListOptions options = Hive();
  options.file_filter = [](const KeyTable& keys) -> arrow::Result<std::vector<bool>> {
    const KeyColumn* column = keys.Find("k");
    std::vector<bool> keep(keys.num_rows, false);
    for (int64_t i = 0; column != nullptr && i < keys.num_rows; ++i)
      keep[i] = column->index[i] != KeyColumn::kAbsent;
    return keep;
  };
  const auto listed = List(filesystem, {"root"}, options).ValueOrDie();
  EXPECT_EQ(PathsOf(listed.files), (Paths{"root/k=1/y.parquet"}));
  EXPECT_EQ(listed.report.files_pruned, 1);
  options.file_filter = [](const KeyTable&) -> arrow::Result<std::vector<bool>> {
    return std::vector<bool>{};
  };
  EXPECT_TRUE(List(filesystem, {"root"}, options).status().IsInvalid());
}

TEST(RemoteListing, ListingTellsSizesSoNoFileIsLookedAt) {
  auto filesystem = Tree(3, 3, 2);
  filesystem->ResetCounts();
  ListOptions options = Hive();
  options.need_size = true;
  const auto listed = List(filesystem, {"root"}, options).ValueOrDie();
  EXPECT_EQ(listed.files.num_files(), 18);
  EXPECT_EQ(listed.files.version(0).size, 4);
  EXPECT_EQ(filesystem->counts().stat, 0);
}

TEST(RemoteListing, ASingleFileTakesOneLook) {
  for (const char* type : {"scripted", "s3"}) {
    auto filesystem = Tree(1, 1, 1, type);
    filesystem->ResetCounts();
    const auto listed = List(filesystem, {"root/a=0/b=0/f0.parquet"}, Hive()).ValueOrDie();
    EXPECT_EQ(listed.files.num_files(), 1);
    EXPECT_EQ(listed.files.version(0).size, 4);
    EXPECT_EQ(filesystem->counts().stat, 1);
    EXPECT_EQ(filesystem->counts().lists(), 0);
  }
}

TEST(RemoteListing, ObjectStoresAreListedBeforeTheyAreLookedAt) {
  auto filesystem = ScriptedFileSystem::InMemory("s3");
  ASSERT_TRUE(filesystem->CreateFile("bucket/table/f.parquet").ok());
  ASSERT_TRUE(filesystem->CreateFile("bucket/noextension").ok());
  filesystem->ResetCounts();
  EXPECT_EQ(List(filesystem, {"bucket/table"}, Hive())->files.num_files(), 1);
  EXPECT_EQ(filesystem->counts().stat, 0);
  EXPECT_EQ(filesystem->counts().lists(), 1);
  filesystem->ResetCounts();
  EXPECT_EQ(List(filesystem, {"bucket/table/*.parquet"}, Hive())->files.num_files(), 1);
  EXPECT_EQ(filesystem->counts().stat, 0);
  EXPECT_EQ(filesystem->counts().lists(), 1);
  const auto status = List(filesystem, {"bucket/absent"}, Hive()).status();
  EXPECT_EQ(arrow::internal::ErrnoFromStatus(status), ENOENT) << status.ToString();
  EXPECT_NE(status.message().find("bucket/absent"), std::string::npos);
}

TEST(RemoteListing, AGlobThatExistsAsAnObjectIsTakenLiterally) {
  auto filesystem = ScriptedFileSystem::InMemory("s3");
  ASSERT_TRUE(filesystem->CreateFile("bucket/a[1].parquet").ok());
  ASSERT_TRUE(filesystem->CreateFile("bucket/a1.parquet").ok());
  filesystem->ResetCounts();
  EXPECT_EQ(PathsOf(List(filesystem, {"bucket/a[1].parquet"}, Hive())->files),
            (Paths{"bucket/a[1].parquet"}));
  EXPECT_EQ(filesystem->counts().stat, 1);
  EXPECT_EQ(PathsOf(List(filesystem, {"bucket/a[0-9].parquet"}, Hive())->files),
            (Paths{"bucket/a1.parquet"}));
}

TEST(RemoteListing, UnfilteredObjectStoresAreReadBySubtrees) {
  auto filesystem = Tree(30, 20, 2, "s3");
  filesystem->ResetCounts();
  const auto listed = List(filesystem, {"root"}, Hive()).ValueOrDie();
  EXPECT_EQ(listed.files.num_files(), 30 * 20 * 2);
  EXPECT_TRUE(listed.report.recursive);
  EXPECT_EQ(filesystem->counts().list, 1);
  EXPECT_EQ(filesystem->counts().list_recursive, 30);
  EXPECT_EQ(listed.files.keys().Find("b")->distinct.size(), 20u);
  // The same files, keys and order as a walk gives.
  const auto walked = List(Tree(30, 20, 2), {"root"}, Hive()).ValueOrDie();
  EXPECT_EQ(PathsOf(listed.files), PathsOf(walked.files));
  for (int64_t i = 0; i < walked.files.num_files(); ++i)
    EXPECT_EQ(listed.files.KeysOf(i), walked.files.KeysOf(i));
}

TEST(RemoteListing, StoresThatDoNotShowFoldersAreListedWhole) {
  auto filesystem = Tree(3, 3, 2, "gcs");
  filesystem->ResetCounts();
  ListOptions options = Hive();
  options.directory_filter = Where({{"a", Is("1")}});
  const auto listed = List(filesystem, {"root"}, options).ValueOrDie();
  EXPECT_EQ(listed.files.num_files(), 6);
  EXPECT_EQ(filesystem->counts().list_recursive, 1);
  EXPECT_EQ(filesystem->counts().list, 0);
  EXPECT_EQ(List(filesystem, {"root/a=2/*/f1.parquet"}, Hive())->files.num_files(), 3);
}

TEST(RemoteListing, MarkersAndEmptyObjectsAreReported) {
  auto filesystem = ScriptedFileSystem::InMemory("s3");
  ASSERT_TRUE(filesystem->CreateFile("root/sub/f.parquet").ok());
  ASSERT_TRUE(filesystem->CreateFile("root/sub_$folder$", "").ok());
  ASSERT_TRUE(filesystem->CreateFile("root/empty.parquet", "").ok());
  const auto listed = List(filesystem, {"root"}, Hive()).ValueOrDie();
  EXPECT_EQ(PathsOf(listed.files), (Paths{"root/sub/f.parquet"}));
  EXPECT_EQ(listed.report[ListingIssue::kDirectoryMarker].examples, (Paths{"root/sub_$folder$"}));
  EXPECT_EQ(listed.report[ListingIssue::kZeroByte].examples, (Paths{"root/empty.parquet"}));
}

TEST(RemoteListing, RequestsRunConcurrentlyUnderABound) {
  auto filesystem = Tree(40, 1, 1);
  filesystem->Delay(Call::kList, "", std::chrono::milliseconds(5));
  ListOptions options = Hive();
  options.list_concurrency = 8;
  filesystem->ResetCounts();
  EXPECT_EQ(List(filesystem, {"root"}, options)->files.num_files(), 40);
  EXPECT_LE(filesystem->counts().most_in_flight, 8);
  EXPECT_GT(filesystem->counts().most_in_flight, 4);
}

TEST(RemoteListing, AListingIsNeverHalfAnAnswer) {
  auto filesystem = Tree(4, 4, 1);
  filesystem->Fail(Call::kList, "root/a=2/b=3", arrow::Status::IOError("access denied"));
  const auto status = List(filesystem, {"root"}, Hive()).status();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_NE(status.message().find("root/a=2/b=3"), std::string::npos) << status.ToString();
  EXPECT_NE(status.message().find("access denied"), std::string::npos);
  filesystem->Fail(Call::kList, "root", arrow::Status::IOError("no such host"));
  EXPECT_NE(List(filesystem, {"root"}, Hive()).status().message().find("no such host"),
            std::string::npos);
}

TEST(RemoteListing, AStopDoesNotWaitForAStoreThatHangs) {
  auto filesystem = Tree(4, 4, 1);
  filesystem->Delay(Call::kList, "root/a=1", std::chrono::milliseconds(3000));
  arrow::StopSource stop;
  ListOptions options = Hive();
  options.stop = stop.token();
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.RequestStop();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(List(filesystem, {"root"}, options).status().IsCancelled());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1000));
  stopper.join();
}

TEST(RemoteListing, AnEarlyEndCostsFewRequests) {
  auto filesystem = Tree(100, 10, 1);
  filesystem->ResetCounts();
  const auto source = MakeListingSource({"root"}, filesystem).ValueOrDie();
  const auto report =
      source->List(Hive(), [](FileTable) -> arrow::Result<bool> { return false; }).ValueOrDie();
  EXPECT_FALSE(report.complete);
  EXPECT_LE(filesystem->counts().lists(), 1 + 4 + 16);
}

TEST(RemoteListing, ASampleCostsFewRequests) {
  auto filesystem = Tree(50, 20, 1);
  filesystem->ResetCounts();
  const auto sample =
      MakeListingSource({"root"}, filesystem).ValueOrDie()->Sample(Hive(), 10).ValueOrDie();
  EXPECT_EQ(sample.files.num_files(), 10);
  EXPECT_FALSE(sample.complete);
  EXPECT_LE(filesystem->counts().lists(), 1 + 11 + 11);  // one more to know that there are more

  auto wide = Tree(50, 20, 12);
  wide->ResetCounts();
  const auto of_wide =
      MakeListingSource({"root"}, wide).ValueOrDie()->Sample(Hive(), 40).ValueOrDie();
  EXPECT_EQ(of_wide.files.num_files(), 40);
  EXPECT_EQ(of_wide.files.keys().columns[0].distinct.size(), 10u) << "spread over the tree";
  EXPECT_LE(wide->counts().lists(), 1 + 10 + 10);
}

TEST(FileTable, SelectLeavesNoTraceOfWhatItDrops) {
  FileTable files;
  const int32_t a = files.AddDirectory("a/", {{"k", "1"}});
  files.AddDirectory("b/", {{"unused", "x"}});
  const int32_t c = files.AddDirectory("c/", {{"k", "2"}, {"j", std::nullopt}});
  files.AddFile(a, "f", {1, 2});
  files.AddFile(a, "g", {3, 4}, {{"n", "own"}});
  files.AddFile(c, "h", {5, 6});
  EXPECT_EQ(files.keys().Find("unused"), nullptr);
  const FileTable kept = files.Select({false, false, true});
  ASSERT_EQ(kept.num_files(), 1);
  EXPECT_EQ(kept.path(0), "c/h");
  EXPECT_EQ(kept.version(0).size, 5);
  EXPECT_EQ(kept.keys().Find("n"), nullptr);
  EXPECT_EQ(kept.keys().Find("k")->distinct.size(), 1u);
  EXPECT_EQ(kept.KeysOf(0), (std::vector<PartitionKey>{{"k", "2"}, {"j", std::nullopt}}));
}

TEST(FileTable, PagesAppendToTheSameTable) {
  FileTable all, first, second;
  first.AddFile(first.AddDirectory("a/", {{"k", "2"}}), "f", {1, 1});
  const int32_t b = second.AddDirectory("b/", {{"j", "9"}, {"k", "1"}});
  second.AddFile(b, "g", {2, 2});
  second.AddFile(b, "h", {3, 3}, {{"m", std::nullopt}});
  all.Append(first);
  all.Append(second);
  EXPECT_EQ(PathsOf(all), (Paths{"a/f", "b/g", "b/h"}));
  ASSERT_EQ(all.keys().columns.size(), 3u);
  EXPECT_EQ(all.keys().columns[0].name, "k");
  EXPECT_EQ(all.keys().Find("k")->index, (std::vector<int32_t>{0, 1, 1}));
  EXPECT_EQ(all.keys().Find("m")->index, (std::vector<int32_t>{-1, -1, 0}));
  // Appending goes on behind a page.
  all.AddFile(all.AddDirectory("c/", {{"k", "2"}}), "i", {4, 4});
  EXPECT_EQ(all.keys().Find("k")->index.back(), 0);
  EXPECT_EQ(all.keys().num_rows, 4);
}

TEST(ListingReport, IssuesHaveNamesBothWays) {
  for (int i = 0; i < kNumListingIssues; ++i) {
    const auto issue = static_cast<ListingIssue>(i);
    EXPECT_EQ(ParseListingIssue(ToString(issue)).ValueOrDie(), issue);
  }
  EXPECT_NE(ParseListingIssue("nonsense").status().message().find("zero_byte"), std::string::npos);
}

}  // namespace
}  // namespace shoal
