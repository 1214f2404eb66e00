// What fragments of a plan say of their columns, and of the order of their rows.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>
#include <shoal/file_groups.h>

#include "formats/parquet/test_files.h"
#include "temporary_directory.h"

namespace shoal {
namespace {

using formats::parquet::Column;

const bool kInitialized = arrow::compute::Initialize().ok();

class FragmentStatistics : public ::testing::Test {
 protected:
  /// A file of a column t, said to be sorted by it.
  void Write(const std::string& name, const std::shared_ptr<arrow::ChunkedArray>& t,
             int64_t row_group_rows, bool descending = false, bool nulls_first = false) {
    const auto path = directory_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    const auto table = arrow::Table::Make(arrow::schema({arrow::field("t", t->type())}), {t});
    std::ofstream(path, std::ios::binary)
        << formats::parquet::WriteFile(*table, row_group_rows,
                                       formats::parquet::Properties()
                                           .set_sorting_columns({{0, descending, nulls_first}})
                                           ->build());
  }
  ScanPlan Plan(const std::string& filter = "", OpenOptions options = {}) {
    ScanRequest request;
    if (!filter.empty()) request.filter = ParseFilter(filter).ValueOrDie();
    PlanOptions planning;
    planning.column_statistics = true;
    return Dataset::Open({directory_.path()}, std::move(options))
        .ValueOrDie()
        ->Plan(request, planning)
        .ValueOrDie();
  }

  testing::TemporaryDirectory directory_;
};

const std::vector<SortColumn> kByT = {{"t"}};
const std::vector<SortColumn> kNone;

TEST_F(FragmentStatistics, AreThoseOfTheRowGroupsThatAreRead) {
  Write("k=7/f.parquet", Column(arrow::int64(), "[1, 2, null, 4, 5, null]"), 2);
  const auto plan = Plan("t <= 2");
  ASSERT_EQ(plan.fragments.size(), 1u);
  ASSERT_EQ(plan.fragments[0].row_groups, std::vector<int>{0});
  const auto& columns = *plan.fragments[0].column_statistics;
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].null_count.exact_value(), 0);
  EXPECT_EQ((*columns[0].max.exact_value())->ToString(), "2");
  EXPECT_EQ((*columns[1].min.exact_value())->ToString(), "7");
}

TEST_F(FragmentStatistics, AreCollectedOnRequestFromTheSameFooters) {
  Write("f.parquet", Column(arrow::int64(), "[1, 2]"), 2);
  auto dataset = Dataset::Open({directory_.path()}).ValueOrDie();
  const auto without = dataset->Plan({}).ValueOrDie();
  EXPECT_EQ(without.fragments[0].column_statistics, nullptr);
  EXPECT_EQ(without.fragments[0].ordering, kNone);
  PlanOptions options;
  options.column_statistics = true;
  const auto with = dataset->Plan({}, options).ValueOrDie();
  EXPECT_EQ(with.prune.footers_read, 0);
  EXPECT_EQ(with.prune.metadata_bytes, 0);
  EXPECT_EQ(with.fragments[0].ordering, kByT);
}

TEST_F(FragmentStatistics, AFileIsSortedIfItsRowGroupsFollowEachOther) {
  Write("a.parquet", Column(arrow::int64(), "[1, 2, 2, 3, 3, 9]"), 2);
  Write("b.parquet", Column(arrow::int64(), "[3, 4, 1, 2]"), 2);
  Write("c.parquet", Column(arrow::int64(), "[9, 8, 8, 1]"), 2, /*descending=*/true);
  Write("d.parquet", Column(arrow::int64(), "[1, null, null, null]"), 2);
  Write("e.parquet", Column(arrow::int64(), "[1, null, 2, null]"), 2);
  Write("f.parquet", Column(arrow::int64(), "[null, null, null, 2]"), 2, false, true);
  Write("g.parquet", Column(arrow::int64(), "[]"), 2);
  const auto plan = Plan();
  ASSERT_EQ(plan.fragments.size(), 7u);
  EXPECT_EQ(plan.fragments[0].ordering, kByT);
  EXPECT_EQ(plan.fragments[1].ordering, kNone);
  EXPECT_EQ(plan.fragments[2].ordering, (std::vector<SortColumn>{{"t", true, false}}));
  EXPECT_EQ(plan.fragments[3].ordering, kByT);
  EXPECT_EQ(plan.fragments[4].ordering, kNone);
  EXPECT_EQ(plan.fragments[5].ordering, (std::vector<SortColumn>{{"t", false, true}}));
  EXPECT_EQ(plan.fragments[6].ordering, kByT);  // no rows, and so none out of order
}

