// A question, bound to the table it is asked of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/plan.h>

#include "plan/inspection.h"

namespace shoal::plan {

/// The request with its columns spelled out and everything prepared for the table schema, and the
/// schema of its output.
struct BoundRequest {
  ScanRequest request;
  /// Of the filter's AND-ed parts and of all of it, as they were asked.
  std::vector<std::string> conjuncts;
  std::string filter;
  std::shared_ptr<arrow::Schema> output_schema;
  /// The filter has parts that only the keys decide.
  bool filters_keys = false;
  /// The filter has parts that need data.
  bool filters_data = false;
};
arrow::Result<BoundRequest> BindRequest(const ScanRequest& request, const Inspection& inspection);

}  // namespace shoal::plan
