#include "storage/open_file.h"
#include "base/location.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>

#include <arrow/filesystem/localfs.h>
#include <arrow/filesystem/mockfs.h>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace shoal::storage {
namespace {

/// The same file on the local disk and on a store.
class OpenFileTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::ofstream(path(), std::ios::binary) << "0123456789";
    auto local = std::make_shared<arrow::fs::LocalFileSystem>();
    filesystem_ = local;
    if (!GetParam())
      filesystem_ =
          std::make_shared<arrow::fs::SubTreeFileSystem>(directory_.path().string(), local);
  }
  std::string path() const { return directory_.path() / "file"; }
  std::shared_ptr<const SourceFile> Source(const std::string& name,
                                           const FileVersion& version = {}) const {
    return std::make_shared<const SourceFile>(
        SourceFile{filesystem_, GetParam() ? (directory_.path() / name).string() : name, version});
  }
  arrow::Result<std::shared_ptr<OpenFile>> Open(const FileVersion& version = {}) const {
    return OpenFile::Open(Source("file", version), counters_);
  }

  testing::TemporaryDirectory directory_;
  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  std::shared_ptr<runtime::Counters> counters_ = std::make_shared<runtime::Counters>();
};

INSTANTIATE_TEST_SUITE_P(LocalAndRemote, OpenFileTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Local" : "Remote"; });

TEST_P(OpenFileTest, ReadsRangesAndSuffixes) {
  auto file = Open({10}).ValueOrDie();
  EXPECT_EQ(file->size(), 10);
  EXPECT_EQ(file->Read({2, 3}).ValueOrDie()->ToString(), "234");
  EXPECT_EQ(file->Read({0, 10}).ValueOrDie()->ToString(), "0123456789");
  EXPECT_EQ(file->Read({10, 0}).ValueOrDie()->size(), 0);
  EXPECT_EQ(file->Read(ByteRange::Suffix(4)).ValueOrDie()->ToString(), "6789");
  EXPECT_EQ(file->Read(ByteRange::Suffix(4000)).ValueOrDie()->ToString(), "0123456789");
  EXPECT_EQ(counters_->files_opened, 1);
  EXPECT_EQ(counters_->requests, 5);
  EXPECT_EQ(counters_->bytes_read, 3 + 10 + 0 + 4 + 10);
}

TEST_P(OpenFileTest, RangesOutsideTheFileAreErrorsThatNameIt) {
  auto file = Open().ValueOrDie();
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (ByteRange range : {ByteRange{5, 6}, ByteRange{11, 0}, ByteRange{0, kHuge}, ByteRange{3, -1},
                          ByteRange{-5, 2}}) {
    const arrow::Status status = file->Read(range).status();
    EXPECT_TRUE(status.IsIOError()) << status;
    EXPECT_NE(status.message().find("file"), std::string::npos);
  }
  EXPECT_EQ(counters_->bytes_read, 0);
}

TEST_P(OpenFileTest, AFileThatChangedSinceItWasListedIsAnError) {
  EXPECT_TRUE(Open({10}).ok());
  const arrow::Status status = Open({11}).status();
  EXPECT_TRUE(IsFileChanged(status)) << status;
  EXPECT_NE(status.message().find("file"), std::string::npos);
  EXPECT_NE(status.message().find("plan the scan again"), std::string::npos);
  EXPECT_FALSE(IsFileChanged(arrow::Status::IOError("another")));
}

TEST_P(OpenFileTest, AMissingFileAndADirectoryAreErrorsThatNameThem) {
  std::filesystem::create_directory(directory_.path() / "folder");
  for (const char* name : {"absent", "folder"}) {
    const arrow::Status status = OpenFile::Open(Source(name), counters_).status();
    EXPECT_TRUE(status.IsIOError()) << status;
    EXPECT_NE(status.message().find(name), std::string::npos) << status;
    EXPECT_FALSE(IsFileChanged(status));
  }
}

TEST_P(OpenFileTest, AFileThatShrinksWhileItIsReadIsAnError) {
  auto file = Open().ValueOrDie();
  std::filesystem::resize_file(path(), 4);
  const arrow::Status status = file->Read({2, 6}).status();
  EXPECT_TRUE(status.IsIOError()) << status;
  EXPECT_NE(status.message().find("truncated"), std::string::npos) << status;
}

class LocalFileTest : public OpenFileTest {};
INSTANTIATE_TEST_SUITE_P(Local, LocalFileTest, ::testing::Values(true));

TEST_P(LocalFileTest, AnotherModificationTimeIsAChange) {
  const int64_t mtime_ns = Open().ValueOrDie()->version().mtime_ns;
  EXPECT_GT(mtime_ns, 0);
  EXPECT_TRUE(Open({10, mtime_ns}).ok());
  EXPECT_TRUE(IsFileChanged(Open({10, mtime_ns - 1}).status()));
}

TEST_P(LocalFileTest, AFileOfEqualSizeAndTimeInItsPlaceIsAChange) {
  const FileVersion version = Open().ValueOrDie()->version();
  EXPECT_TRUE(Open(version).ok());
  const auto time = std::filesystem::last_write_time(path());
  std::ofstream(path() + ".new", std::ios::binary) << "abcdefghij";
  std::filesystem::last_write_time(path() + ".new", time);
  std::filesystem::rename(path() + ".new", path());
  const arrow::Status status = Open(version).status();
  EXPECT_TRUE(IsFileChanged(status)) << status;
  EXPECT_NE(status.message().find("kept its modification time"), std::string::npos) << status;
  EXPECT_TRUE(Open({10, version.mtime_ns}).ok()) << "what is not known is not compared";
}

TEST_P(LocalFileTest, AFileThatIsReplacedIsReadAsItWasOpened) {
  auto file = Open().ValueOrDie();
  std::ofstream(path() + ".new", std::ios::binary) << "abcdefghij";
  std::filesystem::rename(path() + ".new", path());
  EXPECT_EQ(file->Read({0, 10}).ValueOrDie()->ToString(), "0123456789");
  std::filesystem::remove(path());
  EXPECT_EQ(file->Read({0, 3}).ValueOrDie()->ToString(), "012");
}

TEST_P(LocalFileTest, APipeIsAnErrorAndDoesNotBlock) {
  ASSERT_EQ(::mkfifo((directory_.path() / "pipe").c_str(), 0600), 0);
  auto opening = std::async(std::launch::async,
                            [&] { return OpenFile::Open(Source("pipe"), counters_).status(); });
  ASSERT_EQ(opening.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  const arrow::Status status = opening.get();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_NE(status.message().find("not a regular file"), std::string::npos) << status;
}

TEST(OpenFile, OnlyTheLocalFilesystemIsLocal) {
  auto local = std::make_shared<arrow::fs::LocalFileSystem>();
  EXPECT_TRUE(base::IsLocal(*local));
  EXPECT_FALSE(base::IsLocal(arrow::fs::SubTreeFileSystem("/tmp", local)));
}

}  // namespace
}  // namespace shoal::storage
