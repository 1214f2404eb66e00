// Rows of JSON lines.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::json {

/// `piece`: see text::TextFile.
arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request, int64_t piece = 0);

}  // namespace shoal::formats::json
