// What engines are told: filters, limits, and what there is to read.
#include <shoal/file_scan.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/compute/kernel.h>
#include <arrow/compute/registry.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "engine_reader.h"
#include "formats/parquet/test_files.h"
#include "temporary_directory.h"

namespace shoal {
namespace {

using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::literal;
using formats::parquet::Column;
using Names = std::vector<std::string>;

const bool kInitialized = arrow::compute::Initialize().ok();

constexpr ReadMode kShoal = ReadMode::kShoalReads;
constexpr ReadMode kEngine = ReadMode::kEngineReads;

Expression Filter(const std::string& text) { return ParseFilter(text).ValueOrDie(); }

class EngineScans : public ::testing::Test {
 protected:
  std::string root() const { return directory_.path() / "root"; }

  void Write(const std::string& path, const std::string& content) {
    const auto full = std::filesystem::path(root()) / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << content;
  }
  void Write(const std::string& path, const arrow::Table& table, int64_t row_group_rows = 1 << 20) {
    Write(path, formats::parquet::WriteFile(table, row_group_rows, formats::parquet::Default()));
  }
  static std::shared_ptr<arrow::Table> X(const std::string& json) {
    return formats::parquet::OneColumn(Column(arrow::int64(), json));
  }
  /// k=0 with x 0, 1, k=1 with x 10, 11, and so on.
  void WriteKeys(int count) {
    for (int k = 0; k < count; ++k) {
      const int x = 10 * k;
      Write("k=" + std::to_string(k) + "/f.parquet",
            *X("[" + std::to_string(x) + "," + std::to_string(x + 1) + "]"));
    }
  }
  std::shared_ptr<Dataset> Open(OpenOptions options = {}) {
    return Dataset::Open({root()}, std::move(options)).ValueOrDie();
  }

  static FilterSupport Support(const Dataset& dataset, const Expression& filter, ReadMode mode) {
    return dataset.SupportsFilters({filter}, mode).ValueOrDie()[0];
  }
  static std::string Use(const Dataset& dataset, const Expression& filter, ReadMode mode) {
    return std::string(ToString(Support(dataset, filter, mode).use));
  }
  static std::string Use(const Dataset& dataset, const std::string& filter, ReadMode mode) {
    return Use(dataset, Filter(filter), mode);
  }
  /// A filter's answers in both modes: "exact inexact".
  static std::string Uses(const Dataset& dataset, const Expression& filter) {
    return Use(dataset, filter, kShoal) + " " + Use(dataset, filter, kEngine);
  }
  static std::string Uses(const Dataset& dataset, const std::string& filter) {
    return Uses(dataset, Filter(filter));
  }

  static std::shared_ptr<arrow::Table> ReadAsEngine(const FileScanConfig& config,
                                                    bool finish = true) {
    arrow::RecordBatchVector out;
    for (const FileGroup& group : config.file_groups.groups) {
      for (const Fragment& fragment : group.fragments) {
        auto batches = oracle::ReadAsEngine(config, fragment, oracle::Reads::kLeaves).ValueOrDie();
        for (const auto& batch : batches)
          out.push_back(finish ? config.Finish(batch).ValueOrDie() : batch);
      }
    }
    return arrow::Table::FromRecordBatches(finish ? config.output_schema : config.scan_schema, out)
        .ValueOrDie();
  }
  static std::vector<int64_t> Ints(const arrow::Table& table, const std::string& column = "x") {
    std::vector<int64_t> out;
    for (const auto& chunk : table.GetColumnByName(column)->chunks()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*chunk);
      for (int64_t i = 0; i < values.length(); ++i) out.push_back(values.Value(i));
    }
    return out;
  }

