#include <shoal/file_groups.h>

#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

namespace shoal {
namespace {

constexpr int64_t kMiB = 1 << 20;

/// A file of so many row groups, of 10 rows and `group_bytes` each.
Fragment File(const std::string& path, int row_groups, int64_t group_bytes) {
  Fragment file;
  file.path = path;
  file.version.size = row_groups * group_bytes + 100;
  file.row_groups.emplace();
  for (int g = 0; g < row_groups; ++g) {
    file.row_groups->push_back(g);
    file.row_group_sizes.push_back({10, group_bytes});
  }
  file.num_rows = Precision<int64_t>::Exact(10 * row_groups);
  file.num_bytes = Precision<int64_t>::Exact(row_groups * group_bytes);
  file.partition_values = std::make_shared<const PartitionValues>();
  return file;
}

ScanPlan PlanOf(std::vector<Fragment> fragments,
                std::shared_ptr<arrow::Schema> keys = arrow::schema({})) {
  ScanPlan plan;
  plan.table_schema = plan.partition_schema = std::move(keys);
  plan.fragments = std::move(fragments);
  return plan;
}

Fragment Keyed(const std::string& path, std::shared_ptr<arrow::Scalar> key) {
  Fragment file = File(path, 1, 1000);
  file.partition_values = std::make_shared<const PartitionValues>(PartitionValues{std::move(key)});
  return file;
}

ScanPlan PlanOfKeys(const std::string& keys) {
  std::vector<Fragment> fragments;
  for (char key : keys) {
    fragments.push_back(Keyed(std::string("k=") + key + "/" + std::to_string(fragments.size()),
                              std::make_shared<arrow::StringScalar>(std::string(1, key))));
  }
  return PlanOf(std::move(fragments), arrow::schema({arrow::field("k", arrow::utf8())}));
}

FileGroups Groups(const ScanPlan& plan, FileGroupOptions options) {
  return MakeFileGroups(plan, options).ValueOrDie();
}

/// "0[0-3] 1 | 1[4] ...": the paths and row groups of each group.
std::string Text(const FileGroups& groups) {
  std::string out;
  for (const auto& group : groups.groups) {
    if (!out.empty()) out += "| ";
    for (const auto& f : group.fragments) {
      out += f.path + "[" + std::to_string(f.row_groups->front()) + "-" +
             std::to_string(f.row_groups->back()) + "] ";
    }
  }
  return out;
}

TEST(FileGroups, HaveEqualSharesInDatasetOrder) {
  std::vector<Fragment> files;
  for (int i = 0; i < 6; ++i) files.push_back(File(std::to_string(i), 1, 1000));
  EXPECT_EQ(Text(Groups(PlanOf(files), {.target_partitions = 3})),
            "0[0-0] 1[0-0] | 2[0-0] 3[0-0] | 4[0-0] 5[0-0] ");
  // One that outweighs all others has a group of its own.
  files[2] = File("2", 1, 100000);
  EXPECT_EQ(Text(Groups(PlanOf(files), {.target_partitions = 3})),
            "0[0-0] 1[0-0] | 2[0-0] | 3[0-0] 4[0-0] 5[0-0] ");
}

TEST(FileGroups, LargeFilesAreDividedBetweenRowGroups) {
  const auto plan = PlanOf({File("a", 8, 4 * kMiB), File("b", 2, 1 * kMiB)});
  EXPECT_EQ(Text(Groups(plan, {.target_partitions = 2})), "a[0-3] | a[4-7] b[0-1] ");
  const auto groups = Groups(plan, {.target_partitions = 4});
  EXPECT_EQ(Text(groups), "a[0-1] | a[2-3] | a[4-5] | a[6-7] b[0-1] ");
  EXPECT_EQ(groups.groups[1].statistics.num_rows.exact_value(), 20);
  EXPECT_EQ(groups.groups[1].statistics.total_bytes.exact_value(), 8 * kMiB);
  // Small ones are not, nor those whose row groups the plan does not know.
  EXPECT_EQ(Text(Groups(plan, {.target_partitions = 4, .repartition_file_min_size = 100 * kMiB})),
            "a[0-7] | b[0-1] ");
}

TEST(FileGroups, EveryRowGroupIsInExactlyOneGroup) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Fragment> files;
    std::multiset<std::pair<std::string, int>> expected, found;
    for (int i = 0, n = static_cast<int>(random() % 20); i < n; ++i) {
      files.push_back(File("f" + std::to_string(100 + i), 1 + static_cast<int>(random() % 9),
                           static_cast<int64_t>(random() % (8 * kMiB))));
      for (int g : *files.back().row_groups) expected.emplace(files.back().path, g);
    }
    const int n = 1 + static_cast<int>(random() % 12);
    FileGroupOptions options{
        .target_partitions = n,
        .balance =
            random() % 2 ? FileGroupOptions::Balance::kBytes : FileGroupOptions::Balance::kRows,
        .repartition_file_min_size = static_cast<int64_t>(random() % (16 * kMiB))};
    const auto groups = Groups(PlanOf(files), options);
    EXPECT_LE(groups.groups.size(), static_cast<size_t>(n));
    std::string last;
    for (const auto& group : groups.groups) {
      EXPECT_FALSE(group.fragments.empty());
      for (const auto& f : group.fragments) {
        EXPECT_GE(f.path, last);
        last = f.path;
        EXPECT_EQ(f.row_group_sizes.size(), f.row_groups->size());
        for (int g : *f.row_groups) found.emplace(f.path, g);
      }
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(FileGroups, UnknownSizesStillSpread) {
  std::vector<Fragment> files(6);
  for (int i = 0; i < 6; ++i) {
    files[i].path = std::to_string(i);
    files[i].partition_values = std::make_shared<const PartitionValues>();
  }
  const auto groups = Groups(PlanOf(files), {.target_partitions = 3});
  ASSERT_EQ(groups.groups.size(), 3u);
  for (const auto& group : groups.groups) {
    EXPECT_EQ(group.fragments.size(), 2u);
    EXPECT_TRUE(group.statistics.num_rows.is_absent());
  }
}

TEST(FileGroups, GroupedByPartitionValuesSayWhichAreWhere) {
  // Two tables with different keys: joined group by group as declared, only equal keys meet.
  const auto left =
      Groups(PlanOfKeys("ABC"), {.target_partitions = 2, .preserve_file_partitions = 1});
  const auto right =
      Groups(PlanOfKeys("ACD"), {.target_partitions = 2, .preserve_file_partitions = 1});
  auto keys = [](const FileGroups& groups) {
    std::string out;
    for (const auto& group : groups.groups) {
      for (const auto& values : group.partition_values) out += (*values)[0]->ToString();
      out += "|";
    }
    return out;
  };
  EXPECT_TRUE(left.by_partition_values);
  EXPECT_EQ(left.output_partitioning, std::vector<std::string>{"k"});
  EXPECT_EQ(keys(left), "AC|B|");
  EXPECT_EQ(keys(right), "AD|C|");
  EXPECT_EQ(Text(left), "k=A/0[0-0] k=C/2[0-0] | k=B/1[0-0] ");
}

TEST(FileGroups, AllFilesOfAKeyAreInOneGroup) {
  const auto groups =
      Groups(PlanOfKeys("ABABBA"), {.target_partitions = 5, .preserve_file_partitions = 2});
  EXPECT_TRUE(groups.by_partition_values);
  EXPECT_EQ(Text(groups), "k=A/0[0-0] k=A/2[0-0] k=A/5[0-0] | k=B/1[0-0] k=B/3[0-0] k=B/4[0-0] ");
}

TEST(FileGroups, FewKeysAreNotGroupedAndNothingIsDeclared) {
  const auto groups =
      Groups(PlanOfKeys("AABB"), {.target_partitions = 2, .preserve_file_partitions = 3});
  EXPECT_FALSE(groups.by_partition_values);
  for (const auto& group : groups.groups) EXPECT_TRUE(group.partition_values.empty());
}

TEST(FileGroups, AKeyThatAPathLacksIsNotDeclared) {
  auto plan = PlanOfKeys("AB");
  plan.fragments.push_back(Keyed("x", nullptr));
  EXPECT_FALSE(
      Groups(plan, {.target_partitions = 2, .preserve_file_partitions = 1}).by_partition_values);
}

TEST(FileGroups, NullsNaNAndZerosAreOneValueEach) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<Fragment> files;
  for (double value : {0.0, -0.0, kNaN, -kNaN}) {
    files.push_back(
        Keyed(std::to_string(files.size()), std::make_shared<arrow::DoubleScalar>(value)));
  }
  for (int i = 0; i < 2; ++i)
    files.push_back(Keyed("null" + std::to_string(i), std::make_shared<arrow::DoubleScalar>()));
  const auto plan = PlanOf(files, arrow::schema({arrow::field("k", arrow::float64())}));
  const auto groups = Groups(plan, {.target_partitions = 9, .preserve_file_partitions = 1});
  EXPECT_EQ(Text(groups), "0[0-0] 1[0-0] | 2[0-0] 3[0-0] | null0[0-0] null1[0-0] ");
}

TEST(FileGroups, OptionsOutOfRangeAreNamed) {
  auto message = [](FileGroupOptions options) {
    return MakeFileGroups(PlanOfKeys("A"), options).status().message();
  };
  EXPECT_NE(message({.target_partitions = 0}).find("target_partitions is 0"), std::string::npos);
  EXPECT_NE(message({.preserve_file_partitions = -1}).find("preserve_file_partitions is -1"),
            std::string::npos);
  EXPECT_NE(message({.repartition_file_min_size = -1}).find("repartition_file_min_size is -1"),
            std::string::npos);
}

TEST(FileGroups, APartKeepsALimitThatIsLargeEnoughForAnyPlace) {
  auto plan = PlanOfKeys("AB");
  plan.request.limit = 10;
  plan.request.offset = 5;
  const auto part = PartOf(plan, {plan.fragments[1]});
  EXPECT_EQ(part.request.limit, 15);
  EXPECT_EQ(part.request.offset, 0);
  EXPECT_EQ(part.statistics.num_rows.exact_value(), 10);
  ASSERT_EQ(part.fragments.size(), 1u);
  EXPECT_EQ(part.fragments[0].path, "k=B/1");
}

}  // namespace
}  // namespace shoal
