#include <shoal/union_dataset.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <arrow/compute/expression.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <shoal/format_by_extension.h>

#include "formats/ipc/test_files.h"
#include "temporary_directory.h"
#include "testing/same_rows.h"

namespace shoal {
namespace {

namespace cp = arrow::compute;
const bool kInitialized = cp::Initialize().ok();

std::shared_ptr<arrow::Table> TableOf(const std::shared_ptr<arrow::Schema>& schema,
                                      const std::vector<std::string>& columns) {
  std::vector<std::shared_ptr<arrow::ChunkedArray>> arrays;
  for (int i = 0; i < schema->num_fields(); ++i) {
    arrays.push_back(std::make_shared<arrow::ChunkedArray>(
        arrow::json::ArrayFromJSONString(schema->field(i)->type(), columns[i]).ValueOrDie()));
  }
  return arrow::Table::Make(schema, arrays);
}

arrow::Result<std::shared_ptr<arrow::Table>> Read(const Dataset& dataset,
                                                  const ScanRequest& request = {}) {
  ARROW_ASSIGN_OR_RAISE(auto stream, dataset.Scan(request));
  arrow::RecordBatchVector batches;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) return arrow::Table::FromRecordBatches(stream->schema(), batches);
    batches.push_back(std::move(batch));
  }
}

void ExpectRows(const Dataset& dataset, const ScanRequest& request, const arrow::Table& expected) {
  auto got = Read(dataset, request);
  ASSERT_TRUE(got.ok()) << got.status();
  const auto same = testing::SameRows(**got, expected);
  EXPECT_TRUE(same.ok()) << same;
}

const auto kNumbers = arrow::schema({arrow::field("a", arrow::int32())});
const auto kBoth =
    arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())});

TEST(TableDataset, HasTheRowsOfTheTableAndCountsThemWithoutReading) {
  auto chunks = arrow::ConcatenateTables({TableOf(kBoth, {"[1, 2]", R"(["x", null])"}),
                                          TableOf(kBoth, {"[3, null]", R"(["y", "z"])"})})
                    .ValueOrDie();
  auto dataset = OpenTable(chunks).ValueOrDie();
  EXPECT_EQ(dataset->Count().ValueOrDie(), 4);
  ExpectRows(*dataset, {}, *chunks);
  ScanRequest request;
  request.filter = cp::greater(cp::field_ref("a"), cp::literal(1));
  request.columns = {{"b", cp::field_ref("b")}};
  ExpectRows(*dataset, request,
             *TableOf(arrow::schema({arrow::field("b", arrow::utf8())}), {R"([null, "y"])"}));
  EXPECT_EQ(dataset->Count(request.filter).ValueOrDie(), 2);
  ExpectRows(*OpenTable(chunks->Slice(0, 0)).ValueOrDie(), {}, *chunks->Slice(0, 0));
}

class UnionOfThree : public ::testing::Test {
 protected:
  UnionOfThree() {
    Put("a.arrow", *TableOf(kNumbers, {"[1, 2, 3]"}));
    auto files = Dataset::Open({directory_.path().string()}).ValueOrDie();
    auto both = OpenTable(TableOf(kBoth, {"[4, 5]", R"(["x", "y"])"})).ValueOrDie();
    auto one = OpenTable(TableOf(kNumbers, {"[6]"})).ValueOrDie();
    union_ = UnionDataset::Make({files, both, one}).ValueOrDie();
  }
  void Put(const std::string& name, const arrow::Table& table) {
    const std::string bytes = formats::ipc::WriteTable(table, 2, formats::ipc::Layout::kFile);
    std::ofstream(directory_.path() / name, std::ios::binary) << bytes;
  }
  const std::shared_ptr<arrow::Table> all_ =
      TableOf(kBoth, {"[1, 2, 3, 4, 5, 6]", R"([null, null, null, "x", "y", null])"});
  testing::TemporaryDirectory directory_;
  std::shared_ptr<UnionDataset> union_;
};

TEST_F(UnionOfThree, HasTheColumnsAndRowsOfAllInOrder) {
  ExpectRows(*union_, {}, *all_);
  EXPECT_EQ(union_->Count().ValueOrDie(), 6);
}

TEST_F(UnionOfThree, FiltersProjectsAndLimitsAcrossChildren) {
  ScanRequest request;
  for (int64_t offset : {0, 2, 3, 5, 6, 9}) {
    for (int64_t limit : {0, 1, 2, 4, 100}) {
      request.offset = offset;
      request.limit = limit;
      ExpectRows(*union_, request, *all_->Slice(std::min<int64_t>(offset, 6), limit));
    }
  }
  request = {};
  request.filter = cp::is_null(cp::field_ref("b"));
  request.offset = 2;
  request.columns = {{"a", cp::field_ref("a")}};
  ExpectRows(*union_, request,
             *TableOf(arrow::schema({arrow::field("a", arrow::int64())}), {"[3, 6]"}));
  EXPECT_EQ(union_->Count(request.filter).ValueOrDie(), 4);
}

