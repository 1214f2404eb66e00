// Making streams with the caches of a dataset.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

/// Adds what one of several scans did to what they did together.
void AddMetrics(const ScanMetrics& one, ScanMetrics* sum);

/// Starts the i-th of several scans, for so many rows at most.
using ScanOpener = std::function<arrow::Result<std::unique_ptr<BatchStream>>(
    size_t i, std::optional<int64_t> limit)>;

/// The rows of `scans` scans, one scan after the other, each started when it is needed, in one
/// stream with that offset and limit over all of them. All have the schema `schema`.
std::unique_ptr<BatchStream> JoinScans(std::shared_ptr<arrow::Schema> schema, size_t scans,
                                       ScanOpener open, int64_t offset,
                                       std::optional<int64_t> limit);

}  // namespace shoal::read
