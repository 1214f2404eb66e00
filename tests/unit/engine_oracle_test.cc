// The contract with engines against random datasets: whatever a scan says of filters and limit is
// what its rows are like, read by shoal or by an engine.
//
//   SHOAL_ORACLE_ROUNDS, SHOAL_ORACLE_SEED: as for dataset_oracle_test.cc
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "dataset_maker.h"
#include "engine_reader.h"
#include "filter_maker.h"
#include "must.h"
#include "plain_evaluator.h"
#include "row_bytes.h"
#include "temporary_directory.h"

namespace shoal::oracle {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

using arrow::compute::Expression;
using Rows = std::vector<std::string>;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoll(value);
}

class EngineRound {
 public:
  EngineRound(const std::filesystem::path& root, uint64_t seed) : random_(seed) {
    made_ = MakeDataset(root, random_);
  }

  void Run() {
    auto plain = ReadPlainly(made_);
    ASSERT_TRUE(plain.ok()) << plain.status();
    rows_ = std::move(plain->rows);
    keys_of_empty_files_ = std::move(plain->keys_of_empty_files);
    OpenOptions options;
    options.partitioning = made_.partitioning;
    if (random_.Chance(0.3)) {
      options.schema = rows_->schema();
      if (made_.keys_declared) options.inspect = random_.Pick<int64_t>({1, 2, 256});
    }
    sampled_ = options.inspect < 256;
    dataset_ = Must(Dataset::Open({made_.root}, std::move(options)));
    FilterMaker filters(*rows_, made_.key_names, random_);
    for (int i = 0; i < 5 && !::testing::Test::HasFailure(); ++i) {
      ScanArguments arguments;
      for (int64_t f = random_.Below(4); f > 0; --f)
        arguments.filters.push_back(filters.Filter(static_cast<int>(random_.Below(3))));
      if (random_.Chance(0.7)) arguments.projection = RandomColumns();
      if (random_.Chance(0.4)) arguments.limit = random_.Pick<int64_t>({0, 1, 3, 30, 200, 100000});
      if (random_.Chance(0.2)) arguments.offset = random_.Pick<int64_t>({1, 5, 100});
      SCOPED_TRACE("filters " + arrow::compute::and_(arguments.filters).ToString());
      for (ReadMode mode : {ReadMode::kShoalReads, ReadMode::kEngineReads}) Check(arguments, mode);
    }
  }

  const MadeDataset& made() const { return made_; }

 private:
  std::vector<int> RandomColumns() {
    std::vector<int> columns(rows_->num_columns());
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(i);
    random_.Shuffle(&columns);
    columns.resize(random_.Below(static_cast<int64_t>(columns.size()) + 1));
    return columns;
  }

  /// The rows that pass all filters, as bytes of some of their columns; nothing if evaluating fails
  /// for one of them.
  std::optional<Rows> Passing(const std::vector<Expression>& filters,
                              const arrow::Schema& columns) const {
    std::vector<bool> passes(rows_->num_rows(), true);
    for (const Expression& filter : filters) {
      auto mask = EvaluatePlainly(filter, *rows_);
      if (!mask.ok() || !EvaluatePlainly(filter, *keys_of_empty_files_).ok()) return std::nullopt;
      for (size_t i = 0; i < passes.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        passes[i] = passes[i] && (*mask)->IsValid(at) && (*mask)->Value(at);
      }
    }
    arrow::ArrayVector arrays;
    for (const auto& field : columns.fields())
      arrays.push_back(rows_->GetColumnByName(field->name()));
    Rows all, out;
    AppendRows(*arrow::RecordBatch::Make(std::make_shared<arrow::Schema>(columns),
                                         rows_->num_rows(), std::move(arrays)),
               &all);
    for (size_t i = 0; i < passes.size(); ++i) {
      if (passes[i]) out.push_back(std::move(all[i]));
    }
    return out;
  }

  FileScanOptions RandomOptions(ReadMode mode) {
    FileScanOptions options;
    options.mode = mode;
    options.collect_statistics = random_.Chance(0.7);
    options.grouping.target_partitions = static_cast<int>(1 + random_.Below(4));
    options.grouping.repartition_file_min_size = random_.Pick<int64_t>({0, int64_t{10} << 20});
    options.grouping.preserve_file_partitions = static_cast<int>(random_.Below(3));
    return options;
  }

  /// What comes out of the groups: batches of scan_schema.
  arrow::RecordBatchVector ReadGroups(const FileScanConfig& config) {
    arrow::RecordBatchVector out;
    for (size_t g = 0; g < config.file_groups.groups.size(); ++g) {
      if (config.mode == ReadMode::kShoalReads) {
        auto stream = Must(BatchStream::Make(config.GroupPlan(g)));
        while (auto batch = Must(stream->Next())) out.push_back(std::move(batch));
        continue;
      }
      const auto reads = random_.Pick<Reads>({Reads::kLeaves, Reads::kColumns, Reads::kAll});
      for (const Fragment& fragment : config.file_groups.groups[g].fragments) {
        auto batches = ReadAsEngine(config, fragment, reads, random_.Pick<int64_t>({1, 50, 1000}));
        EXPECT_TRUE(batches.ok()) << batches.status();
        if (batches.ok()) out.insert(out.end(), batches->begin(), batches->end());
      }
    }
    for (const auto& batch : out) EXPECT_TRUE(batch->schema()->Equals(*config.scan_schema, true));
    return out;
  }

