// Groups by ordering: what is declared of made-up fragments.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/compute/initialize.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <shoal/file_groups.h>

namespace shoal {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

using Value = std::shared_ptr<arrow::Scalar>;
using Bound = Precision<Value>;

Value Int(int64_t v) { return std::make_shared<arrow::Int64Scalar>(v); }

ColumnStatistics Between(int64_t min, int64_t max, Precision<int64_t> nulls) {
  return {nulls, Bound::Exact(Int(min)), Bound::Exact(Int(max)), {}};
}
ColumnStatistics Between(int64_t min, int64_t max) {
  return Between(min, max, Precision<int64_t>::Exact(0));
}
ColumnStatistics AllNull(int64_t rows) { return {Precision<int64_t>::Exact(rows), {}, {}, {}}; }

/// A table of k (a partition key), a, b; 10 rows a file.
struct Table {
  ScanPlan plan;

  Table() {
    plan.table_schema =
        arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64()),
                       arrow::field("k", arrow::int64())});
    plan.partition_schema = arrow::schema({plan.table_schema->field(2)});
  }
  Fragment& Add(const std::string& path, std::vector<SortColumn> ordering, ColumnStatistics a,
                ColumnStatistics b = {}, int64_t key = 1) {
    Fragment& file = plan.fragments.emplace_back();
    file.path = path;
    file.version.size = 1000;
    file.row_groups = {0};
    file.row_group_sizes = {{10, 1000}};
    file.num_rows = Precision<int64_t>::Exact(10);
    file.num_bytes = Precision<int64_t>::Exact(1000);
    file.partition_values = std::make_shared<const PartitionValues>(PartitionValues{Int(key)});
    file.column_statistics = std::make_shared<const std::vector<ColumnStatistics>>(
        std::vector<ColumnStatistics>{std::move(a), std::move(b), Between(key, key)});
    file.ordering = std::move(ordering);
    return file;
  }
};

FileGroups Groups(const Table& table, int n, std::vector<SortColumn> wanted = {}) {
  FileGroupOptions options;
  options.target_partitions = n;
  options.split_file_groups_by_statistics = true;
  options.ordering = std::move(wanted);
  return MakeFileGroups(table.plan, options).ValueOrDie();
}

/// "f g | h by a, b desc nulls first": the groups, and the order that is declared of them.
std::string Text(const FileGroups& groups) {
  std::string out;
  for (const auto& group : groups.groups) {
    if (!out.empty()) out += "| ";
    for (const auto& fragment : group.fragments) out += fragment.path + " ";
  }
  if (groups.output_ordering.empty()) return out + "not sorted";
  out += "by";
  for (const auto& column : groups.output_ordering) {
    out += " " + column.name + (column.descending ? " desc" : "") +
           (column.nulls_first ? " nulls first" : "");
  }
  return out;
}

const std::vector<SortColumn> kA = {{"a"}};
const std::vector<SortColumn> kAB = {{"a"}, {"b"}};

TEST(OrderedGroups, FilesThatFollowEachOtherAreOneGroupInThatOrder) {
  Table table;
  table.Add("f", kA, Between(20, 29));
  table.Add("g", kA, Between(0, 9));
  table.Add("h", kA, Between(10, 19));
  EXPECT_EQ(Text(Groups(table, 1)), "g h f by a");
  // What is sorted as a whole is sorted in its parts.
  EXPECT_EQ(Text(Groups(table, 2)), "g | h f by a");
  EXPECT_EQ(Text(Groups(table, 7)), "g | h | f by a");
  EXPECT_TRUE(Groups(table, 1).ordering_limitation.empty());
}

TEST(OrderedGroups, FilesThatOverlapAreApart) {
  Table table;
  table.Add("f", kA, Between(0, 10));
  table.Add("g", kA, Between(5, 15));
  table.Add("h", kA, Between(11, 20));
  table.Add("i", kA, Between(16, 30));
  EXPECT_EQ(Text(Groups(table, 2)), "f h | g i by a");
  const auto one = Groups(table, 1);
  EXPECT_EQ(Text(one), "f g h i not sorted");
  EXPECT_EQ(one.ordering_limitation,
            "files overlap: to keep them apart takes more groups than target_partitions = 1");
}

