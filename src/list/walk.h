// The walk: all files of a tree, in order, while they are being found.
#pragma once

#include <arrow/result.h>

#include <shoal/listing.h>

#include "list/tree.h"

namespace shoal::list {

/// Hands the files below `root` to the sink, page by page, in the order of their paths, and counts
/// into the tree's report. Returns false where the sink ended it. `root` may have been read
/// already.
///
/// The walk holds an ordered list of file runs and directories not read yet. In each round it reads
/// the first few of those, puts what they hold in their places, and hands out the files at the
/// front. The number of directories grows from round to round, so that an early end costs few
/// requests and a full listing few rounds; memory holds what was read out of turn, not the tree.
arrow::Result<bool> Walk(Tree* tree, std::shared_ptr<Directory> root, const PageSink& sink);

}  // namespace shoal::list
