// Reading the facts of a file in the caller's thread, for planning.
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/file_format.h>

#include "plan/facts_cache.h"
#include "runtime/counters.h"

namespace shoal::plan {

struct LoadedFacts {
  std::shared_ptr<const FileFacts> facts;  // nullptr: the file is empty (zero bytes)
  int64_t size = 0;
  int64_t mtime_ns = SourceFile::kUnknown;
  bool cached = false;
};

/// Looks at the file (which tells whether it is still the one listed), then takes its facts from
/// the cache, or opens it and reads them. `cache` may be null. Blocking, until `stop` ends
/// waiting for a store; thread-safe.
arrow::Result<LoadedFacts> LoadFacts(const FileFormat& format,
                                     const std::shared_ptr<const SourceFile>& file,
                                     FactsCache* cache,
                                     const std::shared_ptr<runtime::Counters>& counters,
                                     const arrow::StopToken& stop);

}  // namespace shoal::plan
