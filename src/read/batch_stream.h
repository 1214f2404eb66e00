// Making streams with the caches of a dataset.
#pragma once

#include <memory>
#include <vector>

#include <shoal/scan.h>

#include "plan/facts_cache.h"
#include "plan/inspection.h"

namespace shoal::read {

/// Invalid, naming the option that is out of range.
arrow::Status ValidateOptions(const ScanOptions& options);

/// As BatchStream::Make; footers are looked up in and added to `cache`, which may be null.
/// `skipped`: what was left out before, for the metrics.
arrow::Result<std::unique_ptr<BatchStream>> MakeStream(
    const ScanPlan& plan, const ScanOptions& options, std::shared_ptr<plan::FactsCache> cache,
    const std::vector<plan::SkippedFile>& skipped = {});

/// So many streams over one reading of the plan: each batch is in one of them, in whichever is
/// asked first. The plan is one that holds together.
arrow::Result<std::vector<std::unique_ptr<BatchStream>>> MakeSharedStreams(
    const ScanPlan& plan, const ScanOptions& options, int consumers);

}  // namespace shoal::read