TEST(OrderedGroups, EqualEndsMayTouch) {
  Table table;
  table.Add("f", kA, Between(5, 9));
  table.Add("g", kA, Between(0, 5));
  table.Add("h", kA, Between(5, 5));
  EXPECT_EQ(Text(Groups(table, 1)), "g h f by a");
}

TEST(OrderedGroups, WhereEndsTouchTheNextColumnDecides) {
  Table table;
  table.Add("f", kAB, Between(0, 5), Between(0, 50));
  table.Add("g", kAB, Between(5, 9), Between(50, 99));
  EXPECT_EQ(Text(Groups(table, 1)), "f g by a b");
  // Rows of a = 5 may have b = 49 in the second file and b = 50 in the first.
  table.plan.fragments.pop_back();
  table.Add("g", kAB, Between(5, 9), Between(49, 99));
  EXPECT_EQ(Text(Groups(table, 2)), "f | g by a b");
  const auto one = Groups(table, 1);
  EXPECT_EQ(Text(one), "f g by a");
  EXPECT_NE(one.ordering_limitation, "");
}

TEST(OrderedGroups, DescendingOrdersDescend) {
  const std::vector<SortColumn> descending = {{"a", true}};
  Table table;
  table.Add("f", descending, Between(0, 5));
  table.Add("g", descending, Between(5, 9));
  EXPECT_EQ(Text(Groups(table, 1)), "g f by a desc");
  // An order that only some files have is none.
  table.Add("h", kA, Between(10, 19));
  const auto groups = Groups(table, 9);
  EXPECT_EQ(groups.output_ordering, std::vector<SortColumn>{});
  EXPECT_EQ(groups.ordering_limitation, "'h' is not known to be sorted by 'a', descending");
}

TEST(OrderedGroups, NullsHaveTheirPlace) {
  for (bool first : {false, true}) {
    const std::vector<SortColumn> order = {{"a", false, first}};
    Table table;
    table.Add("none", order, Between(0, 5));
    table.Add("some", order, Between(6, 9, Precision<int64_t>::Exact(1)));
    table.Add("all", order, AllNull(10));
    if (first) {
      // The nulls of "some" would come behind the values of "none".
      EXPECT_EQ(Text(Groups(table, 2)), "all some | none by a nulls first");
      EXPECT_EQ(Text(Groups(table, 1)), "none some all not sorted");
    } else {
      EXPECT_EQ(Text(Groups(table, 3)), "none | some | all by a");
      EXPECT_EQ(Text(Groups(table, 1)), "none some all by a");
    }
  }
}

TEST(OrderedGroups, AnUnknownNumberOfNullsMayBeAny) {
  Table table;
  table.Add("f", kA, Between(0, 5, {}));
  table.Add("g", kA, Between(6, 9));
  EXPECT_EQ(Text(Groups(table, 1)), "f g not sorted");
  EXPECT_EQ(Text(Groups(table, 2)), "f | g by a");
}

TEST(OrderedGroups, WhereNullsStandDoesNotMatterWithoutNulls) {
  Table table;
  table.Add("f", {{"a", false, true}}, Between(0, 5));
  table.Add("g", {{"a", false, false}}, Between(6, 9));
  EXPECT_EQ(Text(Groups(table, 1)), "f g by a nulls first");
  EXPECT_EQ(Text(Groups(table, 1, kA)), "f g by a");
  table.Add("h", {{"a", false, true}}, Between(10, 19, Precision<int64_t>::Exact(1)));
  EXPECT_EQ(Text(Groups(table, 9, kA)), "f | g | h not sorted");
}

