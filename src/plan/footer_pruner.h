// Which row groups of a file can hold a row that the filter selects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

#include "plan/file_mapping.h"
#include "prune/pruner.h"

namespace shoal::plan {

/// Immutable; used from many threads at once.
class FooterPruner {
 public:
  /// Of the plan's filter.
  static arrow::Result<FooterPruner> Make(const ScanPlan& plan);

  /// Judges the row groups of one file. Errors name the file.
  arrow::Result<prune::PruneResult> Judge(const FileFacts& facts, const PartitionValues& values,
                                          const std::string& path) const;

  /// The AND-ed parts of the filter, in the order of PruneResult::conjuncts.
  const std::vector<arrow::compute::Expression>& conjuncts() const { return conjuncts_; }

 private:
  KeyedSchema columns_;
  int row_index_ = -1;  // the column of columns_ that counts the rows of a file
  std::vector<arrow::compute::Expression> conjuncts_;
};

}  // namespace shoal::plan
