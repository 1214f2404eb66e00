// Plans of small datasets: what they leave out, what they cost, and that they travel.
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <tuple>

#include <arrow/compute/initialize.h>
#include <arrow/filesystem/localfs.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "formats/parquet/test_files.h"
#include "read/scheduler_test_doubles.h"
#include "temporary_directory.h"

namespace shoal {
namespace {

using formats::parquet::Column;
using formats::parquet::Properties;

const bool kInitialized = arrow::compute::Initialize().ok();

arrow::compute::Expression Filter(const std::string& text) {
  return ParseFilter(text).ValueOrDie();
}

class Plans : public ::testing::Test {
 protected:
  std::string root() const { return directory_.path() / "root"; }

  void Write(const std::string& path, const arrow::Table& table, int64_t row_group_rows = 1 << 20) {
    const auto full = std::filesystem::path(root()) / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary)
        << formats::parquet::WriteFile(table, row_group_rows, Properties().build());
  }
  static std::shared_ptr<arrow::Table> X(const std::string& json) {
    return arrow::Table::Make(arrow::schema({arrow::field("x", arrow::int64())}),
                              {Column(arrow::int64(), json)});
  }
  std::shared_ptr<Dataset> Open(OpenOptions options = {}) {
    const std::string source = options.filesystem ? "root" : root();
    return Dataset::Open({source}, std::move(options)).ValueOrDie();
  }
  /// Only some files are inspected, so that planning lists anew.
  std::shared_ptr<Dataset> OpenSampled() {
    OpenOptions options;
    options.inspect = 1;
    return Open(options);
  }

  static std::shared_ptr<arrow::Table> Read(BatchStream& stream) {
    arrow::RecordBatchVector batches;
    while (auto batch = stream.Next().ValueOrDie()) batches.push_back(batch);
    return arrow::Table::FromRecordBatches(stream.schema(), batches).ValueOrDie();
  }
  static std::shared_ptr<arrow::Table> Read(const ScanPlan& plan) {
    return Read(*BatchStream::Make(plan).ValueOrDie());
  }
  static std::vector<int64_t> Xs(const arrow::Table& table) {
    std::vector<int64_t> out;
    for (const auto& chunk : table.GetColumnByName("x")->chunks()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*chunk);
      for (int64_t i = 0; i < values.length(); ++i) out.push_back(values.Value(i));
    }
    return out;
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(Plans, AFilterOverKeysPrunesDirectoriesBeforeTheyAreListed) {
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 4; ++b) {
      const std::string folder = "a=" + std::to_string(a) + "/b=" + std::to_string(b) + "/";
      for (const char* name : {"f.parquet", "g.parquet"})
        Write(folder + name, *X("[" + std::to_string(10 * a + b) + "]"));
    }
  }
  ScanRequest request;
  request.filter = Filter("a = 3 and b >= 2");
  const auto dataset = OpenSampled();
  auto plan = dataset->Plan(request).ValueOrDie();
  EXPECT_EQ(plan.fragments.size(), 4u);
  EXPECT_EQ(plan.prune.directories_pruned, 4 + 2);
  EXPECT_EQ(plan.prune.files_listed, 4);
  // What the inspection has read is not read again.
  EXPECT_EQ(plan.listing.directories_listed + plan.listing.directories_cached, 1 + 1 + 2);
  EXPECT_GE(plan.listing.directories_cached, 1);
  EXPECT_EQ(plan.prune.footers_read + plan.prune.footers_cached, 4);
  ASSERT_EQ(plan.prune.conjuncts.size(), 2u);
  EXPECT_EQ(plan.prune.conjuncts[0].directories_pruned, 4);
  EXPECT_EQ(plan.prune.conjuncts[1].directories_pruned, 2);
  EXPECT_EQ(Xs(*Read(plan)), (std::vector<int64_t>{32, 32, 33, 33}));

  // Where the files are known already, the same filter prunes them instead, to the same rows.
  auto known = Open()->Plan(request).ValueOrDie();
  EXPECT_EQ(known.fragments.size(), 4u);
  EXPECT_EQ(known.prune.files_kept_by_keys, 4);
  EXPECT_EQ(Xs(*Read(known)), (std::vector<int64_t>{32, 32, 33, 33}));
}

