// The library's reports as JSON.
#pragma once

#include <string>

#include <shoal/listing.h>
#include <shoal/scan.h>
#include <nlohmann/json.hpp>

namespace shoal::cli {

nlohmann::ordered_json ToJson(const ListingReport& report);
nlohmann::ordered_json ToJson(const StoreRequests& requests);
nlohmann::ordered_json ToJson(const ScanMetrics& metrics);

/// As printed: indented, a newline at the end. Text that is not UTF-8 has replacement characters.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace shoal::cli