  testing::TemporaryDirectory directory_;
};

// ---- Filters

TEST_F(EngineScans, KeysDecideExactlyAndDataOnlyWhereRowsAreRead) {
  WriteKeys(3);
  auto dataset = Open();
  EXPECT_EQ(Uses(*dataset, "k = 1"), "exact exact");
  EXPECT_EQ(Uses(*dataset, "k > 0 or k is null"), "exact exact");
  EXPECT_EQ(Uses(*dataset, "x > 5"), "exact inexact");
  EXPECT_EQ(Uses(*dataset, "x + 1 > 5"), "exact inexact");
  EXPECT_EQ(Uses(*dataset, "k = 1 or x > 5"), "exact inexact");
  EXPECT_EQ(Uses(*dataset, "k = 1 and x > 5"), "exact inexact");
  EXPECT_EQ(Uses(*dataset, literal(true)), "exact exact");
  EXPECT_EQ(Uses(*dataset, literal(false)), "exact exact");
  EXPECT_NE(Support(*dataset, Filter("x > 5"), kEngine).reason, "");
}

TEST_F(EngineScans, WhatOnlyTheEngineUnderstandsIsUnsupported) {
  WriteKeys(1);
  auto dataset = Open();
  const Expression random =
      call("less", {call("random", {}, arrow::compute::RandomOptions()), literal(0.5)});
  EXPECT_EQ(Uses(*dataset, random), "unsupported unsupported");
  EXPECT_NE(Support(*dataset, random, kShoal).reason.find("`random`"), std::string::npos);
  const Expression unknown = call("engine_soundex", {field_ref("x")});
  EXPECT_EQ(Uses(*dataset, unknown), "unsupported unsupported");
  EXPECT_NE(Support(*dataset, unknown, kShoal).reason.find("`engine_soundex`"), std::string::npos);
  EXPECT_EQ(Uses(*dataset, call("less", {call("cumulative_sum", {field_ref("x")}), literal(1)})),
            "unsupported unsupported");
  // One part that is used is enough for rows to be fewer.
  EXPECT_EQ(Uses(*dataset, arrow::compute::and_(Filter("k = 0"), unknown)), "inexact inexact");
}

TEST_F(EngineScans, ChainsMayBeLong) {
  WriteKeys(1);
  Expression chain = literal(false);
  for (int i = 0; i < 20000; ++i)
    chain =
        arrow::compute::or_(std::move(chain), arrow::compute::equal(field_ref("x"), literal(i)));
  EXPECT_EQ(Uses(*Open(), chain), "exact inexact");
}

TEST_F(EngineScans, MistakesAreErrorsWhoeverEvaluatesThem) {
  WriteKeys(1);
  auto dataset = Open();
  const auto error = [&](const Expression& filter) {
    return dataset->SupportsFilters({filter}).status().ToString();
  };
  EXPECT_NE(error(Filter("y > 5")).find("y"), std::string::npos);
  EXPECT_NE(error(call("engine_soundex", {field_ref("y")})).find("y"), std::string::npos);
  EXPECT_TRUE(dataset->SupportsFilters({Filter("x = 'a'")}).status().IsTypeError())
      << error(Filter("x = 'a'"));
  EXPECT_NE(error(field_ref("x")).find("must evaluate to bool"), std::string::npos);
}

arrow::Status IsOdd(arrow::compute::KernelContext*, const arrow::compute::ExecSpan& batch,
                    arrow::compute::ExecResult* out) {
  const int64_t* values = batch[0].array.GetValues<int64_t>(1);
  arrow::BooleanBuilder builder;
  for (int64_t i = 0; i < batch.length; ++i)
    ARROW_RETURN_NOT_OK(builder.Append(values[i] % 2 == 1));
  ARROW_ASSIGN_OR_RAISE(auto made, builder.Finish());
  out->value = made->data();
  return arrow::Status::OK();
}

void Register(const std::string& name, bool is_pure) {
  auto function = std::make_shared<arrow::compute::ScalarFunction>(
      name, arrow::compute::Arity::Unary(), arrow::compute::FunctionDoc{"", "", {"x"}}, nullptr,
      is_pure);
  arrow::compute::ScalarKernel kernel({arrow::int64()}, arrow::boolean(), IsOdd);
  kernel.mem_allocation = arrow::compute::MemAllocation::NO_PREALLOCATE;
  kernel.null_handling = arrow::compute::NullHandling::COMPUTED_NO_PREALLOCATE;
  ASSERT_TRUE(function->AddKernel(std::move(kernel)).ok());
  ASSERT_TRUE(
      arrow::compute::GetFunctionRegistry()->AddFunction(function, /*allow_overwrite=*/true).ok());
}

TEST_F(EngineScans, FunctionsOfUsersCountAsTheyAreRegistered) {
  WriteKeys(3);
  auto dataset = Open();
  Register("test_is_odd", true);
  Register("test_is_odd_today", false);
  const Expression pure = call("test_is_odd", {field_ref("x")});
  EXPECT_EQ(Uses(*dataset, pure), "exact inexact");
  EXPECT_EQ(Uses(*dataset, call("test_is_odd_today", {field_ref("x")})), "unsupported unsupported");
  auto config = dataset->FileScan({.filters = {pure}}, {.mode = kEngine}).ValueOrDie();
  EXPECT_EQ(Ints(*ReadAsEngine(config)), (std::vector<int64_t>{1, 11, 21}));
}

TEST_F(EngineScans, AKeyThatSomePathsLackAndFilesHaveIsData) {
  const auto both =
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("x", arrow::int64())});
  Write("k=1/f.parquet", *X("[1]"));
  Write("g.parquet", *arrow::Table::Make(both, {Column(arrow::int64(), "[1, 2]"),
                                                Column(arrow::int64(), "[2, 3]")}));
  auto dataset = Open();
  EXPECT_EQ(Uses(*dataset, "k = 1"), "exact inexact");
  auto config = dataset->FileScan({.filters = {Filter("k = 1")}}, {.mode = kEngine}).ValueOrDie();
  EXPECT_EQ(Ints(*ReadAsEngine(config)), (std::vector<int64_t>{2, 1}));
  // So rows of the second file are dropped, and counting all of them is no exact count.
  auto shoal = dataset->FileScan({.filters = {Filter("k = 1")}}).ValueOrDie();
  EXPECT_EQ(shoal.statistics.num_rows.value(), 3);
  EXPECT_FALSE(shoal.statistics.num_rows.is_exact());
  EXPECT_FALSE(dataset->Statistics(Filter("k = 1")).ValueOrDie().num_rows.is_exact());
}

