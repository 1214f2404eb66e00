// Filters: Arrow compute expressions, or text in the grammar of docs/filters.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace shoal {

/// Parses `year = 2013 and dep_delay > 60 and carrier in ('UA', 'AA')`. Names and types are checked when the filter is
/// bound. Errors show the text with the position at which it stopped making sense.
arrow::Result<arrow::compute::Expression> ParseFilter(std::string_view text);

/// Parses a projection item: a column (`a`, `s.x`, `"odd name"`).
arrow::Result<arrow::FieldRef> ParseColumn(std::string_view text);

/// Binds a filter to a schema with the casts a person expects (integers against decimals and floats, strings against
/// dates, any time unit, string against string_view, large_string or dictionary). The result has references by name, is
/// bound, and evaluates to boolean.
/// Errors: an unknown column (listing near names), a type that cannot be compared (naming both), a non-boolean filter.
arrow::Result<arrow::compute::Expression> BindFilter(const arrow::compute::Expression& filter,
                                                     const std::shared_ptr<arrow::Schema>& schema);

}  // namespace shoal
