// The listing cache: directories that this process has listed, remembered for a while.
//
// It is used by datasets that were opened with OpenOptions::listing_cache_ttl, and by sources made
// with ListingCacheUse. What is remembered are directories by filesystem and path, so a listing of
// a table answers for each folder in it as well. Files that come or go are not seen until the time
// is over; a file that is gone by the time it is read is an error that names it. Dataset::Refresh
// lists anew, and later questions get what it found.
#pragma once

#include <cstdint>
#include <string_view>

namespace shoal {

/// Forgets the directory at `path` (as the filesystem spells it) and all below it, on every
/// filesystem; an empty path: everything. For those who know that files have changed.
void ForgetListings(std::string_view path = {});

/// Bytes that the cache may take, at most; what was used least recently goes first. 64 MiB unless
/// set.
void SetListingCacheLimit(int64_t bytes);

}  // namespace shoal
