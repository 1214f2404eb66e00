// CSV.
#pragma once

#include <memory>
#include <string_view>

#include <shoal/csv.h>

namespace shoal::formats::csv {

/// Options as FileFormat::OptionsJson writes them.
arrow::Result<CsvOptions> OptionsFromJson(std::string_view json);
std::string OptionsToJson(const CsvOptions& options);

}  // namespace shoal::formats::csv
