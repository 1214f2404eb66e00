// From what an engine asks for to a scan that it can take over: before and after planning.
#pragma once

#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>

#include <shoal/file_scan.h>
#include <shoal/plan.h>

#include "plan/filter_support.h"
#include "plan/inspection.h"

namespace shoal::plan {

struct BoundFileScan {
  /// What to plan.
  ScanRequest request;
  /// What is known before planning.
  FileScanConfig config;
  /// Parts of filters that the plan must decide, bound to the table schema.
  std::vector<arrow::compute::Expression> key_filters;
};

arrow::Result<BoundFileScan> BindFileScan(const ScanArguments& arguments,
                                          const FileScanOptions& options,
                                          const Inspection& inspection);

/// `plan` answers bound.request. Blocking where a file must be asked whether it has a key that its
/// path lacks. `cache` may be null.
arrow::Result<FileScanConfig> FinishFileScan(BoundFileScan bound, ScanPlan plan,
                                             const FileScanOptions& options,
                                             const Inspection& inspection, FactsCache* cache);

}  // namespace shoal::plan