TEST_F(Plans, StatisticsPruneFilesAndRowGroupsAndExplainSaysBy) {
  Write("a.parquet", *X("[1, 2, 3, 10, 11, 12]"), 3);
  Write("b.parquet", *X("[1, 2, 3, 4, 5, 6]"), 3);
  ScanRequest request;
  request.filter = Filter("x > 8");
  auto plan = Open()->Plan(request).ValueOrDie();
  ASSERT_EQ(plan.fragments.size(), 1u);
  EXPECT_EQ(plan.fragments[0].row_groups, (std::vector<int>{1}));
  EXPECT_EQ(plan.fragments[0].num_rows.exact_value(), 3);
  EXPECT_EQ(plan.prune.row_groups_seen, 4);
  EXPECT_EQ(plan.prune.row_groups_kept, 1);
  EXPECT_EQ(plan.prune.conjuncts[0].row_groups_pruned, 3);
  EXPECT_EQ(plan.prune.conjuncts[0].files_pruned, 1);
  const std::string text = plan.ToString();
  for (const char* part :
       {"a.parquet", "b.parquet", "row group statistics", "file statistics", "x > 8"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  EXPECT_EQ(Xs(*Read(plan)), (std::vector<int64_t>{10, 11, 12}));
}

TEST_F(Plans, ALimitReadsOnlyTheFootersItNeeds) {
  for (int f = 0; f < 20; ++f) {
    std::string json;
    for (int i = 0; i < 5; ++i) json += (i ? ", " : "") + std::to_string(5 * f + i);
    Write("f" + std::to_string(100 + f) + ".parquet", *X("[" + json + "]"));
  }
  ScanRequest request;
  request.limit = 7;
  auto plan = OpenSampled()->Plan(request).ValueOrDie();
  EXPECT_EQ(plan.fragments.size(), 2u);
  EXPECT_LE(plan.prune.footers_read + plan.prune.footers_cached, 3);
  EXPECT_FALSE(plan.statistics.num_rows.is_exact());
  EXPECT_EQ(Xs(*Read(plan)), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));

  request.limit = 3;
  request.offset = 4;
  EXPECT_EQ(Xs(*Read(Open()->Plan(request).ValueOrDie())), (std::vector<int64_t>{4, 5, 6}));
  request.limit = 0;
  auto nothing = OpenSampled()->Plan(request).ValueOrDie();
  EXPECT_EQ(nothing.fragments.size(), 0u);
  EXPECT_EQ(nothing.prune.footers_read, 0);
  EXPECT_EQ(Read(nothing)->num_rows(), 0);
  // A filter over data leaves any number of rows: no file may be left out.
  request.limit = 1;
  request.offset = 0;
  request.filter = Filter("x = 99");
  EXPECT_EQ(Xs(*Read(Open()->Plan(request).ValueOrDie())), (std::vector<int64_t>{99}));
}

TEST_F(Plans, LimitsAndOffsetsOfAnySizeLoseNoRows) {
  Write("a.parquet", *X("[1, 2]"));
  Write("b.parquet", *X("[3, 4]"));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (auto [limit, offset, expected] :
       std::vector<std::tuple<int64_t, int64_t, std::vector<int64_t>>>{{kMost, 0, {1, 2, 3, 4}},
                                                                       {kMost, 1, {2, 3, 4}},
                                                                       {kMost, kMost, {}},
                                                                       {1, kMost, {}},
                                                                       {2, 1, {2, 3}}}) {
    ScanRequest request;
    request.limit = limit;
    request.offset = offset;
    for (const auto& dataset : {Open(), OpenSampled()}) {
      EXPECT_EQ(Xs(*Read(dataset->Plan(request).ValueOrDie())), expected) << limit << " " << offset;
      auto stream = dataset->Scan(request).ValueOrDie();
      EXPECT_EQ(Xs(*Read(*stream)), expected) << limit << " " << offset;
      // However large the limit, rows are still decoded together.
      EXPECT_LE(stream->metrics().batches_returned, 1);
    }
  }
}

TEST_F(Plans, CountingReadsFootersAndNoData) {
  constexpr int kFiles = 3;
  constexpr int64_t kTail = 64 << 10;
  std::string json = "[0";
  for (int i = 1; i < 30000; ++i) json += "," + std::to_string((i * 7919) % 1000003);
  for (int f = 0; f < kFiles; ++f)
    Write("f" + std::to_string(f) + ".parquet", *X(json + "]"), 10000);
  auto behaviour = std::make_shared<read::StoreBehaviour>();
  OpenOptions options;
  options.filesystem =
      std::make_shared<read::ObservedFilesystem>(directory_.path().string(), behaviour);
  auto dataset = Open(options);
  ASSERT_TRUE(dataset->schema().ok()) << dataset->schema().status();
  const int64_t reads = behaviour->reads, bytes = behaviour->bytes;
  EXPECT_EQ(dataset->Count().ValueOrDie(), kFiles * 30000);
  EXPECT_LE(behaviour->reads - reads, kFiles);
  EXPECT_LE(behaviour->bytes - bytes, kFiles * kTail);
  // Statistics prove this of every row.
  const int64_t before = behaviour->bytes;
  EXPECT_EQ(dataset->Count(Filter("x >= 0")).ValueOrDie(), kFiles * 30000);
  EXPECT_LE(behaviour->bytes - before, kFiles * kTail);
  const int64_t some = dataset->Count(Filter("x >= 500000")).ValueOrDie();
  ScanRequest request;
  request.filter = Filter("x >= 500000");
  EXPECT_EQ(some, Read(dataset->Plan(request).ValueOrDie())->num_rows());
  EXPECT_GT(some, 0);
}

TEST_F(Plans, AKeyThatIsAlsoInTheFilesHasTheirTypeAndThePathsValue) {
  const std::vector<std::pair<std::shared_ptr<arrow::DataType>, std::string>> cases = {
      {arrow::int64(), "[5, 5]"},
      {arrow::int32(), "[5, 5]"},
      {arrow::uint8(), "[5, 5]"},
      {arrow::utf8(), R"(["5", "5"])"},
      {arrow::large_utf8(), R"(["5", "5"])"},
      {arrow::float64(), "[5, 5]"},
      {arrow::int64(), "[9, 9]"},
  };
  for (const auto& [type, json] : cases) {
    SCOPED_TRACE(type->ToString() + " " + json);
    std::filesystem::remove_all(root());
    auto table = arrow::Table::Make(
        arrow::schema({arrow::field("k", type), arrow::field("x", arrow::int64())}),
        {Column(type, json), Column(arrow::int64(), "[1, 2]")});
    Write("k=5/f.parquet", *table);
    auto dataset = Open();
    auto schema = dataset->schema().ValueOrDie();
    ASSERT_EQ(schema->num_fields(), 2);
    EXPECT_TRUE(schema->GetFieldByName("k")->type()->Equals(*type)) << schema->ToString();
    ScanRequest request;
    auto all = Read(dataset->Plan(request).ValueOrDie());
    for (int64_t i = 0; i < 2; ++i) {
      auto value = all->GetColumnByName("k")->GetScalar(i).ValueOrDie();
      EXPECT_EQ(value->ToString(), "5");
    }
    request.filter = Filter("k = 5");
    EXPECT_EQ(Read(dataset->Plan(request).ValueOrDie())->num_rows(), 2);
    EXPECT_EQ(dataset->Count(request.filter).ValueOrDie(), 2);
    request.filter = Filter("k = 6");
    auto none = dataset->Plan(request).ValueOrDie();
    EXPECT_EQ(none.fragments.size(), 0u);
    EXPECT_EQ(Read(none)->num_rows(), 0);
    EXPECT_EQ(dataset->Count(request.filter).ValueOrDie(), 0);
  }
}

TEST_F(Plans, WhereAPathLacksAKeyThatTheFilesHaveTheFileDecides) {
  auto table = arrow::Table::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("x", arrow::int64())}),
      {Column(arrow::int64(), "[5, 6]"), Column(arrow::int64(), "[1, 2]")});
  Write("a.parquet", *table);
  Write("k=7/f.parquet", *X("[3]"));
  ScanRequest request;
  request.filter = Filter("k >= 6");
  auto dataset = Open();
  EXPECT_EQ(Xs(*Read(dataset->Plan(request).ValueOrDie())), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(dataset->Count(request.filter).ValueOrDie(), 2);
}

