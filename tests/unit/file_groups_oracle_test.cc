// What file groups declare, against the rows that are read of them.
//
// Each round writes files whose row groups are sorted as they say, with nulls, NaN, ranges that
// overlap or touch, and row groups in any order, plans them and makes groups with random options.
//
//   SHOAL_ORACLE_ROUNDS  rounds (default: 150)
//   SHOAL_ORACLE_SEED    the first round's seed, the next has the one after it (default: 1)
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>
#include <shoal/file_groups.h>

#include "formats/parquet/test_files.h"
#include "must.h"
#include "random_source.h"
#include "row_bytes.h"
#include "temporary_directory.h"
#include "value_maker.h"

namespace shoal::oracle {
namespace {

namespace cp = arrow::compute;

const bool kInitialized = cp::Initialize().ok();

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoll(value);
}

cp::SortOptions SortBy(const std::vector<SortColumn>& order) {
  std::vector<cp::SortKey> keys;
  for (const auto& column : order) {
    const arrow::FieldRef name(column.name);
    keys.emplace_back(name,
                      column.descending ? cp::SortOrder::Descending : cp::SortOrder::Ascending,
                      column.nulls_first ? cp::NullPlacement::AtStart : cp::NullPlacement::AtEnd);
  }
  return cp::SortOptions(std::move(keys));
}

/// Dictionaries as their values, which sort the same.
std::shared_ptr<arrow::Table> Decoded(std::shared_ptr<arrow::Table> table) {
  for (int c = 0; c < table->num_columns(); ++c) {
    const auto& type = table->field(c)->type();
    if (type->id() != arrow::Type::DICTIONARY) continue;
    const auto& values = static_cast<const arrow::DictionaryType&>(*type).value_type();
    auto plain = Must(cp::Cast(table->column(c), values)).chunked_array();
    table = Must(table->SetColumn(c, table->field(c)->WithType(values), plain));
  }
  return table;
}

std::vector<uint64_t> SortIndices(const std::shared_ptr<arrow::Table>& table,
                                  const std::vector<SortColumn>& order) {
  const auto indices = Must(cp::SortIndices(arrow::Datum(Decoded(table)), SortBy(order)));
  const auto& numbers = static_cast<const arrow::UInt64Array&>(*indices);
  return {numbers.raw_values(), numbers.raw_values() + numbers.length()};
}

std::shared_ptr<arrow::Table> Sorted(const std::shared_ptr<arrow::Table>& table,
                                     const std::vector<SortColumn>& order) {
  arrow::UInt64Builder builder;
  Must(builder.AppendValues(SortIndices(table, order)));
  return Must(cp::Take(table, Must(builder.Finish()))).table();
}

/// Sorting is stable, so that of sorted rows it changes nothing.
bool IsSorted(const std::shared_ptr<arrow::Table>& table, const std::vector<SortColumn>& order) {
  const auto indices = SortIndices(table, order);
  return std::is_sorted(indices.begin(), indices.end());
}

std::vector<std::string> RowsOf(const arrow::Table& table) {
  std::vector<std::string> rows;
  arrow::TableBatchReader reader(table);
  while (auto batch = Must(reader.Next())) AppendRows(*batch, &rows);
  return rows;
}

std::shared_ptr<arrow::Table> ReadAll(BatchStream& stream) {
  arrow::RecordBatchVector batches;
  while (auto batch = Must(stream.Next())) batches.push_back(std::move(batch));
  return Must(arrow::Table::FromRecordBatches(stream.schema(), batches));
}

/// Columns a and b of some type, and the number of the row.
class Files {
 public:
  Files(const std::filesystem::path& root, Random& random) : root_(root), random_(random) {
    const std::vector<std::shared_ptr<arrow::DataType>> types = {
        arrow::int8(),
        arrow::int64(),
        arrow::uint32(),
        arrow::float64(),
        arrow::utf8(),
        arrow::boolean(),
        arrow::date32(),
        arrow::decimal128(12, 2),
        arrow::fixed_size_binary(3),
        arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
        arrow::dictionary(arrow::int32(), arrow::utf8())};
    schema_ =
        arrow::schema({arrow::field("a", random.Pick(types)), arrow::field("b", random.Pick(types)),
                       arrow::field("n", arrow::int64())});
    std::vector<std::string> names = {"a", "b"};
    random.Shuffle(&names);
    names.resize(random.Between(1, 2));
    for (const auto& name : names) {
      order_.push_back({name, random.Chance(0.4), random.Chance(0.4)});
    }
    nulls_ = random.Pick<double>({0, 0, 0.1, 0.5});
    step_ = random.Pick<int64_t>({0, 3, 10, 30});
    keys_ = random.Between(0, 3);
  }

  const std::vector<SortColumn>& order() const { return order_; }
  bool has_keys() const { return keys_ > 0; }