TEST(OrderedGroups, BoundsThatAreMissingOrCrossedAreNone) {
  Table table;
  table.Add("f", kA, Between(0, 5));
  table.Add("g", kA, {Precision<int64_t>::Exact(0), {}, {}, {}});
  table.Add("h", kA, Between(9, 6));
  table.Add("i", kA, Between(20, 29));
  EXPECT_EQ(Text(Groups(table, 2)), "f g | h i not sorted");
  const auto groups = Groups(table, 3);
  EXPECT_EQ(groups.output_ordering, kA);
  EXPECT_EQ(groups.groups.size(), 3u);
  EXPECT_EQ(groups.groups.back().fragments.size(), 2u);  // f and i
}

TEST(OrderedGroups, BoundsThatNoRowAttainsStillBound) {
  Table table;
  table.Add("f", kA,
            {Precision<int64_t>::Exact(0), Bound::Inexact(Int(0)), Bound::Inexact(Int(5)), {}});
  table.Add("g", kA,
            {Precision<int64_t>::Exact(0), Bound::Inexact(Int(5)), Bound::Inexact(Int(9)), {}});
  EXPECT_EQ(Text(Groups(table, 1)), "f g by a");
}

TEST(OrderedGroups, FilesWithoutRowsAreInNobodysWay) {
  Table table;
  table.Add("f", kA, Between(5, 9));
  Fragment& empty = table.Add("g", {}, {});
  empty.num_rows = Precision<int64_t>::Exact(0);
  table.Add("h", kA, Between(0, 5));
  EXPECT_EQ(Text(Groups(table, 1)), "h f g by a");
}

TEST(OrderedGroups, PartitionKeysMayLead) {
  Table table;
  table.Add("f", kA, Between(0, 9), {}, 2);
  table.Add("g", kA, Between(0, 9), {}, 1);
  table.Add("h", kA, Between(10, 19), {}, 1);
  EXPECT_EQ(Text(Groups(table, 1, {{"k"}, {"a"}})), "g h f by k a");
  EXPECT_EQ(Text(Groups(table, 1, {{"k", true}, {"a"}})), "f g h by k desc a");
  // A key that is constant in each file sorts nothing inside of it, wherever it stands.
  EXPECT_EQ(Text(Groups(table, 2, {{"a"}, {"k"}})), "g h | f by a k");
  // Without the key the same files overlap.
  EXPECT_EQ(Text(Groups(table, 1)), "f g h not sorted");
}

TEST(OrderedGroups, AColumnThatIsConstantInAFileSortsNothingThere) {
  Table table;
  table.Add("f", {{"b"}, {"a"}}, Between(0, 9), Between(7, 7));
  table.Add("g", {{"b"}, {"a"}}, Between(10, 19), Between(3, 3));
  EXPECT_EQ(Text(Groups(table, 1, kA)), "f g by a");
  // Of inexact bounds nobody knows whether it is one value.
  table.Add("h", {{"b"}, {"a"}}, Between(20, 29),
            {Precision<int64_t>::Exact(0), Bound::Inexact(Int(3)), Bound::Exact(Int(3)), {}});
  EXPECT_EQ(Text(Groups(table, 3, kA)), "f | g | h not sorted");
}

TEST(OrderedGroups, PartitionValuesAndOrderTogether) {
  Table table;
  table.Add("f", kA, Between(10, 19), {}, 1);
  table.Add("g", kA, Between(0, 9), {}, 2);
  table.Add("h", kA, Between(0, 9), {}, 1);
  FileGroupOptions options{.target_partitions = 2, .preserve_file_partitions = 1};
  options.split_file_groups_by_statistics = true;
  auto groups = MakeFileGroups(table.plan, options).ValueOrDie();
  EXPECT_TRUE(groups.by_partition_values);
  EXPECT_EQ(Text(groups), "h f | g by a");
  // Files that overlap stay with their partition values, and no order is declared.
  table.Add("i", kA, Between(5, 15), {}, 1);
  groups = MakeFileGroups(table.plan, options).ValueOrDie();
  EXPECT_TRUE(groups.by_partition_values);
  EXPECT_EQ(Text(groups), "f h i | g not sorted");
  EXPECT_EQ(groups.ordering_limitation, "files of one group of partition values overlap");
}