TEST_F(Plans, ALimitDoesNotCountRowsOfAKeyThatOnlyTheFileHas) {
  auto table = arrow::Table::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("x", arrow::int64())}),
      {Column(arrow::int64(), "[7, 8, 8, 8]"), Column(arrow::int64(), "[1, 2, 3, 4]")});
  Write("a.parquet", *table);
  Write("k=7/f.parquet", *X("[5, 6]"));
  Write("k=7/g.parquet", *X("[9]"));
  ScanRequest request;
  request.filter = Filter("k = 7");
  request.limit = 3;
  auto dataset = Open();
  auto plan = dataset->Plan(request).ValueOrDie();
  EXPECT_EQ(Xs(*Read(plan)), (std::vector<int64_t>{1, 5, 6}));
  EXPECT_EQ(Xs(*Read(*dataset->Scan(request).ValueOrDie())), (std::vector<int64_t>{1, 5, 6}));
  // What the keys of paths alone decide is still counted.
  request.limit = 1;
  std::filesystem::remove(std::filesystem::path(root()) / "a.parquet");
  EXPECT_EQ(Open()->Plan(request).ValueOrDie().fragments.size(), 1u);
}

TEST_F(Plans, AKeyThatIsAlsoInTheFilesMayBeNullWhateverTheyPromise) {
  auto table =
      arrow::Table::Make(arrow::schema({arrow::field("k", arrow::int64(), /*nullable=*/false)}),
                         {Column(arrow::int64(), "[5, 6]")});
  Write("k=1/f.parquet", *table);
  Write("k=__HIVE_DEFAULT_PARTITION__/f.parquet", *table);
  auto dataset = Open();
  EXPECT_TRUE(dataset->schema().ValueOrDie()->field(0)->nullable());
  EXPECT_EQ(dataset->Count(Filter("k is null")).ValueOrDie(), 2);
}