TEST_F(FragmentStatistics, RowGroupsThatAFilterRulesOutDoNotSpoilTheOrder) {
  Write("b.parquet", Column(arrow::int64(), "[3, 4, 1, 2]"), 2);
  EXPECT_EQ(Plan("t >= 3").fragments[0].ordering, kByT);
}

TEST_F(FragmentStatistics, AColumnThatIsCastHasNoOrder) {
  Write("a.parquet", Column(arrow::int64(), "[9, 10]"), 2);
  OpenOptions options;
  options.schema = arrow::schema({arrow::field("t", arrow::utf8())});
  const auto plan = Plan("", options);  // "9" is behind "10"
  EXPECT_EQ(plan.fragments[0].ordering, kNone);
}

TEST_F(FragmentStatistics, AKeyOfThePathIsNotTheFilesColumn) {
  Write("t=5/a.parquet", Column(arrow::int64(), "[1, 2]"), 2);
  const auto plan = Plan();
  EXPECT_EQ(plan.fragments[0].ordering, kNone);
  FileGroupOptions options;
  options.split_file_groups_by_statistics = true;
  options.ordering = {{"t", true}};
  EXPECT_EQ(MakeFileGroups(plan, options).ValueOrDie().output_ordering, options.ordering);
}

TEST_F(FragmentStatistics, TheOrderTravelsInThePlan) {
  Write("a.parquet", Column(arrow::int64(), "[9, 1]"), 2, true, true);
  const auto plan = Plan();
  const auto there = ScanPlan::FromJson(plan.ToJson().ValueOrDie()).ValueOrDie();
  EXPECT_EQ(there.fragments[0].ordering, (std::vector<SortColumn>{{"t", true, true}}));
  EXPECT_EQ(there.fragments[0].column_statistics, nullptr);
}

TEST_F(FragmentStatistics, AreMergedPerGroupAsForTheTable) {
  Write("a.parquet", Column(arrow::int64(), "[1, 2]"), 2);
  Write("b.parquet", Column(arrow::int64(), "[null, 7]"), 2);
  Write("c.parquet", Column(arrow::int64(), "[3, 4]"), 2);
  const auto plan = Plan();
  const auto groups = MakeFileGroups(plan, {.target_partitions = 2}).ValueOrDie();
  ASSERT_EQ(groups.groups.size(), 2u);
  const FileGroup& group = groups.groups[1];
  ASSERT_EQ(group.fragments.size(), 2u);
  EXPECT_EQ(group.statistics.num_rows.exact_value(), 4);
  EXPECT_EQ(group.statistics.columns[0].null_count.exact_value(), 1);
  EXPECT_EQ((*group.statistics.columns[0].min.exact_value())->ToString(), "3");
  EXPECT_EQ((*group.statistics.columns[0].max.exact_value())->ToString(), "7");
  const auto part = PartOf(plan, group.fragments);
  EXPECT_EQ((*part.statistics.columns[0].max.exact_value())->ToString(), "7");
}

TEST_F(FragmentStatistics, OfPartsOfAFileAreNotExact) {
  Write("a.parquet", Column(arrow::int64(), "[1, 2, 3, 4]"), 1);
  Write("b.parquet", Column(arrow::int64(), "[5, null, 7, 8]"), 1);
  const auto groups =
      MakeFileGroups(Plan(), {.target_partitions = 4, .repartition_file_min_size = 0}).ValueOrDie();
  ASSERT_EQ(groups.groups.size(), 4u);
  const auto& known = groups.groups[0].statistics.columns[0];
  EXPECT_TRUE(known.min.is_inexact());
  EXPECT_EQ(known.max.value()->ToString(), "4");
  EXPECT_EQ(known.null_count.exact_value(), 0);
  EXPECT_TRUE(groups.groups[3].statistics.columns[0].null_count.is_absent());
}

}  // namespace
}  // namespace shoal
