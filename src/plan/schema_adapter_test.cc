// Batches of an engine's own reader become rows of the table.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "formats/parquet/test_files.h"
#include "temporary_directory.h"

namespace shoal {
namespace {

using arrow::field;
using SchemaPtr = std::shared_ptr<arrow::Schema>;
using Names = std::vector<std::string>;

const bool kInitialized = arrow::compute::Initialize().ok();

std::shared_ptr<arrow::RecordBatch> Batch(const SchemaPtr& schema, const std::string& rows) {
  auto array =
      arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), rows).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(array).ValueOrDie();
}

/// A table of two files: k=1/narrow.parquet has less than k=2/wide.parquet.
class SchemaAdapters : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("k=1/narrow.parquet", Batch(narrow_, R"([[{"a": 1}, 5, 0.5], [null, 6, null]])"));
    Write("k=2/wide.parquet", Batch(wide_, R"([[7, "t", {"a": 2, "b": "u"}]])"));
  }
  void Write(const std::string& path, const std::shared_ptr<arrow::RecordBatch>& rows) {
    const auto full = std::filesystem::path(root()) / path;
    std::filesystem::create_directories(full.parent_path());
    auto table = arrow::Table::FromRecordBatches({rows}).ValueOrDie();
    std::ofstream(full, std::ios::binary)
        << formats::parquet::WriteFile(*table, 1000, formats::parquet::Default());
  }
  std::string root() const { return directory_.path() / "root"; }

  FileScanConfig Scan(ColumnChoice projection = {}, OpenOptions options = {}) {
    return Dataset::Open({root()}, std::move(options))
        .ValueOrDie()
        ->FileScan({.projection = std::move(projection)}, {.mode = ReadMode::kEngineReads})
        .ValueOrDie();
  }
  static std::unique_ptr<SchemaAdapter> Adapter(const FileScanConfig& config, size_t fragment,
                                                const SchemaPtr& file) {
    return config.MakeAdapter(config.plan->fragments[fragment], *file).ValueOrDie();
  }
  static void ExpectAdapted(const SchemaAdapter& adapter, const FileScanConfig& config,
                            const std::shared_ptr<arrow::RecordBatch>& batch,
                            const std::string& expected) {
    auto adapted = adapter.Adapt(*batch).ValueOrDie();
    ASSERT_TRUE(adapted->ValidateFull().ok()) << adapted->ValidateFull();
    EXPECT_TRUE(adapted->schema()->Equals(*config.scan_schema));
    auto wanted = Batch(config.scan_schema, expected);
    EXPECT_TRUE(adapted->Equals(*wanted)) << adapted->ToString() << wanted->ToString();
  }

  const SchemaPtr narrow_ =
      arrow::schema({field("s", arrow::struct_({field("a", arrow::int32())})),
                     field("x", arrow::int32()), field("f", arrow::float32())});
  const SchemaPtr wide_ = arrow::schema(
      {field("x", arrow::int64()), field("t", arrow::utf8()),
       field("s", arrow::struct_({field("a", arrow::int64()), field("b", arrow::utf8())}))});
  testing::TemporaryDirectory directory_;
};

TEST_F(SchemaAdapters, WidenReorderFillWithNullsAndAddKeys) {
  auto config = Scan();
  ASSERT_EQ(config.scan_schema->field_names(), (Names{"s", "x", "f", "t", "k"}));
  auto narrow = Adapter(config, 0, narrow_);
  ExpectAdapted(*narrow, config, Batch(narrow_, R"([[{"a": 1}, 5, 0.5], [null, 6, null]])"),
                R"([[{"a": 1, "b": null}, 5, 0.5, null, 1], [null, 6, null, null, 1]])");
  auto wide = Adapter(config, 1, wide_);
  ExpectAdapted(*wide, config, Batch(wide_, R"([[7, "t", {"a": 2, "b": "u"}]])"),
                R"([[{"a": 2, "b": "u"}, 7, null, "t", 2]])");
}