TEST_F(Plans, WhetherAnUninspectedFileHasAKeyIsUnknownUntilItsFooterIsRead) {
  auto with_key = arrow::Table::Make(
      arrow::schema({arrow::field("k", arrow::int32()), arrow::field("x", arrow::int64())}),
      {Column(arrow::int32(), "[5, 6]"), Column(arrow::int64(), "[1, 2]")});
  Write("k=1/f.parquet", *X("[3]"));
  Write("z.parquet", *with_key);
  OpenOptions declared;
  declared.schema =
      arrow::schema({arrow::field("k", arrow::int32()), arrow::field("x", arrow::int64())});
  ScanRequest request;
  request.filter = Filter("k = 6");
  for (const auto& dataset : {OpenSampled(), Open(declared)}) {
    EXPECT_EQ(Xs(*Read(dataset->Plan(request).ValueOrDie())), (std::vector<int64_t>{2}));
    EXPECT_EQ(dataset->Count(request.filter).ValueOrDie(), 1);
    EXPECT_EQ(dataset->Count(Filter("k is null")).ValueOrDie(), 0);
  }
}

TEST_F(Plans, StatisticsOfKeysSpeakOfRowsThatExist) {
  Write("k=1/d=a/n=nan/f.parquet", *X("[1, 2]"));
  Write("k=7/d=b/n=2.5/f.parquet", *X("[]"));
  OpenOptions options;
  HiveOptions hive;
  hive.declared =
      arrow::schema({arrow::field("d", arrow::dictionary(arrow::int32(), arrow::utf8())),
                     arrow::field("n", arrow::float64())});
  options.partitioning = MakeHivePartitioning(hive);
  auto statistics = [&](const std::string& filter) {
    ScanRequest request;
    request.filter = Filter(filter);
    PlanOptions planning;
    planning.column_statistics = true;
    return Open(options)->Plan(request, planning).ValueOrDie().statistics.columns;
  };
  auto all = statistics("true");
  EXPECT_EQ(all[1].max.value()->ToString(), "1");
  EXPECT_TRUE(all[1].max.is_exact());
  EXPECT_TRUE(all[2].max.value()->type->Equals(*arrow::utf8()));
  EXPECT_EQ(all[2].max.value()->ToString(), "a");
  EXPECT_TRUE(all[3].min.is_absent()) << "NaN is no bound";
  EXPECT_TRUE(statistics("k = 7")[1].min.is_absent()) << "no row has the key";
}

