// JSON lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <shoal/json.h>

namespace shoal::formats::json {

/// Options as FileFormat::OptionsJson writes them.
arrow::Result<JsonOptions> OptionsFromJson(std::string_view json);
std::string OptionsToJson(const JsonOptions& options);

}  // namespace shoal::formats::json