TEST_F(SchemaAdapters, NameWhatMustBeRead) {
  auto config = Scan(Names{"k", "s"});
  auto narrow = Adapter(config, 0, narrow_), wide = Adapter(config, 1, wide_);
  EXPECT_EQ(narrow->columns(), std::vector<int>{0});
  EXPECT_EQ(narrow->leaves(), std::vector<int>{0});
  EXPECT_EQ(wide->columns(), std::vector<int>{2});
  EXPECT_EQ(wide->leaves(), (std::vector<int>{2, 3}));
  auto only_keys = Scan(Names{"k"});
  auto none = Adapter(only_keys, 0, narrow_);
  EXPECT_TRUE(none->columns().empty());
  ExpectAdapted(*none, only_keys,
                arrow::RecordBatch::Make(arrow::schema({}), 2, arrow::ArrayVector{}), "[[1], [1]]");
}

TEST_F(SchemaAdapters, TakeMoreColumnsInAnyOrder) {
  auto config = Scan(Names{"x", "k"});
  auto wide = Adapter(config, 1, wide_);
  const auto more =
      arrow::schema({field("other", arrow::utf8()), wide_->field(2), wide_->field(0)});
  ExpectAdapted(*wide, config, Batch(more, R"([["o", {"a": 1, "b": "u"}, 7]])"), "[[7, 2]]");
}

TEST_F(SchemaAdapters, TakeOtherTypesThatFitTheTable) {
  auto config = Scan(Names{"x", "t"});
  auto wide = Adapter(config, 1, wide_);
  const auto others = arrow::schema(
      {field("t", arrow::dictionary(arrow::int32(), arrow::utf8())), field("x", arrow::uint8())});
  ExpectAdapted(*wide, config, Batch(others, R"([["t", 7], ["t", 8]])"), R"([[7, "t"], [8, "t"]])");
}

TEST_F(SchemaAdapters, AColumnOfTheFileThatNobodyReadIsNoNull) {
  auto config = Scan();
  auto wide = Adapter(config, 1, wide_);
  const auto error = [&](const SchemaPtr& schema) {
    auto status = wide->Adapt(*Batch(schema, "[]")).status();
    EXPECT_TRUE(status.IsInvalid()) << status;
    return status.message();
  };
  const auto without_t = arrow::schema({wide_->field(0), wide_->field(2)});
  EXPECT_NE(error(without_t).find("`t`"), std::string::npos);
  EXPECT_NE(error(without_t).find("k=2/wide.parquet"), std::string::npos);
  const auto half_s = arrow::schema(
      {wide_->field(0), wide_->field(1), field("s", arrow::struct_({field("a", arrow::int64())}))});
  EXPECT_NE(error(half_s).find("`s.b`"), std::string::npos);
}

TEST_F(SchemaAdapters, TypesThatDoNotFitAreErrorsThatNameTheFile) {
  auto config = Scan();
  const auto text = arrow::schema({field("x", arrow::utf8())});
  auto status = config.MakeAdapter(config.plan->fragments[1], *text).status();
  EXPECT_TRUE(status.IsTypeError()) << status;
  EXPECT_NE(status.message().find("wide.parquet"), std::string::npos) << status;
}

TEST_F(SchemaAdapters, ADeclaredSchemaCastsAndNamesTheValueThatDoesNotFit) {
  OpenOptions options;
  options.schema = arrow::schema({field("x", arrow::int8()), field("k", arrow::int32())});
  auto config = Scan({}, options);
  auto wide = Adapter(config, 1, wide_);
  const auto x = arrow::schema({wide_->field(0)});
  ExpectAdapted(*wide, config, Batch(x, "[[7]]"), "[[7, 2]]");
  auto status = wide->Adapt(*Batch(x, "[[7], [1000]]")).status();
  EXPECT_NE(status.message().find("1000"), std::string::npos) << status;
  EXPECT_NE(status.message().find("`x`"), std::string::npos) << status;
}

TEST_F(SchemaAdapters, OutliveTheConfigurationAndServeManyThreads) {
  std::unique_ptr<SchemaAdapter> adapter;
  {
    auto config = Scan(Names{"x"});
    adapter = Adapter(config, 1, wide_);
  }
  const auto x = arrow::schema({wide_->field(0)});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Of two schemas in turn, so that what one thread remembers is of no use to the other.
      const auto schema = t % 2 ? x : wide_;
      const auto batch =
          Batch(schema, t % 2 ? "[[7], [8]]" : R"([[7, "t", null], [8, "t", null]])");
      for (int i = 0; i < 200; ++i) {
        auto adapted = adapter->Adapt(*batch).ValueOrDie();
        EXPECT_EQ(static_cast<const arrow::Int64Array&>(*adapted->column(0)).Value(1), 8);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace shoal