TEST_F(Plans, AColumnThatTurnsOutToBeAKeyAfterTheInspectionIsAnErrorThatNamesThePath) {
  auto table = arrow::Table::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("x", arrow::int64())}),
      {Column(arrow::int64(), "[5, 6]"), Column(arrow::int64(), "[1, 2]")});
  Write("a.parquet", *table);
  Write("k=7/f.parquet", *X("[3]"));
  auto dataset = OpenSampled();
  ASSERT_EQ(dataset->partition_schema().ValueOrDie()->num_fields(), 0) << "the sample has no keys";
  for (const arrow::Status& status :
       {dataset->Plan({}).status(), dataset->Scan({}).status(), dataset->Count().status()}) {
    ASSERT_TRUE(status.IsInvalid()) << status;
    EXPECT_NE(status.message().find("k=7/f.parquet"), std::string::npos) << status;
  }
}

TEST_F(Plans, ANumberAgainstATextKeyThatIsNoNumberNamesThePath) {
  Write("k=01/f.parquet", *X("[1]"));
  Write("k=abc/f.parquet", *X("[2]"));
  ScanRequest request;
  request.filter = Filter("k = 1");
  for (const auto& dataset : {Open(), OpenSampled()}) {
    const arrow::Status status = dataset->Plan(request).status();
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("k=abc"), std::string::npos) << status;
  }
  std::filesystem::remove_all(std::filesystem::path(root()) / "k=abc");
  Write("k=2/f.parquet", *X("[2]"));
  EXPECT_EQ(Xs(*Read(Open()->Plan(request).ValueOrDie())), (std::vector<int64_t>{1}));
}

TEST_F(Plans, TravelAsJsonAndReadTheSameRows) {
  for (int k = 0; k < 3; ++k) {
    Write("k=" + std::to_string(k) + "/f.parquet", *X("[" + std::to_string(k) + ", 5, 6, null]"),
          2);
  }
  Write("k=__HIVE_DEFAULT_PARTITION__/f.parquet", *X("[7]"));
  Write("loose.parquet", *X("[8]"));
  ScanRequest request;
  request.filter = Filter("x >= 5 and (k is null or k > 0)");
  request.columns = {{{"twice", arrow::compute::call("add", {arrow::compute::field_ref("x"),
                                                             arrow::compute::field_ref("x")})},
                      {"k", arrow::compute::field_ref("k")}}};
  request.limit = 4;
  request.offset = 1;
  auto plan = Open()->Plan(request).ValueOrDie();
  const std::string json = plan.ToJson().ValueOrDie();
  auto back = ScanPlan::FromJson(json).ValueOrDie();
  EXPECT_TRUE(back.output_schema->Equals(*plan.output_schema, true));
  EXPECT_TRUE(back.table_schema->Equals(*plan.table_schema, true));
  EXPECT_TRUE(back.partition_schema->Equals(*plan.partition_schema, true));
  EXPECT_TRUE(back.request.filter.Equals(plan.request.filter));
  EXPECT_EQ(back.request.limit, plan.request.limit);
  EXPECT_EQ(back.request.offset, plan.request.offset);
  ASSERT_EQ(back.fragments.size(), plan.fragments.size());
  for (size_t i = 0; i < plan.fragments.size(); ++i) {
    EXPECT_EQ(back.fragments[i].path, plan.fragments[i].path);
    EXPECT_EQ(back.fragments[i].version, plan.fragments[i].version);
    EXPECT_EQ(back.fragments[i].row_groups, plan.fragments[i].row_groups);
    EXPECT_EQ(back.fragments[i].num_rows.exact_value(), plan.fragments[i].num_rows.exact_value());
    const auto& value = (*plan.fragments[i].partition_values)[0];
    const auto& same = (*back.fragments[i].partition_values)[0];
    ASSERT_EQ(value == nullptr, same == nullptr);
    if (value) {
      EXPECT_TRUE(value->Equals(*same));
    }
  }
  auto rows = Read(plan);
  EXPECT_EQ(rows->num_rows(), 4);
  EXPECT_TRUE(rows->Equals(*Read(back)));
}

