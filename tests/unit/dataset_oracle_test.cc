// Whole datasets against the law of the library: an answer never depends on how it was found.
//
// Each round writes a folder of Parquet or Arrow files in a random layout and asks a few random
// questions of it, each in several ways; what the files hold is found out by reading all of them
// plainly.
//
//   SHOAL_ORACLE_ROUNDS  rounds (default: 150)
//   SHOAL_ORACLE_SEED    the first round's seed, the next has the one after it (default: 1)
//   SHOAL_ORACLE_STORE   a folder on a store that the questions are asked of (see store_copy.h)
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <arrow/array/util.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "dataset_maker.h"
#include "expression/conjuncts.h"
#include "filter_maker.h"
#include "must.h"
#include "plain_evaluator.h"
#include "row_bytes.h"
#include "statistics_check.h"
#include "store_copy.h"
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

std::string Describe(const ScanRequest& request) {
  std::ostringstream out;
  out << "filter " << request.filter.ToString()
      << "\n  as text: " << expression::ToText(request.filter) << "\n  columns ";
  if (!request.columns) {
    out << "all";
  } else {
    for (const auto& column : *request.columns) out << column.expression.ToString() << " ";
  }
  if (request.limit) out << ", limit " << *request.limit;
  out << ", offset " << request.offset;
  return out.str();
}

std::string Describe(const ScanOptions& options) {
  std::ostringstream out;
  out << "workers " << options.workers << ", budget " << options.memory_budget << ", batches of "
      << options.batch_rows << ", " << (options.ordered ? "ordered" : "unordered");
  return out.str();
}

ScanOptions RandomScanOptions(Random& random) {
  ScanOptions options;
  options.workers = static_cast<int>(random.Below(5));
  options.memory_budget = random.Pick<int64_t>({1, 1000, 100000, int64_t{256} << 20});
  options.batch_rows = random.Pick<int64_t>({1, 2, 17, 100, 1000, 32768, 70000});
  options.ordered = random.Chance(0.7);
  return options;
}

/// The answer to a request, found plainly.
struct Expected {
  std::vector<std::shared_ptr<arrow::DataType>> types;
  Rows matching;  // all that match, projected
  Rows window;    // after offset and limit
};

/// One round: a dataset, what it holds, and the checks of its answers.
class Round {
 public:
  Round(const std::filesystem::path& directory, uint64_t seed)
      : random_(seed), cache_(directory / "cache"), copy_(directory / "table", seed) {
    const auto root = directory / "table";
    std::filesystem::create_directory(root);
    const auto format = random_.Chance(0.35) ? MadeFormat::kIpc : MadeFormat::kParquet;
    made_ = MakeDataset(root, random_, format);
  }

  void Run() {
    auto plain = ReadPlainly(made_);
    ASSERT_TRUE(plain.ok()) << plain.status();
    rows_ = std::move(plain->rows);
    keys_of_empty_files_ = std::move(plain->keys_of_empty_files);
    copy_.Upload();
    if (::testing::Test::HasFailure()) return;
    OpenDataset();
    CheckSchema();
    if (::testing::Test::HasFailure()) return;
    FilterMaker filters(*rows_, made_.key_names, random_);
    constexpr int kRequests = 5;
    for (int i = 0; i < kRequests && !::testing::Test::HasFailure(); ++i) {
      const ScanRequest request = RandomRequest(filters);
      SCOPED_TRACE(opened_ + "; " + Describe(request));
      CheckRequest(request);
    }
  }

  const MadeDataset& made() const { return made_; }
  /// How often facts came from the cache on disk.
  int64_t facts_used() const { return facts_used_; }