TEST_F(EngineScans, EachKeyThatAnUnseenPathLacksIsLookedFor) {
  Write("a=1/b=1/f.parquet", *X("[10]"));
  const auto with_b =
      arrow::schema({arrow::field("b", arrow::int32()), arrow::field("x", arrow::int64())});
  Write("z.parquet", *arrow::Table::Make(
                         with_b, {Column(arrow::int32(), "[1]"), Column(arrow::int64(), "[99]")}));
  OpenOptions first;
  first.inspect = 1;
  const auto status =
      Open(first)->FileScan({.filters = {Filter("a = 1 or b = 1")}}, {.mode = kEngine}).status();
  EXPECT_NE(status.message().find("z.parquet"), std::string::npos) << status;
  EXPECT_NE(status.message().find("'b'"), std::string::npos) << status;
}

TEST_F(EngineScans, OnlyBatchesOfTheScanAreFinished) {
  WriteKeys(2);
  const auto config = Open()->FileScan({}).ValueOrDie();
  for (const auto& fields :
       {arrow::FieldVector{},
        arrow::FieldVector{arrow::field("y", arrow::int64()), arrow::field("k", arrow::int32())}}) {
    const auto schema = arrow::schema(fields);
    auto empty = arrow::RecordBatch::MakeEmpty(schema).ValueOrDie();
    EXPECT_TRUE(config.Finish(empty).status().IsInvalid());
  }
}

