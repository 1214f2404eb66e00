// Dates, times and timestamps as ISO 8601 text.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/type.h>

namespace shoal::cli {

/// `2013-06-01`. Years beyond 0000 to 9999 have a sign and at least six digits: `+012345-06-01`.
void AppendDate(int64_t days_since_epoch, std::string* out);

/// `05:00:00`, with all digits of a fraction that the unit has: `05:00:00.000000`.
void AppendTimeOfDay(int64_t value, arrow::TimeUnit::type unit, std::string* out);

/// `2013-06-01T05:00:00`, followed by `Z` where the timestamp is an instant.
void AppendTimestamp(int64_t value, arrow::TimeUnit::type unit, bool is_instant, std::string* out);

/// "s", "ms", "us" or "ns".
const char* UnitName(arrow::TimeUnit::type unit);

}  // namespace shoal::cli
