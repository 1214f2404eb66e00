// From a question to a plan.
#pragma once

#include <memory>

#include <arrow/result.h>

#include <shoal/listing.h>
#include <shoal/plan.h>

#include "plan/facts_cache.h"
#include "plan/inspection.h"

namespace shoal::plan {

/// Whether planning reads footers: of every file, only as far as a limit needs them, or not at all.
enum class FooterUse { kNone, kForLimit, kAll };

struct PlannerInput {
  std::shared_ptr<const ListingSource> source;
  std::shared_ptr<const Inspection> inspection;
  /// All files, where they were listed before; nullptr: list what the filter leaves.
  std::shared_ptr<const FileTable> files;
  ListingReport files_report;
  std::shared_ptr<FactsCache> cache;
};

/// The request with its columns spelled out and everything bound to the table schema, and the
/// schema of its output.
struct BoundRequest {
  ScanRequest request;
  std::shared_ptr<arrow::Schema> output_schema;
  /// The filter has parts that only the keys decide.
  bool filters_keys = false;
  /// The filter has parts that need data.
  bool filters_data = false;
};
arrow::Result<BoundRequest> BindRequest(const ScanRequest& request, const Inspection& inspection);

arrow::Result<ScanPlan> MakePlan(const PlannerInput& input, const BoundRequest& bound,
                                 const PlanOptions& options, FooterUse footers);

/// Looks up size and mtime of the fragments where listing did not tell them (on local disks), so
/// that a file which is another one when the plan is read is noticed.
arrow::Status IdentifyFiles(const arrow::StopToken& stop, ScanPlan* plan);

}  // namespace shoal::plan
