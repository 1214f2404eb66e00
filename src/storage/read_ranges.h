// Several ranges of one file, in the caller's thread.
#pragma once

#include <memory>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/unit.h>

#include "storage/open_file.h"

namespace shoal::storage {

/// Each range, as OpenFile::Read gives it. Of a store, ranges that lie close together are one
/// request, and several requests are made at once; the local disk is asked for one after another.
/// Blocking, until `stop` ends waiting for a store.
arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> ReadRanges(
    const OpenFile& file, const std::vector<ByteRange>& ranges, const arrow::StopToken& stop);

}  // namespace shoal::storage