TEST_F(EngineScans, AKeyThatOnlyUnseenPathsLackIsDecidedByLookingOrIsAnError) {
  WriteKeys(3);
  Write("z.parquet", *X("[99]"));
  OpenOptions first;
  first.inspect = 1;
  {
    // The odd file has no such column: the key is null in it.
    auto dataset = Open(first);
    ASSERT_EQ(Use(*dataset, "k >= 1", kEngine), "exact");
    for (bool statistics : {true, false}) {
      auto config = dataset
                        ->FileScan({.filters = {Filter("k >= 1")}},
                                   {.mode = kEngine, .collect_statistics = statistics})
                        .ValueOrDie();
      EXPECT_TRUE(config.residual_filters.empty());
      EXPECT_EQ(Ints(*ReadAsEngine(config)), (std::vector<int64_t>{10, 11, 20, 21}));
    }
  }
  const auto both =
      arrow::schema({arrow::field("k", arrow::int32()), arrow::field("x", arrow::int64())});
  Write("z.parquet",
        *arrow::Table::Make(both, {Column(arrow::int32(), "[1]"), Column(arrow::int64(), "[99]")}));
  const auto status =
      Open(first)->FileScan({.filters = {Filter("k >= 1")}}, {.mode = kEngine}).status();
  EXPECT_NE(status.message().find("z.parquet"), std::string::npos) << status;
  EXPECT_NE(status.message().find("Inspect all files"), std::string::npos) << status;
  // With all files inspected the answer is another one, and no error.
  auto all = Open();
  EXPECT_EQ(Use(*all, "k >= 1", kEngine), "inexact");
  auto config = all->FileScan({.filters = {Filter("k >= 1")}}, {.mode = kEngine}).ValueOrDie();
  EXPECT_EQ(Ints(*ReadAsEngine(config)), (std::vector<int64_t>{10, 11, 20, 21, 99}));
}

TEST_F(EngineScans, FiltersWithoutColumnsAreDecidedInTablesWithoutKeys) {
  Write("f.parquet", *X("[1, 2]"));
  auto dataset = Open();
  for (bool statistics : {true, false}) {
    const FileScanOptions options = {.mode = kEngine, .collect_statistics = statistics};
    auto none = dataset->FileScan({.filters = {literal(false)}}, options).ValueOrDie();
    EXPECT_TRUE(none.residual_filters.empty());
    EXPECT_EQ(none.file_groups.groups.size(), 0u);
    auto all = dataset->FileScan({.filters = {literal(true)}}, options).ValueOrDie();
    EXPECT_EQ(Ints(*ReadAsEngine(all)), (std::vector<int64_t>{1, 2}));
  }
}

TEST_F(EngineScans, ResidualFiltersAreTheInexactPartsAndTheirColumnsAreRead) {
  WriteKeys(3);
  auto dataset = Open();
  const ScanArguments arguments = {.projection = Names{"k"},
                                   .filters = {Filter("k >= 1 and x != 11"), Filter("k < 9")}};
  auto engine = dataset->FileScan(arguments, {.mode = kEngine}).ValueOrDie();
  ASSERT_EQ(engine.residual_filters.size(), 1u);
  EXPECT_EQ(engine.residual_filters[0].ToString(), "(x != 11)");
  EXPECT_EQ(engine.filters[0].use, FilterUse::kInexact);
  EXPECT_EQ(engine.filters[1].use, FilterUse::kExact);
  EXPECT_EQ(engine.scan_schema->field_names(), (Names{"k", "x"}));
  EXPECT_EQ(engine.output_schema->field_names(), Names{"k"});
  EXPECT_EQ(ReadAsEngine(engine)->num_rows(), 3);
  auto shoal = dataset->FileScan(arguments).ValueOrDie();
  EXPECT_TRUE(shoal.residual_filters.empty());
  EXPECT_EQ(shoal.scan_schema->field_names(), Names{"k"});
}

TEST_F(EngineScans, UnsupportedFiltersStayWithTheEngine) {
  WriteKeys(2);
  const Expression unknown = call("engine_soundex", {field_ref("x")});
  auto config = Open()->FileScan({.projection = Names{"k"}, .filters = {unknown}}).ValueOrDie();
  ASSERT_EQ(config.residual_filters.size(), 1u);
  EXPECT_EQ(config.residual_filters[0].ToString(), unknown.ToString());
  EXPECT_EQ(config.scan_schema->field_names(), (Names{"k", "x"}));
  auto stream = BatchStream::Make(config.GroupPlan(0)).ValueOrDie();
  auto batch = stream->Next().ValueOrDie();
  EXPECT_EQ(batch->num_columns(), 2);
  EXPECT_TRUE(config.Finish(batch).status().IsNotImplemented());
}

