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
  /// Only partition keys decide, and the answer relies on their being told by every path.
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

}  // namespace shoal::plan
