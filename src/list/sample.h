// A sampled walk: some files from all over a tree, without reading all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>

#include <shoal/listing.h>

#include "list/tree.h"

namespace shoal::list {

/// About `n` files below `root`: of each level a quarter of `n` directories are read, evenly
/// spaced, and more only where these hold no more than `n` files; of the files found at most `n`
/// are taken, evenly spaced, the first and the last among them. A tree of no more than `n` files is
/// read whole.
arrow::Result<FileSample> SampleTree(Tree* tree, std::shared_ptr<Directory> root, int64_t n);

/// At most `n` of the numbers below `count`, evenly spaced, with both ends.
std::vector<size_t> EvenlySpaced(size_t count, int64_t n);

/// At most `n` files of the table.
FileTable SelectEvenly(const FileTable& files, int64_t n);

}  // namespace shoal::list
