#include "storage/read_ranges.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "support/scripted_filesystem.h"

namespace shoal::storage {
namespace {

TEST(ReadRanges, OfAStoreAreFewRequestsAtOnce) {
  constexpr int64_t kMiB = 1 << 20;
  auto filesystem = testing::ScriptedFileSystem::InMemory("s3");
  std::string content(16 * kMiB, 'x');
  for (size_t i = 0; i < content.size(); i += 1000) content[i] = static_cast<char>('a' + i % 23);
  ASSERT_TRUE(filesystem->CreateFile("f", content).ok());
  const auto counters = std::make_shared<runtime::Counters>();
  const auto size = static_cast<int64_t>(content.size());
  const auto file =
      OpenFile::Open(std::make_shared<const SourceFile>(SourceFile{filesystem, "f", {size}}),
                     counters)
          .ValueOrDie();
  filesystem->ResetCounts();
  filesystem->Delay(testing::Call::kRead, "f", std::chrono::milliseconds(300));
  // Two that lie together, in the wrong order, and three far from each other.
  const std::vector<ByteRange> ranges = {
      {5000, 100}, {0, 100}, {4 * kMiB, 3000}, {8 * kMiB, 10}, ByteRange::Suffix(20)};
  const auto read = ReadRanges(*file, ranges, arrow::StopToken::Unstoppable()).ValueOrDie();
  ASSERT_EQ(read.size(), ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const ByteRange range = file->Resolve(ranges[i]);
    EXPECT_EQ(read[i]->ToString(), content.substr(range.offset, range.length)) << i;
  }
  EXPECT_EQ(filesystem->counts().read, 4);
  EXPECT_GT(filesystem->counts().most_in_flight, 1);

  const auto outside =
      ReadRanges(*file, {{0, 10}, {size - 5, 10}}, arrow::StopToken::Unstoppable()).status();
  EXPECT_NE(outside.message().find("refers to bytes " + std::to_string(size - 5)),
            std::string::npos)
      << outside;
}

}  // namespace
}  // namespace shoal::storage