  void Check(const ScanArguments& arguments, ReadMode mode) {
    SCOPED_TRACE(mode == ReadMode::kShoalReads ? "shoal reads" : "the engine reads");
    const FileScanOptions options = RandomOptions(mode);
    const auto table = Must(dataset_->schema());
    if (!Passing(arguments.filters, arrow::Schema({}))) return;
    auto made = dataset_->FileScan(arguments, options);
    // What a look at all files would have told may be an error.
    if (sampled_ && made.status().message().find("Inspect all files") != std::string::npos) return;
    ASSERT_TRUE(made.ok()) << made.status();
    const FileScanConfig& config = *made;

    // Limits are pushed with exact filters only.
    const bool exact = std::all_of(config.filters.begin(), config.filters.end(),
                                   [](const auto& f) { return f.use == FilterUse::kExact; });
    EXPECT_EQ(exact, config.residual_filters.empty());
    EXPECT_TRUE(exact || mode == ReadMode::kEngineReads);
    EXPECT_EQ(config.limit_pushed, exact && (arguments.limit || arguments.offset > 0));
    if (!exact) {
      EXPECT_EQ(config.plan->request.limit, std::nullopt);
      EXPECT_EQ(config.plan->request.offset, 0);
      EXPECT_EQ(config.group_limit, std::nullopt);
    }

    arrow::RecordBatchVector batches = ReadGroups(config);
    if (::testing::Test::HasFailure()) return;
    Rows rows;
    for (const auto& batch : batches) {
      auto finished = config.Finish(batch);
      ASSERT_TRUE(finished.ok()) << finished.status();
      ASSERT_TRUE((*finished)->schema()->Equals(*config.output_schema, true));
      AppendRows(**finished, &rows);
    }
    CheckRows(std::move(rows), config, *Passing(arguments.filters, *config.output_schema));
    CheckStatistics(config, batches);
    CheckExactFiltersAlone(arguments, mode);
  }

  void CheckRows(Rows rows, const FileScanConfig& config, Rows expected) {
    if (!config.limit_pushed) {
      std::sort(rows.begin(), rows.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_TRUE(rows == expected) << rows.size() << " rows, not " << expected.size();
      return;
    }
    // What is skipped and kept of the groups together.
    const auto window = [&](Rows all) {
      const auto size = static_cast<int64_t>(all.size());
      const int64_t begin = std::min(config.offset, size);
      const int64_t end = config.limit ? std::min(begin + *config.limit, size) : size;
      return Rows(all.begin() + begin, all.begin() + end);
    };
    const Rows got = window(std::move(rows)), wanted = window(expected);
    if (!config.file_groups.by_partition_values) {
      EXPECT_TRUE(got == wanted) << got.size() << " rows, not " << wanted.size();
      return;
    }
    // Groups are no longer in dataset order, so other rows may be the first ones.
    EXPECT_EQ(got.size(), wanted.size());
    Rows sorted = got;
    std::sort(sorted.begin(), sorted.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(std::includes(expected.begin(), expected.end(), sorted.begin(), sorted.end()));
  }

  static void CheckStatistics(const FileScanConfig& config,
                              const arrow::RecordBatchVector& batches) {
    int64_t rows = 0;
    for (const auto& batch : batches) rows += batch->num_rows();
    EXPECT_EQ(config.statistics.num_rows.exact_value().value_or(rows), rows);
  }

  /// With those filters alone that are said to be exact, rows are right as they come.
  void CheckExactFiltersAlone(const ScanArguments& arguments, ReadMode mode) {
    ScanArguments only;
    only.projection = arguments.projection;
    const auto support = Must(dataset_->SupportsFilters(arguments.filters, mode));
    for (size_t i = 0; i < support.size(); ++i) {
      if (support[i].use == FilterUse::kExact) only.filters.push_back(arguments.filters[i]);
    }
    const auto config = Must(dataset_->FileScan(only, RandomOptions(mode)));
    ASSERT_TRUE(config.residual_filters.empty());
    Rows rows;
    for (const auto& batch : ReadGroups(config)) AppendRows(*batch, &rows);
    CheckRows(std::move(rows), config, *Passing(only.filters, *config.scan_schema));
  }

  Random random_;
  MadeDataset made_;
  std::shared_ptr<arrow::RecordBatch> rows_, keys_of_empty_files_;
  std::shared_ptr<Dataset> dataset_;
  bool sampled_ = false;  // some files are not inspected
};

TEST(EngineOracle, WhatIsSaidOfFiltersAndLimitIsWhatTheRowsAreLike) {
  const int64_t rounds = FromEnvironment("SHOAL_ORACLE_ROUNDS", 100);
  const int64_t first = FromEnvironment("SHOAL_ORACLE_SEED", 1);
  for (int64_t seed = first; seed < first + rounds; ++seed) {
    testing::TemporaryDirectory directory;
    EngineRound round(directory.path(), static_cast<uint64_t>(seed));
    round.Run();
    if (!HasFailure()) continue;
    FAIL() << "Run it again: SHOAL_ORACLE_SEED=" << seed
           << " SHOAL_ORACLE_ROUNDS=1 shoal_unit_tests --gtest_filter=EngineOracle.*\n"
           << round.made().description;
  }
}

}  // namespace
}  // namespace shoal::oracle
