// From a question to a plan.
#pragma once

#include <memory>

#include <arrow/result.h>

#include <shoal/listing.h>
#include <shoal/plan.h>

#include "plan/bind_request.h"
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

arrow::Result<ScanPlan> MakePlan(const PlannerInput& input, const BoundRequest& bound,
                                 const PlanOptions& options, FooterUse footers);

/// Looks up the versions of the fragments where listing did not tell them (on local disks), so
/// that a file which is another one when the plan is read is noticed.
arrow::Status IdentifyFiles(const arrow::StopToken& stop, ScanPlan* plan);

/// The plan of a request that reads these fragments, whose partition values are of `keys`: see
/// Dataset::PlanFragments.
arrow::Result<ScanPlan> PlanFragments(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                                      const Inspection& inspection, const BoundRequest& bound,
                                      std::vector<Fragment> fragments, const arrow::Schema& keys);

}  // namespace shoal::plan
