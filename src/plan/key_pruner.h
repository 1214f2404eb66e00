// Pruning of directories and files by their partition keys, as they are listed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>

#include <shoal/listing.h>
#include <shoal/plan.h>

#include "plan/inspection.h"
#include "plan/key_containers.h"
#include "prune/pruner.h"

namespace shoal::plan {

/// `key=value/...`, for messages.
std::string DescribeKeys(const KeyTable& keys, int64_t row);

/// The filter's parts that keys decide. References must outlive this. One thread at a time.
class KeyPruner {
 public:
  /// Counts what it prunes in `report`, whose conjuncts are those of the filter.
  KeyPruner(const Inspection& inspection, const arrow::compute::Expression& filter,
            PruneReport* report);

  bool can_prune() const;

  /// Keys of text that the filter wants to be equal to one value: nothing else passes.
  std::vector<PartitionKey> RequiredValues() const;

  /// A directory's keys may be some of those that its files have: what the rest decides is kept.
  arrow::Result<std::vector<bool>> JudgeDirectories(const KeyTable& keys);
  arrow::Result<std::vector<bool>> JudgeFiles(const FileTable& files);

 private:
  /// The first conjunct that rules out each row, or -1.
  arrow::Result<std::vector<int>> Judge(const KeyTable& keys, KeyContainers::Missing missing,
                                        const std::function<std::string(int64_t)>& path_of) const;
  /// Whether the report takes one more piece.
  bool HasRoom() const;
  /// Of directories with as many keys as that one; nullptr if it has none.
  LevelReport* LevelOf(const KeyTable& keys, int64_t row);

  const Inspection& inspection_;
  PruneReport* report_;
  std::vector<arrow::compute::Expression> conjuncts_;
  std::vector<int> number_;     // of each: index into the report's conjuncts
  std::set<std::string> used_;  // columns that they use
};

}  // namespace shoal::plan