  void Write(int64_t number) {
    const int64_t rows = random_.Pick<int64_t>({0, 1, 7, 40});
    const int64_t center = step_ * random_.Below(5);
    auto table = Make(rows, center);
    const bool declares = random_.Chance(0.9);
    parquet::WriterProperties::Builder properties;
    if (declares) properties.set_sorting_columns(Sorting());
    const int64_t row_group_rows = random_.Pick<int64_t>({1, 5, 1000});
    if (declares && random_.Chance(0.8)) {
      table = Sorted(table, order_);
    } else if (declares) {
      // Each row group for itself.
      std::vector<std::shared_ptr<arrow::Table>> parts;
      for (int64_t at = 0; at < rows; at += row_group_rows)
        parts.push_back(Sorted(table->Slice(at, row_group_rows), order_));
      if (!parts.empty()) table = Must(arrow::ConcatenateTables(parts));
    }
    auto folder = root_;
    if (keys_ > 0) folder /= "k=" + std::to_string(random_.Below(keys_));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / (std::to_string(number) + ".parquet"), std::ios::binary)
        << formats::parquet::WriteFile(*table, row_group_rows, properties.build());
  }

 private:
  std::vector<parquet::SortingColumn> Sorting() const {
    std::vector<parquet::SortingColumn> out;
    for (const auto& column : order_) {
      out.push_back({schema_->GetFieldIndex(column.name), column.descending, column.nulls_first});
    }
    return out;
  }

  std::shared_ptr<arrow::Table> Make(int64_t rows, int64_t center) {
    std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
    for (int c = 0; c < 2; ++c) {
      const auto& type = schema_->field(c)->type();
      const bool encoded = type->id() == arrow::Type::DICTIONARY;
      const auto plain = encoded ? arrow::utf8() : type;
      auto builder = Must(arrow::MakeBuilder(plain));
      for (int64_t i = 0; i < rows; ++i) {
        if (random_.Chance(nulls_)) {
          Must(builder->AppendNull());
        } else if (type->id() == arrow::Type::DOUBLE && random_.Chance(0.1)) {
          const double value =
              random_.Pick<double>({-0.0, 0.0, std::numeric_limits<double>::quiet_NaN()});
          Must(builder->AppendScalar(arrow::DoubleScalar(value)));
        } else {
          Must(builder->AppendScalar(*ValueNumber(plain, center + random_.Below(11))));
        }
      }
      auto array = Must(builder->Finish());
      if (encoded) array = Must(cp::DictionaryEncode(array)).make_array();
      columns.push_back(std::make_shared<arrow::ChunkedArray>(std::move(array)));
    }
    columns.push_back(formats::parquet::Numbers(next_, rows));
    next_ += rows;
    return arrow::Table::Make(schema_, columns);
  }

  std::filesystem::path root_;
  Random& random_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<SortColumn> order_;
  double nulls_ = 0;
  int64_t step_ = 0;
  int64_t keys_ = 0;
  int64_t next_ = 0;
};

/// Bounds that no row attains, as of a writer that cuts them, and some that are missing.
void LoosenBounds(ScanPlan* plan, Random& random) {
  for (Fragment& fragment : plan->fragments) {
    auto columns = *fragment.column_statistics;
    for (auto& column : columns) {
      if (random.Chance(0.2)) {
        column.min = {};
      } else if (!column.max.is_absent() && column.max.value()->type->id() == arrow::Type::INT64) {
        const auto max = static_cast<const arrow::Int64Scalar&>(*column.max.value()).value;
        column.max = Precision<std::shared_ptr<arrow::Scalar>>::Inexact(
            std::make_shared<arrow::Int64Scalar>(max + random.Below(2)));
      }
      if (random.Chance(0.2)) column.null_count = {};
    }
    fragment.column_statistics =
        std::make_shared<const std::vector<ColumnStatistics>>(std::move(columns));
  }
}

FileGroupOptions RandomOptions(const Files& files, Random& random) {
  FileGroupOptions options;
  options.target_partitions = static_cast<int>(random.Between(1, 6));
  options.repartition_file_min_size = random.Pick<int64_t>({0, 300, 1 << 20});
  options.preserve_file_partitions =
      random.Chance(0.3) ? static_cast<int>(random.Between(1, 3)) : 0;
  options.split_file_groups_by_statistics = random.Chance(0.8);
  if (options.split_file_groups_by_statistics && random.Chance(0.4)) {
    options.ordering = files.order();
    if (files.has_keys() && random.Chance(0.7))
      options.ordering.insert(options.ordering.begin(), {"k", random.Chance(0.5)});
    if (random.Chance(0.3)) options.ordering.back().nulls_first ^= true;
  }
  return options;
}

