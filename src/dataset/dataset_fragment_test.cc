#include <shoal/dataset_fragment.h>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "must.h"
#include "temporary_directory.h"

namespace shoal {
namespace {

using arrow::compute::and_;
using arrow::compute::equal;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::greater;
using arrow::compute::literal;
using oracle::Must;

const bool kInitialized = arrow::compute::Initialize().ok();

/// k=0 and k=1, each with x = 10 k .. 10 k + 4 in row groups of two.
class Fragments : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int k = 0; k < 2; ++k) {
      const auto folder = directory_.path() / ("k=" + std::to_string(k));
      std::filesystem::create_directories(folder);
      arrow::Int64Builder x;
      for (int64_t i = 0; i < 5; ++i) Must(x.Append(10 * k + i));
      auto table = arrow::Table::Make(arrow::schema({arrow::field("x", arrow::int64())}),
                                      {Must(x.Finish())});
      auto sink = Must(arrow::io::FileOutputStream::Open((folder / "f.parquet").string()));
      Must(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 2));
      Must(sink->Close());
    }
    dataset_ = Must(Dataset::Open({directory_.path().string()}));
  }

  static std::vector<int64_t> Read(const DatasetFragment& fragment, ScanRequest request = {}) {
    request.columns = {{"x", field_ref("x")}};
    auto stream = Must(fragment.Scan(request));
    std::vector<int64_t> out;
    while (auto batch = Must(stream->Next())) {
      const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < values.length(); ++i) out.push_back(values.Value(i));
    }
    return out;
  }

  testing::TemporaryDirectory directory_;
  std::shared_ptr<Dataset> dataset_;
};

TEST_F(Fragments, RowGroupsTogetherAreTheFile) {
  const auto files = Must(FragmentsOf(dataset_));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(Read(files[1]), (std::vector<int64_t>{10, 11, 12, 13, 14}));
  EXPECT_EQ(Must(files[1].physical_schema())->field_names(), std::vector<std::string>{"x"});
  const auto groups = Must(files[1].RowGroups());
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[2].num_rows.exact_value(), 1);
  std::vector<int64_t> all;
  for (const auto& piece : Must(files[1].SplitByRowGroup())) {
    for (int64_t x : Read(piece)) all.push_back(x);
  }
  EXPECT_EQ(all, Read(files[1]));
}

TEST_F(Fragments, FiltersNameColumnsAndKeysAsTheTableDoes) {
  // X and K in one file, x and k in the others.
  const auto folder = directory_.path() / "K=2";
  std::filesystem::create_directories(folder);
  arrow::Int64Builder x;
  for (int64_t i = 20; i < 25; ++i) Must(x.Append(i));
  auto table =
      arrow::Table::Make(arrow::schema({arrow::field("X", arrow::int64())}), {Must(x.Finish())});
  auto sink = Must(arrow::io::FileOutputStream::Open((folder / "f.parquet").string()));
  Must(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 2));
  Must(sink->Close());
  OpenOptions options;
  options.case_insensitive = true;
  dataset_ = Must(Dataset::Open({directory_.path().string()}, options));
  std::vector<int64_t> found;
  for (const auto& fragment : Must(FragmentsOf(dataset_, greater(field_ref("k"), literal(0))))) {
    const auto part = Must(fragment.Subset(greater(field_ref("x"), literal(12))));
    for (int64_t value : Read(part)) found.push_back(value);
  }
  EXPECT_EQ(found, (std::vector<int64_t>{20, 21, 22, 23, 24, 12, 13, 14}));
}

TEST_F(Fragments, FiltersLeaveTheRowGroupsThatMayMatch) {
  const Expression filter =
      and_(equal(field_ref("k"), literal(1)), greater(field_ref("x"), literal(int64_t{13})));
  const auto files = Must(FragmentsOf(dataset_));
  EXPECT_TRUE(Must(files[0].SplitByRowGroup(filter)).empty());
  const auto subset = Must(files[1].Subset(filter));
  EXPECT_EQ(subset.fragment().row_groups, (std::vector<int>{2}));
  EXPECT_EQ(Must(subset.Count()), 1);
  EXPECT_EQ(Must(files[1].Count(filter)), 1);
  EXPECT_EQ(Must(FragmentsOf(dataset_, equal(field_ref("k"), literal(1)))).size(), 1u);
}

TEST_F(Fragments, SubsetsComeInTheOrderThatIsAskedFor) {
  const auto file = Must(FragmentsOf(dataset_))[0];
  const auto subset = Must(file.Subset(std::vector<int>{2, 0}));
  EXPECT_EQ(Read(subset), (std::vector<int64_t>{4, 0, 1}));
  ScanRequest one;
  one.limit = one.offset = 1;
  EXPECT_EQ(Read(subset, one), (std::vector<int64_t>{0}));
  EXPECT_TRUE(subset.Subset(std::vector<int>{1}).status().IsIndexError());
  EXPECT_TRUE(file.Subset(std::vector<int>{0, 0}).status().IsInvalid());
}

TEST_F(Fragments, KeepTheirPlanAsAPlanElsewhere) {
  const auto file = Must(FragmentsOf(dataset_))[1];
  ScanRequest request;
  request.columns = {{"k", field_ref("k")}, {"__row_index", field_ref("__row_index")}};
  const auto plan = Must(Must(file.Subset(std::vector<int>{1})).Plan(request));
  const auto again = Must(ScanPlan::FromJson(Must(plan.ToJson())));
  auto stream = Must(BatchStream::Make(again));
  const auto batch = Must(stream->Next());
  EXPECT_EQ(batch->num_rows(), 2);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*batch->column(1)).Value(0), 2);
}

}  // namespace
}  // namespace shoal
