// Rows of CSV records.
#pragma once

#include <memory>

#include <shoal/file_format.h>

#include "formats/csv/facts.h"

namespace shoal::formats::csv {

arrow::Result<std::unique_ptr<Unit>> MakeUnit(std::shared_ptr<const Settings> settings,
                                              UnitRequest request);

}  // namespace shoal::formats::csv