/// Of a group of whole files that are read without a filter.
void ExpectTrue(const TableStatistics& claimed, const arrow::Table& rows) {
  EXPECT_EQ(claimed.num_rows.exact_value().value_or(rows.num_rows()), rows.num_rows());
  for (int c = 0; c < rows.num_columns(); ++c) {
    const auto& column = claimed.columns[c];
    const auto values = rows.column(c);
    EXPECT_EQ(column.null_count.exact_value().value_or(values->null_count()), values->null_count());
    auto count = [&](const char* compare, const std::shared_ptr<arrow::Scalar>& value) {
      auto mask = Must(cp::CallFunction(compare, {values, value}));
      auto sum = Must(cp::Sum(mask)).scalar_as<arrow::UInt64Scalar>();
      return sum.is_valid ? sum.value : 0;
    };
    if (!column.min.is_absent()) {
      EXPECT_EQ(count("less", column.min.value()), 0u);
      EXPECT_TRUE(!column.min.is_exact() || count("equal", column.min.value()) > 0);
    }
    if (!column.max.is_absent()) {
      EXPECT_EQ(count("greater", column.max.value()), 0u);
      EXPECT_TRUE(!column.max.is_exact() || count("equal", column.max.value()) > 0);
    }
  }
}

struct Seen {
  int ordered = 0, longer_than_one_file = 0, partitioned = 0;
};

void Round(uint64_t seed, Seen* seen) {
  Random random(seed);
  const testing::TemporaryDirectory directory;
  Files files(directory.path(), random);
  for (int64_t i = 0, n = random.Between(1, 6); i < n; ++i) files.Write(i);

  auto dataset = Must(Dataset::Open({directory.path()}));
  ScanRequest request;
  if (random.Chance(0.3)) request.filter = cp::greater(cp::field_ref("n"), cp::literal(int64_t{9}));
  if (random.Chance(0.4)) {
    request.columns = {{{"b", cp::field_ref("a")}, {"n", cp::field_ref("n")}}};
    if (random.Chance(0.7)) request.columns->push_back({"a", cp::field_ref("b")});
    if (files.has_keys() && random.Chance(0.7))
      request.columns->push_back({"key", cp::field_ref("k")});
  }
  const bool plain = !request.columns && request.filter.Equals(cp::literal(true));
  PlanOptions planning;
  planning.column_statistics = true;
  auto plan = Must(dataset->Plan(request, planning));
  if (random.Chance(0.3)) LoosenBounds(&plan, random);

  const auto options = RandomOptions(files, random);
  const auto groups = Must(MakeFileGroups(plan, options));
  ASSERT_LE(groups.groups.size(), static_cast<size_t>(options.target_partitions));

  ReadFileGroupsOptions reading;
  reading.scan.workers = static_cast<int>(random.Below(3));
  reading.scan.batch_rows = random.Pick<int64_t>({1, 3, 1000});
  reading.file_stream_work_stealing = random.Chance(0.5);
  auto streams = Must(ReadFileGroups(plan, groups, reading));
  ASSERT_EQ(streams.size(), groups.groups.size());
  const bool stolen = reading.file_stream_work_stealing && groups.output_ordering.empty() &&
                      !groups.by_partition_values;

  auto expected = RowsOf(*ReadAll(*Must(BatchStream::Make(plan))));
  std::vector<std::string> found;
  std::set<std::string> keys;
  for (size_t g = 0; g < streams.size(); ++g) {
    const auto table = ReadAll(*streams[g]);
    const auto rows = RowsOf(*table);
    found.insert(found.end(), rows.begin(), rows.end());
    if (!groups.output_ordering.empty()) {
      ++seen->ordered;
      if (groups.groups[g].fragments.size() > 1) ++seen->longer_than_one_file;
      EXPECT_TRUE(IsSorted(table, groups.output_ordering)) << "group " << g << ":\n"
                                                           << table->ToString();
    }
    if (!groups.output_partitioning.empty()) {
      ++seen->partitioned;
      std::set<std::string> here;
      for (const auto& key : RowsOf(*Must(table->SelectColumns(
               {table->schema()->GetFieldIndex(groups.output_partitioning[0])})))) {
        here.insert(key);
      }
      for (const auto& key : here) EXPECT_TRUE(keys.insert(key).second);
      EXPECT_LE(here.size(), groups.groups[g].partition_values.size());
    }
    if (plain && !stolen) ExpectTrue(groups.groups[g].statistics, *Decoded(table));
  }
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST(FileGroupsOracle, WhatIsDeclaredIsTrueOfTheRows) {
  const int64_t rounds = FromEnvironment("SHOAL_ORACLE_ROUNDS", 150);
  const int64_t seed = FromEnvironment("SHOAL_ORACLE_SEED", 1);
  Seen seen;
  for (int64_t i = 0; i < rounds; ++i) {
    SCOPED_TRACE("SHOAL_ORACLE_ROUNDS=1 SHOAL_ORACLE_SEED=" + std::to_string(seed + i));
    Round(seed + i, &seen);
    if (::testing::Test::HasFailure()) return;
  }
  if (rounds < 100) return;
  // It is no proof if nothing is declared.
  EXPECT_GT(seen.ordered, rounds / 3);
  EXPECT_GT(seen.longer_than_one_file, rounds / 10);
  EXPECT_GT(seen.partitioned, rounds / 10);
}

}  // namespace
}  // namespace shoal::oracle
