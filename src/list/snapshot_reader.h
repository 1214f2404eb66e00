// What a sample has read of a tree, for the listings that follow it.
#pragma once

#include <memory>

#include "list/directory_reader.h"

namespace shoal::list {

class SnapshotDirectories;
/// The directories that one source has read for samples. Thread-safe.
std::shared_ptr<SnapshotDirectories> MakeSnapshotDirectories();

/// Takes from `known` what is there and asks `reader` for the rest. `record`: which then is in
/// `known`, too, as long as there is room: a table whose directories do not fit is read again.
std::shared_ptr<const DirectoryReader> MakeSnapshotReader(
    std::shared_ptr<const DirectoryReader> reader, std::shared_ptr<SnapshotDirectories> known,
    bool record);

}  // namespace shoal::list
