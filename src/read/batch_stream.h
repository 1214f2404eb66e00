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

/// Whether the options allow going on without a file that failed like this.
bool MaySkip(const ScanOptions& options, const arrow::Status& error);

/// As BatchStream::Make; footers are looked up in and added to `cache`, which may be null.
/// `skipped`: what was left out before, for the metrics.
arrow::Result<std::unique_ptr<BatchStream>> MakeStream(
    const ScanPlan& plan, const ScanOptions& options, std::shared_ptr<plan::FactsCache> cache,
    const std::vector<plan::SkippedFile>& skipped = {});

}  // namespace shoal::read
