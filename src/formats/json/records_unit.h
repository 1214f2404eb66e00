// Rows of JSON lines.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::json {

arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request);

}  // namespace shoal::formats::json