TEST_F(UnionOfThree, IsAgainAChildAndTakesASchema) {
  auto twice = UnionDataset::Make({union_, union_}).ValueOrDie();
  EXPECT_EQ(twice->Count().ValueOrDie(), 12);
  auto narrow =
      UnionDataset::Make({union_}, arrow::schema({arrow::field("b", arrow::utf8())})).ValueOrDie();
  ExpectRows(*narrow, {}, *all_->SelectColumns({1}).ValueOrDie());
  EXPECT_EQ(twice->Refresh().ValueOrDie()->Count().ValueOrDie(), 12);
}

TEST_F(UnionOfThree, StopsAtOnceWhenClosedAndReportsErrorsOfRequestsBeforeItReads) {
  ScanRequest request;
  request.columns = {{"x", cp::field_ref("nothing")}};
  EXPECT_FALSE(union_->Scan(request).ok());
  auto stream = union_->Scan({}).ValueOrDie();
  EXPECT_EQ(stream->Next().ValueOrDie()->num_rows(), 3);
  stream->Close();
  EXPECT_TRUE(stream->Next().status().IsCancelled());
  EXPECT_EQ(stream->metrics().rows_returned, 3);
}

TEST(UnionDataset, OfTypesThatDoNotGoTogetherNamesTheColumn) {
  auto text = arrow::schema({arrow::field("a", arrow::utf8())});
  auto made = UnionDataset::Make({OpenTable(TableOf(kNumbers, {"[1]"})).ValueOrDie(),
                                  OpenTable(TableOf(text, {R"(["x"])"})).ValueOrDie()})
                  .ValueOrDie();
  const auto status = made->schema().status();
  EXPECT_TRUE(status.IsTypeError()) << status;
  EXPECT_NE(status.message().find("column `a`"), std::string::npos) << status;
}

TEST(UnionDataset, KeysOfPathsPruneInChildrenAndAreNullInOthers) {
  testing::TemporaryDirectory directory;
  for (const char* k : {"1", "2"}) {
    const auto folder = directory.path() / (std::string("k=") + k);
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "f.arrow", std::ios::binary)
        << formats::ipc::WriteTable(*TableOf(kNumbers, {"[7]"}), 1, formats::ipc::Layout::kFile);
  }
  auto files = Dataset::Open({directory.path().string()}).ValueOrDie();
  auto table = OpenTable(TableOf(kNumbers, {"[8]"})).ValueOrDie();
  auto made = UnionDataset::Make({table, files}).ValueOrDie();
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("k", arrow::int32())});
  ExpectRows(*made, {}, *TableOf(schema, {"[8, 7, 7]", "[null, 1, 2]"}));
  ScanRequest request;
  request.filter = cp::equal(cp::field_ref("k"), cp::literal(2));
  ExpectRows(*made, request, *TableOf(schema, {"[7]", "[2]"}));
}

TEST(UnionDataset, FollowsTheRulesOfAnyChildForNamesAndTypes) {
  testing::TemporaryDirectory directory;
  const auto upper = arrow::schema({arrow::field("A", arrow::int64())});
  std::ofstream(directory.path() / "f.arrow", std::ios::binary)
      << formats::ipc::WriteTable(*TableOf(upper, {"[1, 2]"}), 1, formats::ipc::Layout::kFile);
  OpenOptions options;
  options.case_insensitive = true;
  options.promote = Promote::kPermissive;
  auto files = Dataset::Open({directory.path().string()}, options).ValueOrDie();
  const auto lower = arrow::schema({arrow::field("a", arrow::float64())});
  auto table = OpenTable(TableOf(lower, {"[0.5]"})).ValueOrDie();
  auto made = UnionDataset::Make({table, files}).ValueOrDie();
  EXPECT_EQ(made->schema_rules(), files->schema_rules());
  ExpectRows(*made, {}, *TableOf(lower, {"[0.5, 1, 2]"}));
  ExpectRows(*made->Refresh().ValueOrDie(), {}, *TableOf(lower, {"[0.5, 1, 2]"}));
  ScanRequest request;
  request.filter = cp::greater(cp::field_ref("A"), cp::literal(0.5));
  ExpectRows(*made, request, *TableOf(lower, {"[1, 2]"}));

  // A child whose names match only as they are written can't take part.
  std::ofstream(directory.path() / "g.jsonl") << R"({"A": 3})" << "\n";
  auto lines = Dataset::Open({(directory.path() / "g.jsonl").string()}).ValueOrDie();
  const auto status = UnionDataset::Make({table, files, lines}).ValueOrDie()->Count().status();
  EXPECT_TRUE(status.IsNotImplemented()) << status;
  EXPECT_NE(status.message().find("case_insensitive"), std::string::npos) << status;
}

}  // namespace
}  // namespace shoal