TEST_F(Plans, ThatDoNotHoldTogetherAreErrorsBeforeAnythingIsRead) {
  Write("k=1/f.parquet", *X("[1, 2, 3]"), 1);
  auto sound = Open()->Plan({}).ValueOrDie();
  ASSERT_TRUE(BatchStream::Make(sound).ok());
  auto refused = [&](const std::function<void(ScanPlan*)>& damage) {
    ScanPlan plan = sound;
    damage(&plan);
    return BatchStream::Make(plan).status().IsInvalid();
  };
  EXPECT_TRUE(refused([](ScanPlan* p) { p->request.columns->pop_back(); }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->request.columns.reset(); }));
  EXPECT_TRUE(
      refused([](ScanPlan* p) { std::swap((*p->request.columns)[0], (*p->request.columns)[1]); }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->request.filter = arrow::compute::field_ref("x"); }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->request.limit = -1; }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->request.offset = -1; }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->fragments[0].row_groups = {{1, 0, 1}}; }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->fragments[0].row_groups = {{-1}}; }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->fragments[0].partition_values = nullptr; }));
  EXPECT_TRUE(refused([](ScanPlan* p) {
    p->fragments[0].partition_values = std::make_shared<const PartitionValues>(
        PartitionValues{std::make_shared<arrow::StringScalar>("1")});
  }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->filesystem = nullptr; }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->table_schema = nullptr; }));
  EXPECT_TRUE(refused([](ScanPlan* p) { p->partition_schema = arrow::schema({}); }));
  // A row group that the file does not have is told when the file is opened.
  ScanPlan beyond = sound;
  beyond.fragments[0].row_groups = {{7}};
  EXPECT_TRUE(BatchStream::Make(beyond).ValueOrDie()->Next().status().IsIndexError());
}

TEST_F(Plans, OfAChangedColumnListInJsonAreErrors) {
  Write("f.parquet", *X("[1]"));
  const auto plan = Open()->Plan({}).ValueOrDie();
  std::string json = plan.ToJson().ValueOrDie();
  const size_t begin = json.find("\"columns\": [") + 12, end = json.find(']', begin);
  ASSERT_LT(end, json.size());
  json.replace(begin, end - begin, "");
  EXPECT_TRUE(ScanPlan::FromJson(json).status().IsInvalid());
}

TEST_F(Plans, EmptyFilesAreReportedOnce) {
  Write("a.parquet", *X("[1]"));
  std::ofstream(std::filesystem::path(root()) / "empty.parquet");
  for (int64_t inspect : {int64_t{1}, int64_t{256}}) {
    OpenOptions options;
    options.inspect = inspect;
    auto plan = Open(options)->Plan({}).ValueOrDie();
    EXPECT_EQ(plan.listing[ListingIssue::kZeroByte].count, 1) << inspect;
    EXPECT_EQ(plan.fragments.size(), 1u);
  }
}

TEST_F(Plans, FootersOnAStoreAreReadOnce) {
  Write("a.parquet", *X("[1]"));
  Write("b.parquet", *X("[2]"));
  auto behaviour = std::make_shared<read::StoreBehaviour>();
  OpenOptions options;
  options.filesystem = std::make_shared<read::ObservedFilesystem>(directory_.path(), behaviour);
  auto dataset = Open(options);
  ASSERT_TRUE(dataset->schema().ok());
  const int64_t reads = behaviour->reads;
  EXPECT_EQ(dataset->Plan({}).ValueOrDie().prune.footers_cached, 2);
  EXPECT_EQ(behaviour->reads, reads);
}