// ---- Limit and offset

TEST_F(EngineScans, ALimitIsPushedOnlyIfAllFiltersAreExact) {
  WriteKeys(5);
  auto dataset = Open();
  ScanArguments arguments = {.filters = {Filter("k >= 1")}, .limit = 2, .offset = 1};
  auto pushed = dataset->FileScan(arguments, {.mode = kEngine}).ValueOrDie();
  EXPECT_TRUE(pushed.limit_pushed);
  EXPECT_EQ(pushed.limit_reason, "");
  EXPECT_EQ(pushed.group_limit, 3);
  EXPECT_EQ(pushed.plan->fragments.size(), 2u);  // four rows cover three
  EXPECT_FALSE(pushed.statistics.num_rows.is_exact());

  arguments.filters.push_back(Filter("x > 11"));
  auto kept = dataset->FileScan(arguments, {.mode = kEngine}).ValueOrDie();
  EXPECT_FALSE(kept.limit_pushed);
  EXPECT_NE(kept.limit_reason.find("x > 11 is inexact"), std::string::npos) << kept.limit_reason;
  EXPECT_EQ(kept.group_limit, std::nullopt);
  EXPECT_EQ(kept.plan->request.limit, std::nullopt);
  EXPECT_EQ(kept.plan->request.offset, 0);
  EXPECT_EQ(kept.limit, 2);
  EXPECT_EQ(kept.offset, 1);
  EXPECT_EQ(kept.plan->fragments.size(), 3u);  // statistics rule out k=0 and k=1

  // shoal applies both filters, so that the stream of the whole plan applies limit and offset.
  auto shoal = dataset->FileScan(arguments).ValueOrDie();
  EXPECT_TRUE(shoal.limit_pushed);
  auto stream = BatchStream::Make(*shoal.plan).ValueOrDie();
  EXPECT_EQ(stream->Next().ValueOrDie()->num_rows(), 2);
  EXPECT_EQ(stream->Next().ValueOrDie(), nullptr);
}

TEST_F(EngineScans, LimitsAndOffsetsOutOfRangeAreErrorsWhetherPushedOrNot) {
  WriteKeys(1);
  auto dataset = Open();
  for (const char* filter : {"k = 0", "x = 0"}) {
    const FileScanOptions engine = {.mode = kEngine};
    auto status = dataset->FileScan({.filters = {Filter(filter)}, .limit = -1}, engine).status();
    EXPECT_NE(status.message().find("limit is -1"), std::string::npos) << status;
    status = dataset->FileScan({.filters = {Filter(filter)}, .offset = -1}, engine).status();
    EXPECT_NE(status.message().find("offset is -1"), std::string::npos) << status;
  }
}

// ---- What is asked for, and what is known

TEST_F(EngineScans, ColumnsAreNamedOrCounted) {
  WriteKeys(1);
  auto dataset = Open();
  const auto columns = [&](ColumnChoice choice) {
    return dataset->FileScan({.projection = std::move(choice)})
        .ValueOrDie()
        .output_schema->field_names();
  };
  EXPECT_EQ(columns({}), (Names{"x", "k"}));
  EXPECT_EQ(columns(Names{"k", "x"}), (Names{"k", "x"}));
  EXPECT_EQ(columns(std::vector<int>{1}), Names{"k"});
  EXPECT_EQ(columns(Names{}), Names{});
  const auto error = [&](ColumnChoice choice) {
    return dataset->FileScan({.projection = std::move(choice)}).status().ToString();
  };
  EXPECT_NE(error(Names{"y"}).find("y"), std::string::npos);
  EXPECT_NE(error(std::vector<int>{2}).find("column 2"), std::string::npos);
  EXPECT_NE(error(std::vector<int>{-1}).find("column -1"), std::string::npos);
  EXPECT_NE(error(Names{"x", "x"}).find("'x' twice"), std::string::npos);
}

