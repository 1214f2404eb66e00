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

const auto kSilence = arrow::Status::IOError("AWS Error NETWORK_CONNECTION during ListObjectsV2");

struct Store {
  std::shared_ptr<testing::ScriptedFileSystem> filesystem =
      testing::ScriptedFileSystem::InMemory("s3");
  std::shared_ptr<Access> access = Access::Of(filesystem);

  arrow::Result<int> Call(const arrow::StopToken& stop, std::function<arrow::Result<int>()> attempt,
                          Access::Answer answer = Access::Answer::kOne) {
    return access->Call<int>(
        filesystem, stop, [attempt](arrow::fs::FileSystem&) { return attempt(); }, answer);
  }
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
  const auto third = store.Call(kNever, [calls]() -> arrow::Result<int> {
    if (++*calls < 3) return kBusy;
    return 7;
  });
  EXPECT_EQ(third.ValueOrDie(), 7);
  EXPECT_EQ(*calls, 3);

  *calls = 0;
  const auto refused = store.Call(kNever, [calls]() -> arrow::Result<int> {
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
  const auto status = store.Call(kNever, []() -> arrow::Result<int> { return kBusy; });
  EXPECT_LT(steady_clock::now() - begin, milliseconds(1500));
  EXPECT_NE(status.status().message().find("SLOW_DOWN"), std::string::npos) << status.status();
  EXPECT_NE(status.status().message().find("attempts"), std::string::npos) << status.status();
}

TEST(Access, TellsTheReasonOfEarlierAttemptsWhereTheLastIsCutOff) {
  Store store;
  store.access->SetLimits({milliseconds(600), milliseconds(600), milliseconds(600)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto status = store.Call(kNever, [calls]() -> arrow::Result<int> {
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
  const auto answer = store.Call(kNever, [calls]() -> arrow::Result<int> {
    if (++*calls == 1) std::this_thread::sleep_for(milliseconds(1000));
    return calls->load();
  });
  EXPECT_EQ(answer.ValueOrDie(), 2);
}

TEST(Access, AnAttemptThatGetsOnIsNotCutOff) {
  Store store;
  store.access->SetLimits({milliseconds(500), milliseconds(300), milliseconds(300)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto pages = store.Call(kNever, [calls]() -> arrow::Result<int> {
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
  store.filesystem->Intercept([](testing::Call, const std::string&) { return kSilence; });
  const auto silent = []() -> arrow::Result<int> {
    return arrow::Status::IOError("AWS Error NETWORK_CONNECTION during HeadObject operation");
  };
  const auto begin = steady_clock::now();
  EXPECT_FALSE(store.Call(kNever, silent).ok());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(19'000));
}

TEST(Access, AStoreThatHasNeverAnsweredHasOnePatienceForAllCallsOfAQuestion) {
  Store store;
  store.access->SetLimits({milliseconds(20'000), milliseconds(20'000), milliseconds(800)});
  store.filesystem->Intercept([](testing::Call, const std::string&) { return kSilence; });
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto silent = [calls]() -> arrow::Result<int> {
    ++*calls;
    return kSilence;
  };
  // How often the store was asked.
  const auto ask = [&] {
    const int before = *calls;
    const auto status = store.Call(kNever, silent).status();
    EXPECT_NE(status.message().find("given up after"), std::string::npos) << status;
    EXPECT_NE(status.message().find("Check the network"), std::string::npos) << status;
    return *calls - before;
  };
  const int first = ask();
  EXPECT_GE(first, 2);
  // Had each call a patience of its own, these were five times as many. (A machine that stands
  // still for a second begins another question.)
  int later = 0;
  for (int i = 0; i < 5; ++i) later += ask();
  EXPECT_LT(later, 2 * first + 5);
  // Another question is asked.
  std::this_thread::sleep_for(milliseconds(1100));
  EXPECT_GE(ask(), 2);
}

TEST(Access, WorkOfAClientIsNoAnswerOfItsStore) {
  Store store;
  store.access->SetLimits({milliseconds(20'000), milliseconds(20'000), milliseconds(2'500)});
  store.filesystem->Intercept([](testing::Call, const std::string&) { return kSilence; });
  const auto repeats = []() -> arrow::Result<int> {
    for (const auto end = steady_clock::now() + milliseconds(14'000); steady_clock::now() < end;) {
      std::this_thread::sleep_for(milliseconds(200));
      const auto worked = steady_clock::now() + milliseconds(20);
      while (steady_clock::now() < worked) continue;
    }
    return kSilence;
  };
  const auto begin = steady_clock::now();
  EXPECT_FALSE(store.Call(kNever, repeats, Access::Answer::kMany).ok());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(8'000));
}

TEST(Access, AStoreThatAnswersSomethingElseIsThere) {
  Store store;
  store.access->SetLimits({milliseconds(20'000), milliseconds(20'000), milliseconds(1'000)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto slow = store.Call(kNever, [calls]() -> arrow::Result<int> {
    ++*calls;
    std::this_thread::sleep_for(milliseconds(2'500));
    return 7;
  });
  EXPECT_EQ(slow.ValueOrDie(), 7);
  EXPECT_EQ(*calls, 1);
}

TEST(Access, PagesOfAListingThatBreaksOffAreAnAnswer) {
  Store store;
  store.access->SetLimits({milliseconds(20'000), milliseconds(20'000), milliseconds(1'500)});
  auto calls = std::make_shared<std::atomic<int>>(0);
  const auto pages = store.Call(kNever, [calls]() -> arrow::Result<int> {
    std::this_thread::sleep_for(milliseconds(100));
    runtime::TellProgress();
    std::this_thread::sleep_for(milliseconds(900));
    if (++*calls < 3) return kSilence;
    return 7;
  });
  EXPECT_EQ(pages.ValueOrDie(), 7);
}

TEST(Access, AStopEndsTheWaiting) {
  Store store;
  arrow::StopSource stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop.RequestStop();
  });
  const auto begin = steady_clock::now();
  const auto status = store.Call(stop.token(), []() -> arrow::Result<int> {
    std::this_thread::sleep_for(milliseconds(1500));
    return 0;
  });
  stopper.join();
  EXPECT_TRUE(status.status().IsCancelled());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(1000));
}

}  // namespace
}  // namespace shoal::store
