// File groups: a plan divided among the partitions of an engine.
//
// A file group is a list of fragments that are read one after another. An engine runs as many
// groups at once as it has partitions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/plan.h>

namespace shoal {

/// The names are those that engines use.
struct FileGroupOptions {
  /// Groups, at most; at least 1.
  int target_partitions = 1;
  /// What the groups shall have equal shares of. Where a fragment's share is not known, its file's
  /// size stands in.
  enum class Balance { kBytes, kRows };
  Balance balance = Balance::kBytes;
  /// Files larger than this may be divided among groups, between row groups. Only where the plan
  /// knows the row groups (PlanOptions::collect_statistics).
  int64_t repartition_file_min_size = int64_t{10} << 20;
  /// Not 0: where the fragments have at least this many different partition values, all fragments
  /// with the same values go to one group.
  int preserve_file_partitions = 0;
  /// Where the files declare an order of their rows, group and arrange them so that each group has
  /// that order as a whole: files whose ranges overlap go to different groups. Where that takes
  /// more groups than target_partitions, no order is declared and the groups are as without. Needs
  /// a plan with PlanOptions::column_statistics. Together with preserve_file_partitions the groups
  /// are those of the partition values, and an order is declared if each of them has it.
  bool split_file_groups_by_statistics = false;
  /// The order that split_file_groups_by_statistics is to bring about, in columns of the table; a
  /// partition key may be one of them. Empty: that which the files declare.
  std::vector<SortColumn> ordering = {};
};

struct FileGroup {
  /// In dataset order, or in that of FileGroups::output_ordering.
  std::vector<Fragment> fragments;
  /// Of the fragments, before filtering. Of a part of a file's row groups bounds are inexact and
  /// most counts absent; of columns there is something only where the plan has column_statistics.
  TableStatistics statistics;
  /// Of FileGroups::by_partition_values: all partition values in the group, in dataset order. No
  /// other group has any of them.
  std::vector<std::shared_ptr<const PartitionValues>> partition_values;
};

struct FileGroups {
  /// None is empty.
  std::vector<FileGroup> groups;
  /// Rows with equal partition keys are in the same group: an engine need not bring them together.
  /// Which keys are where is told by FileGroup::partition_values.
  bool by_partition_values = false;
  /// Of groups by partition values: the columns of the output that have the partition keys, in the
  /// order of ScanPlan::partition_schema. Rows that are equal in all of them are in one group.
  /// Empty: nothing of the kind is declared, as when the output lacks one of the keys.
  std::vector<std::string> output_partitioning;
  /// Columns of the output that the rows of each group are sorted by, the first column first, if
  /// its fragments are read in their order (ScanOptions::ordered). Empty: nothing is declared. It
  /// stands on what the files declare of their row groups (see Fragment::ordering), which only
  /// reading could check; all else is proved by their statistics.
  std::vector<SortColumn> output_ordering;
  /// Of split_file_groups_by_statistics: why output_ordering is not all that was asked for or that
  /// the first file declares; empty if it is.
  std::string ordering_limitation;
};

/// Divides the fragments of a plan; the same plan and options give the same groups. Every row group
/// of the plan is in exactly one of them. By partition values only where the values of all
/// fragments are known: a key that a path lacks may be a column of the file. Errors: Invalid,
/// naming the option out of range.
arrow::Result<FileGroups> MakeFileGroups(const ScanPlan& plan, const FileGroupOptions& options);

/// The part of the plan that reads these fragments, which are the plan's or pieces of them. A limit
/// and an offset speak of the whole: the part returns at most limit + offset rows from its
/// beginning, and whoever joins the parts applies them. The reports stay with the whole plan.
ScanPlan PartOf(const ScanPlan& plan, std::vector<Fragment> fragments);

}  // namespace shoal
