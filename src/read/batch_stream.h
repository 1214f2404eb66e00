// Making streams with the caches of a dataset.
#pragma once

#include <memory>

#include <shoal/scan.h>

#include "plan/facts_cache.h"

namespace shoal::read {

/// Invalid, naming the option that is out of range.
arrow::Status ValidateOptions(const ScanOptions& options);

/// As BatchStream::Make; footers are looked up in and added to `cache`, which may be null.
arrow::Result<std::unique_ptr<BatchStream>> MakeStream(const ScanPlan& plan,
                                                       const ScanOptions& options,
                                                       std::shared_ptr<plan::FactsCache> cache);

}  // namespace shoal::read