TEST(OrderedGroups, TheOutputNamesTheColumns) {
  using arrow::compute::field_ref;
  Table table;
  table.Add("f", kAB, Between(0, 5), Between(0, 9));
  table.Add("g", kAB, Between(6, 9), Between(0, 9));
  auto text = [&](std::vector<ProjectedColumn> columns) {
    table.plan.request.columns = std::move(columns);
    return Text(Groups(table, 1));
  };
  EXPECT_EQ(text({{"x", field_ref("b")}, {"b", field_ref("a")}}), "f g by b x");
  EXPECT_EQ(text({{"a", field_ref("a")}}), "f g by a");
  EXPECT_EQ(text({{"b", field_ref("b")}}), "f g not sorted");
  EXPECT_EQ(text({}), "f g not sorted");
  const auto negated = arrow::compute::call("negate", {field_ref("a")});
  EXPECT_EQ(text({{"a", negated}}), "f g not sorted");
  // A name that something else has too says nothing.
  EXPECT_EQ(text({{"a", field_ref("a")}, {"a", field_ref("b")}}), "f g not sorted");
  EXPECT_EQ(text({{"a", field_ref("a")}, {"a", field_ref("a")}}), "f g by a");
  FileGroupOptions options{.target_partitions = 2, .preserve_file_partitions = 1};
  auto partitioning = [&](std::vector<ProjectedColumn> columns) {
    table.plan.request.columns = std::move(columns);
    return MakeFileGroups(table.plan, options).ValueOrDie().output_partitioning;
  };
  EXPECT_EQ(partitioning({{"key", field_ref("k")}}), std::vector<std::string>{"key"});
  EXPECT_EQ(partitioning({{"a", field_ref("a")}}), std::vector<std::string>{});
}

TEST(OrderedGroups, APlanWithoutStatisticsDeclaresNothing) {
  Table table;
  table.Add("f", {}, {});
  table.plan.fragments[0].column_statistics = nullptr;
  EXPECT_EQ(Groups(table, 1).ordering_limitation,
            "the plan has not collected column_statistics, which tell the order");
}

TEST(OrderedGroups, NaNKeysAndZerosMakeNoFalseClaim) {
  Table table;
  const auto key = arrow::field("k", arrow::float64());
  table.plan.table_schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64()), key});
  table.plan.partition_schema = arrow::schema({key});
  for (double value : {std::numeric_limits<double>::quiet_NaN(), 1.0, -0.0}) {
    Fragment& file = table.Add(std::to_string(value), kA, Between(0, 9));
    file.partition_values = std::make_shared<const PartitionValues>(
        PartitionValues{std::make_shared<arrow::DoubleScalar>(value)});
  }
  EXPECT_EQ(Groups(table, 2, {{"k"}}).output_ordering, std::vector<SortColumn>{});
  EXPECT_EQ(Groups(table, 3, {{"k"}}).output_ordering, std::vector<SortColumn>{{"k"}});
}

TEST(OrderedGroups, OptionsAreChecked) {
  Table table;
  auto message = [&](FileGroupOptions options) {
    return MakeFileGroups(table.plan, options).status().message();
  };
  FileGroupOptions options;
  options.ordering = {{"a"}};
  EXPECT_NE(message(options).find("split_file_groups_by_statistics"), std::string::npos);
  options.split_file_groups_by_statistics = true;
  options.ordering = {{"nobody"}};
  EXPECT_NE(message(options).find("'nobody'"), std::string::npos);
  options.ordering = {{"a"}, {"b"}, {"a", true}};
  EXPECT_NE(message(options).find("'a' twice"), std::string::npos);
}

}  // namespace
}  // namespace shoal
