// Reads row groups.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::parquet {

/// REQUIRES: request.facts are ParquetFacts, row_groups are some of theirs, leaves are ascending
/// and not empty.
arrow::Result<std::unique_ptr<Unit>> MakeRowGroupUnit(UnitRequest request);

}  // namespace shoal::formats::parquet
