// File groups: a plan divided among the partitions of an engine.
//
// A file group is a list of fragments that are read one after another. An engine runs as many
// groups at once as it has partitions.
#pragma once

#include <memory>
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
};

struct FileGroup {
  /// In dataset order.
  std::vector<Fragment> fragments;
  /// Rows and bytes, before filtering.
  Precision<int64_t> num_rows;
  Precision<int64_t> total_bytes;
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
