// The groups of a plan, each as a stream.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <shoal/file_groups.h>
#include <shoal/scan.h>

#include "base/location.h"
#include "plan/validate.h"
#include "read/batch_stream.h"
#include "read/reading.h"
#include "runtime/parallel.h"

namespace shoal {

namespace {

using Streams = std::vector<std::unique_ptr<BatchStream>>;

/// All fragments, where a file that was divided among groups is whole again: its footer is read
/// once.
std::vector<Fragment> Joined(const FileGroups& groups) {
  std::vector<Fragment> out;
  for (const FileGroup& group : groups.groups) {
    for (const Fragment& fragment : group.fragments) {
      if (out.empty() || out.back().path != fragment.path || !out.back().row_groups ||
          !fragment.row_groups) {
        out.push_back(fragment);
        continue;
      }
      Fragment& whole = out.back();
      auto append = [](const auto& more, auto* to) {
        to->insert(to->end(), more.begin(), more.end());
      };
      append(*fragment.row_groups, &*whole.row_groups);
      append(fragment.row_group_sizes, &whole.row_group_sizes);
      whole.num_rows = whole.num_rows + fragment.num_rows;
      whole.num_bytes = whole.num_bytes + fragment.num_bytes;
      whole.column_statistics = nullptr;  // of a part
      whole.ordering.clear();
    }
  }
  return out;
}

/// What each of n streams has of the options' means.
ScanOptions ShareOf(ScanOptions options, bool local, int n) {
  options.memory_budget = std::max<int64_t>(options.memory_budget / n, 1);
  if (options.workers == ScanOptions::kAuto) options.workers = runtime::DefaultWorkers();
  if (options.workers > 0) options.workers = std::max(options.workers / n, 1);
  options.io_concurrency = std::max(read::IoConcurrency(options, local) / n, 1);
  return options;
}

}  // namespace

arrow::Result<Streams> ReadFileGroups(const ScanPlan& plan, const FileGroups& groups,
                                      const ReadFileGroupsOptions& options) {
  ARROW_RETURN_NOT_OK(read::ValidateOptions(options.scan));
  if (!options.scan.ordered && !groups.output_ordering.empty()) {
    return arrow::Status::Invalid(
        "ordered is false, but the groups declare an order: read them with ordered, or make groups "
        "without split_file_groups_by_statistics");
  }
  if (!plan.filesystem) return arrow::Status::Invalid("The plan has no filesystem");
  const auto n = static_cast<int>(groups.groups.size());
  if (n == 0) return Streams();
  const bool declared = groups.by_partition_values || !groups.output_ordering.empty();
  if (options.file_stream_work_stealing && !declared) {
    const ScanPlan all = PartOf(plan, Joined(groups));
    ARROW_RETURN_NOT_OK(plan::ValidatePlan(all));
    return read::MakeSharedStreams(all, options.scan, n);
  }
  const ScanOptions share = ShareOf(options.scan, base::IsLocal(*plan.filesystem), n);
  Streams streams;
  for (const FileGroup& group : groups.groups) {
    ARROW_ASSIGN_OR_RAISE(streams.emplace_back(),
                          BatchStream::Make(PartOf(plan, group.fragments), share));
  }
  return streams;
}

}  // namespace shoal