TEST_F(EngineScans, SchemasSayWhatFilesAndPathsBring) {
  WriteKeys(1);
  auto config = Open()->FileScan({}).ValueOrDie();
  EXPECT_EQ(config.table_schema->field_names(), (Names{"x", "k"}));
  EXPECT_EQ(config.file_schema->field_names(), Names{"x"});
  EXPECT_EQ(config.partition_schema->field_names(), Names{"k"});
  EXPECT_EQ(config.format->name(), "parquet");
}

TEST_F(EngineScans, ConstraintsAreCarriedAlongAndNeverMadeUp) {
  WriteKeys(1);
  auto dataset = Open();
  EXPECT_TRUE(dataset->FileScan({}).ValueOrDie().constraints.empty());
  FileScanOptions options;
  options.constraints = {{TableConstraint::Kind::kPrimaryKey, {"k", "x"}}};
  auto config = dataset->FileScan({.projection = Names{"x"}}, options).ValueOrDie();
  ASSERT_EQ(config.constraints.size(), 1u);
  EXPECT_EQ(config.constraints[0].columns, (Names{"k", "x"}));
  options.constraints[0].columns = {"y"};
  EXPECT_NE(dataset->FileScan({}, options).status().message().find("constraints"),
            std::string::npos);
  options.constraints[0].columns = {};
  EXPECT_TRUE(dataset->FileScan({}, options).status().IsInvalid());
}

TEST_F(EngineScans, OutputPartitioningIsDeclaredWhereGroupsHaveIt) {
  WriteKeys(4);
  auto dataset = Open();
  FileScanOptions options;
  options.grouping = {.target_partitions = 2, .preserve_file_partitions = 4};
  auto config = dataset->FileScan({}, options).ValueOrDie();
  EXPECT_EQ(config.output_partitioning, Names{"k"});
  EXPECT_EQ(config.file_groups.groups[0].partition_values.size(), 2u);
  EXPECT_TRUE(dataset->FileScan({.projection = Names{"x"}}, options)
                  .ValueOrDie()
                  .output_partitioning.empty());
  options.grouping.preserve_file_partitions = 5;
  EXPECT_TRUE(dataset->FileScan({}, options).ValueOrDie().output_partitioning.empty());
}

TEST_F(EngineScans, StatisticsAreExactOnlyOfTheRowsThatGroupsGive) {
  Write("f.parquet", *X("[1, 2, 3, 4, 5, 6]"), 2);
  auto dataset = Open();
  const ScanArguments arguments = {.filters = {Filter("x >= 4")}};
  auto engine = dataset->FileScan(arguments, {.mode = kEngine}).ValueOrDie();
  EXPECT_EQ(engine.statistics.num_rows.exact_value(), 4);  // two row groups of three
  EXPECT_EQ(ReadAsEngine(engine, /*finish=*/false)->num_rows(), 4);
  EXPECT_EQ(engine.statistics.columns[0].min.value()->ToString(), "3");
  auto shoal = dataset->FileScan(arguments).ValueOrDie();
  EXPECT_EQ(shoal.statistics.num_rows.exact_value(), std::nullopt);
  EXPECT_EQ(shoal.statistics.num_rows.value(), 4);
  EXPECT_EQ(dataset->FileScan({}).ValueOrDie().statistics.num_rows.exact_value(), 6);
  auto none = dataset->FileScan({}, {.collect_statistics = false}).ValueOrDie();
  EXPECT_TRUE(none.statistics.num_rows.is_absent());
}

TEST_F(EngineScans, EmptyFilesAreNotHandedToAnEngine) {
  Write("a.parquet", *X("[1]"));
  Write("b.parquet", std::string());
  auto dataset = Open();
  for (bool statistics : {true, false}) {
    auto config =
        dataset->FileScan({}, {.mode = kEngine, .collect_statistics = statistics}).ValueOrDie();
    ASSERT_EQ(config.plan->fragments.size(), 1u);
    EXPECT_EQ(config.plan->listing[ListingIssue::kZeroByte].count, 1);
  }
}

}  // namespace
}  // namespace shoal
