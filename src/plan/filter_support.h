// What a scan can do with a filter: the contract of include/shoal/file_scan.h.
#pragma once

#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>

#include <shoal/file_scan.h>

#include "plan/inspection.h"

namespace shoal::plan {

/// One of the parts of a filter that are joined by AND.
struct FilterPart {
  arrow::compute::Expression given;
  /// Bound to the table schema; as given where it cannot be bound.
  arrow::compute::Expression bound;
  FilterSupport support;
  /// Only partition keys decide, and every path is relied on to tell them.
  bool decided_by_keys = false;
};

struct ClassifiedFilter {
  FilterSupport support;
  std::vector<FilterPart> parts;
};

/// Errors: a column that the table lacks, types that cannot be compared, a filter that is not
/// boolean. What only the engine understands is no error but unsupported.
arrow::Result<ClassifiedFilter> ClassifyFilter(const arrow::compute::Expression& filter,
                                               const Inspection& inspection, ReadMode mode);

/// Whether the filter lets through some rows of a fragment and not others, as far as can be known:
/// it needs data, or a key that the fragment's path lacks and its file may have.
bool RowsDecide(const ScanPlan& plan, const Inspection& inspection);

}  // namespace shoal::plan
