// Files under other keys than their paths gave them.
#pragma once

#include <functional>
#include <vector>

#include <shoal/listing.h>

namespace shoal::plan {

/// The same files in the same order, each with the keys that `keys_of` gives for its place and the
/// version that `version_of` does.
FileTable Rekeyed(const FileTable& files,
                  const std::function<std::vector<PartitionKey>(int64_t)>& keys_of,
                  const std::function<FileVersion(int64_t)>& version_of);

}  // namespace shoal::plan