TEST_F(Plans, DictionaryTypesTravelAsJson) {
  auto dictionary = arrow::dictionary(arrow::int32(), arrow::utf8());
  auto table = arrow::Table::Make(
      arrow::schema({arrow::field("d", dictionary), arrow::field("x", arrow::int64())}),
      {Column(dictionary, R"(["a", "b"])"), Column(arrow::int64(), "[1, 2]")});
  Write("k=u/f.parquet", *table);
  OpenOptions options;
  HiveOptions hive;
  hive.declared = arrow::schema({arrow::field("k", dictionary)});
  options.partitioning = MakeHivePartitioning(hive);
  ScanRequest request;
  request.filter = Filter("d = 'b' and k = 'u'");
  auto plan = Open(options)->Plan(request).ValueOrDie();
  auto back = ScanPlan::FromJson(plan.ToJson().ValueOrDie()).ValueOrDie();
  EXPECT_TRUE(back.table_schema->Equals(*plan.table_schema));
  EXPECT_TRUE(back.partition_schema->Equals(*plan.partition_schema));
  EXPECT_EQ(Xs(*Read(back)), (std::vector<int64_t>{2}));
}

TEST_F(Plans, WhatIsNoPlanIsAnError) {
  Write("f.parquet", *X("[1]"));
  const std::string json = Open()->Plan({}).ValueOrDie().ToJson().ValueOrDie();
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1, 2"),
        std::string(R"({"shoal_plan": 999})"), json.substr(0, json.size() / 2)}) {
    EXPECT_TRUE(ScanPlan::FromJson(text).status().IsInvalid()) << text;
  }
}

TEST_F(Plans, AFileThatChangedAfterPlanningIsAnErrorThatNamesIt) {
  Write("a.parquet", *X("[1, 2, 3]"));
  Write("b.parquet", *X("[4, 5, 6]"));
  auto plan = Open()->Plan({}).ValueOrDie();
  Write("b.parquet", *X("[4, 5, 6, 7, 8, 9, 10]"));
  auto stream = BatchStream::Make(plan).ValueOrDie();
  arrow::Status status;
  while (status.ok()) {
    auto batch = stream->Next();
    status = batch.status();
    ASSERT_TRUE(!status.ok() || *batch);
  }
  EXPECT_NE(status.message().find("b.parquet"), std::string::npos) << status;
  ScanOptions skip;
  skip.on_corrupt = OnBadFile::kSkip;
  // A replaced file is not a corrupt one: its rows exist.
  EXPECT_FALSE([&] {
    auto again = BatchStream::Make(plan, skip).ValueOrDie();
    while (true) {
      auto batch = again->Next();
      if (!batch.ok()) return false;
      if (!*batch) return true;
    }
  }());
}

TEST_F(Plans, MissingAndCorruptFilesAreSkippedOnRequestAndReported) {
  for (const char* name : {"a", "b", "c"}) Write(std::string(name) + ".parquet", *X("[1]"));
  PlanOptions without_footers;
  without_footers.collect_statistics = false;
  OpenOptions options;
  options.inspect = 1;
  options.schema = arrow::schema({arrow::field("x", arrow::int64())});
  {
    std::ofstream(std::filesystem::path(root()) / "b.parquet") << "this is no Parquet file at all";
  }
  auto plan = Open(options)->Plan({}, without_footers).ValueOrDie();
  std::filesystem::remove(std::filesystem::path(root()) / "c.parquet");
  EXPECT_FALSE(ToRecordBatchReader(BatchStream::Make(plan).ValueOrDie())->ToTable().ok());
  ScanOptions skip;
  skip.on_corrupt = skip.on_missing = OnBadFile::kSkip;
  auto stream = BatchStream::Make(plan, skip).ValueOrDie();
  EXPECT_EQ(Xs(*Read(*stream)), (std::vector<int64_t>{1}));
  EXPECT_EQ(stream->metrics().skipped.size(), 2u);
}

}  // namespace
}  // namespace shoal
