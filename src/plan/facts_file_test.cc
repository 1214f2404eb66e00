// The form of a file of kept facts: what was written is found, and bytes that nobody has written do
// no harm, not even with the right checksum.
#include "plan/facts_file.h"

#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <arrow/vendored/xxhash.h>

#include "temporary_directory.h"

namespace shoal::plan {
namespace {

constexpr int64_t kMost = int64_t{1} << 30;
constexpr size_t kHeader = 64;

/// n rows, with paths in order; every hundredth has another `common`.
std::vector<std::pair<std::string, std::string>> PathsAndOwn(int n, size_t own_bytes) {
  std::vector<std::pair<std::string, std::string>> out;
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(1'000'000 + 2 * i);
    out.emplace_back("dir/" + number,
                     number + std::string(own_bytes, static_cast<char>('a' + i % 26)));
  }
  return out;
}

std::string CommonOf(size_t i) { return i % 100 == 99 ? "other" : "common"; }

std::string Write(const std::vector<std::pair<std::string, std::string>>& rows,
                  const std::string& subject = "subject") {
  auto bytes = WriteFactsFile(subject, [&](const auto& visit) -> arrow::Status {
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string common = CommonOf(i);
      const auto at = static_cast<int64_t>(i);
      ARROW_RETURN_NOT_OK(
          visit({rows[i].first, {at, at * 1000, at * 7}, 7, common, rows[i].second}));
    }
    return arrow::Status::OK();
  });
  return bytes.ValueOrDie()->ToString();
}

class FactsFiles : public ::testing::Test {
 protected:
  std::string path() const { return directory_.path() / "file"; }
  arrow::Result<std::shared_ptr<const FactsFile>> Open(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
    return FactsFile::Open(path(), "subject", kMost);
  }

 private:
  testing::TemporaryDirectory directory_;
};

TEST_F(FactsFiles, FindWhatWasWrittenAndNothingElse) {
  for (const auto& [n, own_bytes] :
       {std::pair(0, 10), std::pair(1, 10), std::pair(5000, 20), std::pair(50, 300'000)}) {
    const auto rows = PathsAndOwn(n, own_bytes);
    const auto file = Open(Write(rows)).ValueOrDie();
    ASSERT_EQ(file->num_rows(), n);
    for (int i = 0; i < n; ++i) {
      int64_t found = -1;
      ASSERT_TRUE(file->Find(rows[i].first, [&](const KeptFacts& kept, int64_t row) {
        found = row;
        EXPECT_EQ(kept.path, rows[i].first);
        EXPECT_EQ(kept.own, rows[i].second);
        EXPECT_EQ(kept.common, CommonOf(i));
        EXPECT_EQ(kept.version.size, i);
        EXPECT_EQ(kept.version.mtime_ns, i * 1000);
        EXPECT_EQ(kept.version.change_id, i * 7);
        EXPECT_EQ(kept.used, 7);
      }));
      EXPECT_EQ(found, i);
      const auto nothing = [](const KeptFacts&, int64_t) { ADD_FAILURE(); };
      EXPECT_FALSE(file->Find(rows[i].first + "x", nothing));
    }
    const auto nothing = [](const KeptFacts&, int64_t) { ADD_FAILURE(); };
    EXPECT_FALSE(file->Find("", nothing));
    EXPECT_FALSE(file->Find("zzz", nothing));
    int64_t visited = 0;
    ASSERT_TRUE(file->ForEach([&](const KeptFacts& kept, int64_t row) {
                      EXPECT_EQ(row, visited);
                      EXPECT_EQ(kept.path, rows[visited++].first);
                      return arrow::Status::OK();
                    })
                    .ok());
    EXPECT_EQ(visited, n);
  }
}

TEST_F(FactsFiles, OfAnotherVersionOrSubjectOrLengthAreRefused) {
  const std::string good = Write(PathsAndOwn(10, 10));
  ASSERT_TRUE(Open(good).ok());
  std::string bad = good;
  bad[8] = 99;
  EXPECT_NE(Open(bad).status().message().find("version 99"), std::string::npos);
  EXPECT_NE(Open(Write(PathsAndOwn(10, 10), "foreign")).status().message().find("other files"),
            std::string::npos);
  EXPECT_FALSE(Open(good + "x").ok());
  EXPECT_FALSE(Open(good.substr(0, good.size() - 1)).ok());
  EXPECT_FALSE(Open("").ok());
  ASSERT_TRUE(Open(good).ok());
  EXPECT_FALSE(FactsFile::Open(path(), "subject", static_cast<int64_t>(good.size()) - 1).ok());
}

TEST_F(FactsFiles, FuzzedBytesWithTheRightChecksumDoNoHarm) {
  const auto rows = PathsAndOwn(2500, 20);
  const std::string good = Write(rows);
  std::mt19937 random(3);
  int opened = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string bad = good;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
      // The metadata of the file is at its end.
      const size_t from =
          random() % 2 == 0 ? kHeader : bad.size() - std::min<size_t>(bad.size() / 2, 2000);
      const size_t at = from + random() % (bad.size() - from);
      bad[at] = static_cast<char>(random() % 4 == 0 ? random() : bad[at] ^ (1 << random() % 8));
    }
    if (round % 10 == 0) bad.resize(kHeader + random() % (bad.size() - kHeader));
    const uint64_t length = bad.size() - kHeader;
    const uint64_t checksum = XXH3_64bits(bad.data() + kHeader, length);
    std::memcpy(bad.data() + 16, &length, sizeof(length));
    std::memcpy(bad.data() + 24, &checksum, sizeof(checksum));
    auto file = Open(bad);
    if (!file.ok()) continue;
    ++opened;
    size_t bytes = 0;
    const auto add = [&](const KeptFacts& kept, int64_t row) {
      bytes += kept.path.size() + kept.common.size() + kept.own.size();
      (*file)->MarkUsed(row);
    };
    for (size_t i = 0; i < rows.size(); i += 97) (*file)->Find(rows[i].first, add);
    (void)(*file)->ForEach([&](const KeptFacts& kept, int64_t row) {
      add(kept, row);
      return arrow::Status::OK();
    });
  }
  EXPECT_GT(opened, 100) << "the fuzzing gets past the header";
}

}  // namespace
}  // namespace shoal::plan