 private:
  void OpenDataset() {
    OpenOptions options;
    options.filesystem = copy_.filesystem();
    options.partitioning = made_.partitioning;
    if (random_.Chance(0.3)) options.inspect = OpenOptions::kAll;
    if (random_.Chance(0.3)) {
      options.schema = rows_->schema();
      // With the types of all columns and keys known, looking at a few paths changes nothing.
      if (made_.keys_declared) options.inspect = random_.Pick<int64_t>({1, 2, 3, 256});
    }
    const std::string root = copy_.At(made_.root);
    std::vector<std::string> sources = {root};
    switch (random_.Below(8)) {
      case 0:
        sources.clear();
        for (const auto& file : made_.files) sources.push_back(copy_.At(file.path));
        random_.Shuffle(&sources);
        options.partition_base_dir = root;
        break;
      case 1:
        sources = {root + "/**/*.[ap]*", copy_.At(made_.files[0].path)};
        options.partition_base_dir = root;
        break;
      default:
        break;
    }
    if (random_.Chance(0.4)) {
      options.cache = cache_.string();
      // Of files that were changed a moment ago nothing is kept.
      const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1);
      for (const auto& file : made_.files) std::filesystem::last_write_time(file.path, before);
    }
    if (random_.Chance(0.3)) options.listing_cache_ttl = std::chrono::hours(1);
    opened_ = "opened " + sources[0] + std::string(options.schema ? " with" : " without") +
              " a schema, inspecting " + std::to_string(options.inspect) +
              (options.cache.empty() ? "" : ", with a facts cache") +
              (options.listing_cache_ttl.count() > 0 ? ", with a listing cache" : "");
    reopen_ = [sources, options] { return Must(Dataset::Open(sources, options)); };
    dataset_ = reopen_();
  }

  /// The round's dataset, which has the facts of files it has seen, or one that knows nothing yet
  /// but what its caches tell.
  std::shared_ptr<Dataset> AnyDataset() {
    if (random_.Chance(0.7)) return dataset_;
    facts_used_ += dataset_->cache_report().files_used;
    if (random_.Chance(0.5)) return Must(dataset_->Refresh());
    return dataset_ = reopen_();
  }

  void CheckSchema() {
    auto schema = dataset_->schema();
    ASSERT_TRUE(schema.ok()) << schema.status();
    ASSERT_TRUE((*schema)->Equals(*Nullable(**schema, *rows_->schema()), false))
        << (*schema)->ToString() << "\nshould be\n"
        << rows_->schema()->ToString();
    for (int c = 0; c < rows_->num_columns(); ++c) {
      EXPECT_TRUE((*schema)->field(c)->nullable() || rows_->column(c)->null_count() == 0)
          << (*schema)->field(c)->ToString() << " has nulls";
    }
  }

  /// `schema`, nullable where `like` is: whether a column allows null is checked by its values.
  static std::shared_ptr<arrow::Schema> Nullable(const arrow::Schema& like,
                                                 const arrow::Schema& schema) {
    arrow::FieldVector fields = schema.fields();
    for (int i = 0; i < std::min(like.num_fields(), schema.num_fields()); ++i) {
      fields[i] = fields[i]->WithNullable(like.field(i)->nullable());
    }
    return arrow::schema(std::move(fields));
  }

  ScanRequest RandomRequest(FilterMaker& filters) {
    ScanRequest request;
    if (random_.Chance(0.9)) request.filter = filters.Filter(static_cast<int>(random_.Below(4)));
    if (random_.Chance(0.7)) {
      request.columns.emplace();
      const int64_t count = random_.Below(4);
      for (int64_t i = 0; i < count; ++i) {
        const Operand operand = random_.Pick(filters.operands());
        request.columns->push_back(
            {operand.name + "_" + std::to_string(i), arrow::compute::field_ref(operand.ref)});
      }
    }
    if (random_.Chance(0.3)) request.limit = random_.Pick<int64_t>({0, 1, 3, 30, 200, 100000});
    if (random_.Chance(0.2)) request.offset = random_.Pick<int64_t>({1, 5, 100, 10000});
    return request;
  }

  std::optional<Expected> Answer(const ScanRequest& request) {
    auto mask = EvaluatePlainly(request.filter, *rows_);
    // Rows that raise an error have no answer.
    if (!mask.ok()) return std::nullopt;
    if (!EvaluatePlainly(request.filter, *keys_of_empty_files_).ok()) return std::nullopt;
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    if (!request.columns) {
      fields = rows_->schema()->fields();
      columns = rows_->columns();
    } else {
      for (const auto& column : *request.columns) {
        const auto* ref = column.expression.field_ref();
        auto values = ref ? ref->GetOneFlattened(*rows_) : ValuePlainly(column.expression, *rows_);
        if (!values.ok()) return std::nullopt;
        fields.push_back(arrow::field(column.name, (*values)->type()));
        columns.push_back(*std::move(values));
      }
    }
    Expected expected;
    if (request.columns) {
      for (const auto& column : *request.columns)
        expected.types.push_back(TypeOf(column.expression));
    } else {
      for (const auto& field : fields) expected.types.push_back(field->type());
    }
    Rows all;
    AppendRows(*arrow::RecordBatch::Make(arrow::schema(fields), rows_->num_rows(), columns), &all);
    for (int64_t i = 0; i < rows_->num_rows(); ++i) {
      if ((*mask)->IsValid(i) && (*mask)->Value(i)) expected.matching.push_back(all[i]);
    }
    const int64_t size = static_cast<int64_t>(expected.matching.size());
    const int64_t begin = std::min(request.offset, size);
    const int64_t end = request.limit ? std::min(begin + *request.limit, size) : size;
    expected.window.assign(expected.matching.begin() + begin, expected.matching.begin() + end);
    return expected;
  }

  std::shared_ptr<arrow::DataType> TypeOf(const Expression& projected) const {
    if (const auto* ref = projected.field_ref()) return Must(ref->GetOne(*rows_->schema()))->type();
    return arrow::boolean();
  }

  void CheckRequest(const ScanRequest& request) {
    const auto expected = Answer(request);
    if (!expected) return;
    {
      SCOPED_TRACE("Scan");
      const ScanOptions options = RandomScanOptions(random_);
      CheckStream(AnyDataset()->Scan(request, options), options, *expected);
    }
    if (random_.Chance(0.5)) CheckCount(request.filter, *expected);
    CheckPlan(request, *expected);
    CheckText(request, *expected);
  }

  /// What the filter is written as means the same when it is read back, as it was given and as it
  /// was bound. Not all filters can be written; what can't be is in a form that is no filter.
  void CheckText(ScanRequest request, const Expected& expected) {
    auto bound = BindFilter(request.filter, Must(dataset_->schema()));
    ASSERT_TRUE(bound.ok()) << bound.status();
    const std::string text = expression::ToText(random_.Chance(0.5) ? request.filter : *bound);
    auto parsed = ParseFilter(text);
    if (!parsed.ok()) return;
    SCOPED_TRACE("the filter read back from " + text);
    request.filter = *parsed;
    const ScanOptions options = RandomScanOptions(random_);
    CheckStream(AnyDataset()->Scan(request, options), options, expected);
  }

  void CheckCount(const Expression& filter, const Expected& expected) {
    SCOPED_TRACE("Count");
    auto count = AnyDataset()->Count(filter, RandomScanOptions(random_));
    ASSERT_TRUE(count.ok()) << count.status();
    EXPECT_EQ(*count, static_cast<int64_t>(expected.matching.size()));
  }

  void CheckPlan(const ScanRequest& request, const Expected& expected) {
    PlanOptions planning;
    planning.collect_statistics = random_.Chance(0.7);
    planning.column_statistics = planning.collect_statistics && random_.Chance(0.5);
    auto plan = AnyDataset()->Plan(request, planning);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ScanPlan local = *plan;
    for (Fragment& fragment : local.fragments) fragment.path = copy_.Local(fragment.path);
    EXPECT_TRUE(StatisticsAreTrue(local, made_, rows_->schema())) << plan->ToString();
    SCOPED_TRACE("a plan, as JSON and back");
    auto json = plan->ToJson();
    ASSERT_TRUE(json.ok()) << json.status();
    auto travelled = ScanPlan::FromJson(*json, copy_.filesystem());
    ASSERT_TRUE(travelled.ok()) << travelled.status() << "\n" << *json;
    const ScanOptions options = RandomScanOptions(random_);
    CheckStream(BatchStream::Make(*travelled, options), options, expected);
  }

  static void CheckStream(arrow::Result<std::unique_ptr<BatchStream>> stream,
                          const ScanOptions& options, const Expected& expected) {
    SCOPED_TRACE(Describe(options));
    ASSERT_TRUE(stream.ok()) << stream.status();
    const auto& schema = (*stream)->schema();
    ASSERT_EQ(schema->num_fields(), static_cast<int>(expected.types.size()));
    for (int c = 0; c < schema->num_fields(); ++c) {
      ASSERT_TRUE(schema->field(c)->type()->Equals(*expected.types[c]))
          << schema->field(c)->ToString() << " should be " << *expected.types[c];
    }
    Rows rows;
    while (true) {
      auto batch = (*stream)->Next();
      ASSERT_TRUE(batch.ok()) << batch.status();
      if (!*batch) break;
      ASSERT_GT((*batch)->num_rows(), 0);
      ASSERT_LE((*batch)->num_rows(), options.batch_rows);
      ASSERT_TRUE((*batch)->schema()->Equals(*schema));
      auto valid = (*batch)->ValidateFull();
      ASSERT_TRUE(valid.ok()) << valid;
      AppendRows(**batch, &rows);
    }
    Compare(std::move(rows), options.ordered, expected);
  }

  static void Compare(Rows rows, bool ordered, const Expected& expected) {
    ASSERT_EQ(rows.size(), expected.window.size());
    if (ordered) {
      const auto differs = std::mismatch(rows.begin(), rows.end(), expected.window.begin());
      EXPECT_TRUE(differs.first == rows.end())
          << "row " << differs.first - rows.begin() << " differs";
      return;
    }
    // Any of the matching rows, each at most as often as it is there.
    Rows all = expected.matching;
    std::sort(all.begin(), all.end());
    std::sort(rows.begin(), rows.end());
    EXPECT_TRUE(std::includes(all.begin(), all.end(), rows.begin(), rows.end()))
        << "rows that do not match, or come twice";
  }

  Random random_;
  const std::filesystem::path cache_;
  StoreCopy copy_;
  MadeDataset made_;
  std::shared_ptr<arrow::RecordBatch> rows_, keys_of_empty_files_;
  std::shared_ptr<Dataset> dataset_;
  std::function<std::shared_ptr<Dataset>()> reopen_;
  int64_t facts_used_ = 0;
  std::string opened_;  // how, for people
};

TEST(DatasetOracle, AnAnswerNeverDependsOnHowItWasFound) {
  const int64_t rounds = FromEnvironment("SHOAL_ORACLE_ROUNDS", 150);
  const int64_t first = FromEnvironment("SHOAL_ORACLE_SEED", 1);
  int64_t facts_used = 0;
  for (int64_t seed = first; seed < first + rounds; ++seed) {
    testing::TemporaryDirectory directory;
    Round round(directory.path(), static_cast<uint64_t>(seed));
    round.Run();
    facts_used += round.facts_used();
    if (!HasFailure()) continue;
    FAIL() << "Run it again: SHOAL_ORACLE_SEED=" << seed
           << " SHOAL_ORACLE_ROUNDS=1 shoal_unit_tests --gtest_filter=DatasetOracle.*\n"
           << round.made().description;
  }
  if (rounds >= 20 && std::getenv("SHOAL_ORACLE_STORE") == nullptr) {
    EXPECT_GT(facts_used, 0) << "the cache on disk was never asked";
  }
}

}  // namespace
}  // namespace shoal::oracle
