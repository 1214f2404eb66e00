#include "store/access.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/aside.h"
#include "support/scripted_filesystem.h"

namespace shoal::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const auto kNever = arrow::StopToken::Unstoppable();
const auto kBusy = arrow::Status::IOError("AWS Error SLOW_DOWN during GetObject operation");

struct Store {
  std::shared_ptr<arrow::fs::FileSystem> filesystem = testing::ScriptedFileSystem::InMemory("s3");
  std::shared_ptr<Access> access = Access::Of(filesystem);
};

TEST(Access, IsOneForAFilesystem) {
  Store store, other;
  EXPECT_EQ(Access::Of(store.filesystem), store.access);
  EXPECT_NE(other.access, store.access);
  EXPECT_EQ(store.access->Name("bucket/a"), "s3://bucket/a");
  EXPECT_EQ(Access::Of(testing::ScriptedFileSystem::InMemory("mock"))->Name("a"), "a");
}

TEST(Access, AsksAgainWhereTheStoreIsBusyAndNotWhereItRefuses) {
  Store store;
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto third = store.access->Call<int>(kNever, [calls]() -> arrow::Result<int> {
    if (++*calls < 3) return kBusy;
    return 7;
  });
  EXPECT_EQ(third.ValueOrDie(), 7);
  EXPECT_EQ(*calls, 3);

  *calls = 0;
  const auto refused = store.access->Call<int>(kNever, [calls]() -> arrow::Result<int> {
    ++*calls;
    return arrow::Status::IOError("AWS Error ACCESS_DENIED during ListObjectsV2 operation");
  });
  EXPECT_EQ(*calls, 1);
  EXPECT_NE(refused.status().message().find("Check the credentials"), std::string::npos);
}

TEST(Access, GivesUpAtTheDeadlineAndTellsTheReason) {
  Store store;
  store.access->SetLimits({milliseconds(600), milliseconds(600), milliseconds(600)});
  const auto begin = steady_clock::now();
  const auto status = store.access->Call<int>(kNever, []() -> arrow::Result<int> { return kBusy; });
  EXPECT_LT(steady_clock::now() - begin, milliseconds(1500));
  EXPECT_NE(status.status().message().find("SLOW_DOWN"), std::string::npos) << status.status();
  EXPECT_NE(status.status().message().find("attempts"), std::string::npos) << status.status();
}

TEST(Access, TellsTheReasonOfEarlierAttemptsWhereTheLastIsCutOff) {
  Store store;
  store.access->SetLimits({milliseconds(600), milliseconds(600), milliseconds(600)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto status = store.access->Call<int>(kNever, [calls]() -> arrow::Result<int> {
    if (++*calls > 1) std::this_thread::sleep_for(milliseconds(1500));
    return kBusy;
  });
  EXPECT_NE(status.status().message().find("SLOW_DOWN"), std::string::npos) << status.status();
  EXPECT_NE(status.status().message().find("2 attempts"), std::string::npos) << status.status();
}

TEST(Access, AnAttemptThatHangsIsLeftBehindAndMadeAgain) {
  Store store;
  store.access->SetLimits({milliseconds(20'000), milliseconds(100), milliseconds(20'000)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto answer = store.access->Call<int>(kNever, [calls]() -> arrow::Result<int> {
    if (++*calls == 1) std::this_thread::sleep_for(milliseconds(1000));
    return calls->load();
  });
  EXPECT_EQ(answer.ValueOrDie(), 2);
}

TEST(Access, AnAttemptThatGetsOnIsNotCutOff) {
  Store store;
  store.access->SetLimits({milliseconds(500), milliseconds(300), milliseconds(300)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto pages = store.access->Call<int>(kNever, [calls]() -> arrow::Result<int> {
    ++*calls;
    for (int page = 0; page < 10; ++page) {
      std::this_thread::sleep_for(milliseconds(100));
      runtime::TellProgress();
    }
    return 10;
  });
  EXPECT_EQ(pages.ValueOrDie(), 10);
  EXPECT_EQ(*calls, 1);
}

TEST(Access, AStoreThatHasNeverAnsweredGetsLessTime) {
  Store store;
  store.access->SetLimits({milliseconds(20'000), milliseconds(20'000), milliseconds(300)});
  const auto silent = []() -> arrow::Result<int> {
    return arrow::Status::IOError("AWS Error NETWORK_CONNECTION during HeadObject operation");
  };
  const auto begin = steady_clock::now();
  EXPECT_FALSE(store.access->Call<int>(kNever, silent).ok());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(3000));
}

TEST(Access, AStopEndsTheWaiting) {
  Store store;
  arrow::StopSource stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop.RequestStop();
  });
  const auto begin = steady_clock::now();
  const auto status = store.access->Call<int>(stop.token(), []() -> arrow::Result<int> {
    std::this_thread::sleep_for(milliseconds(1500));
    return 0;
  });
  stopper.join();
  EXPECT_TRUE(status.status().IsCancelled());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(1000));
}

}  // namespace
}  // namespace shoal::store
