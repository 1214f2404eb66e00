// What the listing cache saves, and when it does not answer.
#include "list/listing_cache.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/listing.h>

#include "support/scripted_filesystem.h"

namespace shoal {
namespace {

using testing::Call;
using testing::ScriptedFileSystem;
using Paths = std::vector<std::string>;

constexpr std::chrono::milliseconds kLong = std::chrono::hours(1);

class RememberedListings : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ForgetListings();
    for (int a = 0; a < 6; ++a) {
      for (int b = 0; b < 4; ++b) Create("root/a=" + std::to_string(a) + "/b=" + std::to_string(b));
    }
    filesystem_->ResetCounts();
  }
  void TearDown() override {
    SetListingCacheLimit(int64_t{64} << 20);
    ForgetListings();
  }

  void Create(const std::string& directory) {
    for (const char* name : {"/f.parquet", "/g.parquet"})
      ASSERT_TRUE(filesystem_->CreateFile(directory + name).ok());
  }

  struct Listed {
    Paths paths;
    ListingReport report;
    int64_t calls = 0;  // lists and looks
  };
  Listed List(const std::string& source, ListingCacheUse use = {kLong}, ListOptions options = {}) {
    filesystem_->ResetCounts();
    Listed out;
    options.partitioning = MakeHivePartitioning();
    auto made = MakeListingSource({source}, filesystem_, use).ValueOrDie();
    auto report = made->List(options, [&](FileTable page) -> arrow::Result<bool> {
      for (int64_t i = 0; i < page.num_files(); ++i) out.paths.push_back(page.path(i));
      return true;
    });
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    if (report.ok()) out.report = *report;
    out.calls = filesystem_->counts().lists() + filesystem_->counts().stat;
    return out;
  }

  const std::shared_ptr<ScriptedFileSystem> filesystem_ = ScriptedFileSystem::InMemory(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Stores, RememberedListings, ::testing::Values("scripted", "s3", "gcs"));

TEST_P(RememberedListings, AreOffUnlessAskedFor) {
  const auto first = List("root", {});
  EXPECT_EQ(first.paths.size(), 48);
  EXPECT_EQ(List("root", {}).calls, first.calls);
  // And who does not ask feeds nothing.
  EXPECT_EQ(List("root").calls, first.calls);
  EXPECT_EQ(List("root", {}).calls, first.calls);
}

TEST_P(RememberedListings, AnswerTheSameQuestionWithoutAnyList) {
  const auto first = List("root");
  EXPECT_GT(first.report.directories_listed, 0);
  EXPECT_EQ(first.report.directories_cached, 0);
  const auto second = List("root");
  EXPECT_EQ(second.paths, first.paths);
  EXPECT_EQ(second.calls, 0);
  EXPECT_EQ(second.report.directories_listed, 0);
  EXPECT_GT(second.report.directories_cached, 0);
  EXPECT_EQ(second.report.files, 48);
}

TEST_P(RememberedListings, OfAWholeTableAnswerForAFolderInIt) {
  List("root");
  const auto folder = List("root/a=3");
  EXPECT_EQ(folder.paths.size(), 8);
  EXPECT_EQ(folder.paths.front(), "root/a=3/b=0/f.parquet");
  EXPECT_EQ(folder.calls, 0);
  const auto glob = List("root/a=[12]/b=0/g*");
  EXPECT_EQ(glob.paths, (Paths{"root/a=1/b=0/g.parquet", "root/a=2/b=0/g.parquet"}));
  EXPECT_EQ(filesystem_->counts().lists(), 0);
}

TEST_P(RememberedListings, OfAFolderLeaveTheRestOfTheTableToBeListed) {
  List("root/a=3");
  const auto whole = List("root");
  EXPECT_EQ(whole.paths.size(), 48);
  EXPECT_GT(whole.calls, 0);
}

TEST_P(RememberedListings, AnswerUnderOtherOptions) {
  List("root");
  ListOptions options;
  options.ignore_prefixes = {"f"};
  const auto fewer = List("root", {kLong}, options);
  EXPECT_EQ(fewer.paths.size(), 24);
  EXPECT_EQ(fewer.report[ListingIssue::kHidden].count, 24);
  EXPECT_EQ(fewer.calls, 0);
}

TEST_P(RememberedListings, AreBelievedUntilTheirTimeIsOver) {
  List("root");
  Create("root/a=9/b=9");
  EXPECT_EQ(List("root").paths.size(), 48);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // The one who asks says how old an answer may be.
  EXPECT_EQ(List("root", {std::chrono::milliseconds(10)}).paths.size(), 50);
}

TEST_P(RememberedListings, FromBeforeARefreshAreNotBelieved) {
  List("root");
  Create("root/a=9/b=9");
  const ListingCacheUse refreshed{kLong, std::chrono::steady_clock::now()};
  EXPECT_EQ(List("root", refreshed).paths.size(), 50);
  const auto later = List("root");
  EXPECT_EQ(later.paths.size(), 50);
  EXPECT_EQ(later.calls, 0);
}

TEST_P(RememberedListings, CanBeForgotten) {
  const auto calls = List("root").calls;
  Create("root/a=1/b=9");
  ForgetListings("root/a=1");
  const auto some = List("root");
  EXPECT_EQ(some.paths.size(), 50);
  EXPECT_GT(some.calls, 0);
  ForgetListings("root/a");  // no directory, but the beginning of some names
  EXPECT_EQ(List("root").calls, 0);
  ForgetListings();
  EXPECT_GE(List("root").calls, calls);
}

TEST_P(RememberedListings, AreOfOneFilesystem) {
  List("root");
  auto other = ScriptedFileSystem::InMemory(GetParam());
  ASSERT_TRUE(other->CreateFile("root/only.parquet").ok());
  Paths paths;
  auto source = MakeListingSource({"root"}, other, {kLong}).ValueOrDie();
  ASSERT_TRUE(source
                  ->List({},
                         [&](FileTable page) -> arrow::Result<bool> {
                           paths.push_back(page.path(0));
                           return true;
                         })
                  .ok());
  EXPECT_EQ(paths, Paths{"root/only.parquet"});
}

TEST_P(RememberedListings, StayWithinTheirBytes) {
  SetListingCacheLimit(1000);
  const auto first = List("root");
  EXPECT_EQ(List("root").paths, first.paths);
  EXPECT_GT(List("root").calls, 0);
  SetListingCacheLimit(0);
  EXPECT_EQ(List("root").calls, first.calls);
}

TEST_P(RememberedListings, DoNotHoldErrorsOrWhatIsNotThere) {
  auto missing = MakeListingSource({"nowhere"}, filesystem_, {kLong}).ValueOrDie();
  const auto ignore = [](FileTable) -> arrow::Result<bool> { return true; };
  EXPECT_FALSE(missing->List({}, ignore).ok());
  Create("nowhere");
  EXPECT_TRUE(missing->List({}, ignore).ok());

  const auto failing = std::string(GetParam()) == "gcs" ? Call::kListRecursive : Call::kList;
  filesystem_->Fail(failing, "root", arrow::Status::IOError("not now"));
  auto source = MakeListingSource({"root"}, filesystem_, {kLong}).ValueOrDie();
  EXPECT_FALSE(source->List({}, ignore).ok());
  filesystem_->Fail(failing, "root", arrow::Status::OK());
  EXPECT_TRUE(source->List({}, ignore).ok());
}

}  // namespace
}  // namespace shoal
