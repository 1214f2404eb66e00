// A directory reader that remembers what it has read.
#pragma once

#include <memory>

#include <arrow/filesystem/type_fwd.h>

#include <shoal/listing.h>
#include <shoal/listing_cache.h>

#include "list/directory_reader.h"

namespace shoal::list {

/// Asks the cache of the process, then `reader`; what that finds goes into the cache. Errors are
/// not remembered, nor what may not exist.
std::shared_ptr<const DirectoryReader> MakeRememberingReader(
    std::shared_ptr<const DirectoryReader> reader,
    std::shared_ptr<arrow::fs::FileSystem> filesystem, ListingCacheUse use);

}  // namespace shoal::list
