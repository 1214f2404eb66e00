#include "read/row_indexes.h"

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "must.h"

namespace shoal::read {
namespace {

using oracle::Must;

/// Row groups of so many rows; not set: unknown.
class Groups final : public FileFacts {
 public:
  explicit Groups(std::vector<std::optional<int64_t>> rows)
      : FileFacts(arrow::schema({})), rows_(std::move(rows)) {}
  int num_row_groups() const override { return static_cast<int>(rows_.size()); }
  Precision<int64_t> row_group_rows(int group) const override {
    const auto rows = rows_[static_cast<size_t>(group)];
    return rows ? Precision<int64_t>::Exact(*rows) : Precision<int64_t>::Absent();
  }
  int64_t row_group_bytes(int) const override { return 0; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  int64_t memory_size() const override { return 0; }

 private:
  const std::vector<std::optional<int64_t>> rows_;
};

std::vector<int64_t> Take(RowIndexes* indexes, int64_t rows) {
  const auto array = Must(indexes->Next(rows, arrow::default_memory_pool()));
  const auto& values = static_cast<const arrow::Int64Array&>(*array);
  return {values.raw_values(), values.raw_values() + values.length()};
}

using Indexes = std::vector<int64_t>;

TEST(RowIndexes, CountOnInTheFileWhateverIsLeftOut) {
  const Groups facts({3, 0, 2, 4});
  auto indexes = Must(RowIndexes::Make(facts, {0, 2, 3}, "f"));
  EXPECT_EQ(Take(&indexes, 2), (Indexes{0, 1}));
  EXPECT_EQ(Take(&indexes, 5), (Indexes{2, 3, 4, 5, 6}));
  EXPECT_EQ(Take(&indexes, 2), (Indexes{7, 8}));
  EXPECT_FALSE(indexes.Next(1, arrow::default_memory_pool()).ok());
  auto backwards = Must(RowIndexes::Make(facts, {3, 0}, "f"));
  EXPECT_EQ(Take(&backwards, 6), (Indexes{5, 6, 7, 8, 0, 1}));
}

TEST(RowIndexes, WhereRowsAreNotToldTheyAreCountedFromTheStart) {
  auto one = Must(RowIndexes::Make(Groups({std::nullopt}), {0}, "f"));
  EXPECT_EQ(Take(&one, 2), (Indexes{0, 1}));
  EXPECT_EQ(Take(&one, 1), (Indexes{2}));
  auto several = Must(RowIndexes::Make(Groups({2, std::nullopt, 5}), {1, 2}, "f"));
  EXPECT_EQ(Take(&several, 3), (Indexes{2, 3, 4}));
}

TEST(RowIndexes, APlaceThatIsNotKnownIsAnErrorThatNamesTheFile) {
  const auto skipped = RowIndexes::Make(Groups({std::nullopt, 2}), {1}, "some/file");
  ASSERT_TRUE(skipped.status().IsNotImplemented());
  EXPECT_NE(skipped.status().message().find("'some/file'"), std::string::npos);
}

}  // namespace
}  // namespace shoal::read
