// Filters, columns and schemas as text, in the grammar of docs/filters.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace shoal {

/// Parses `year = 2013 and dep_delay > 60 and carrier in ('UA', 'AA')`. Names and types are checked
/// when the filter is bound. Errors show the text with the position at which it stopped making
/// sense.
arrow::Result<arrow::compute::Expression> ParseFilter(std::string_view text);

/// Parses a projection item: a column (`a`, `s.x`, `"odd name"`). A dotted name is kept as one
/// name: binding takes the column of that very name if there is one, else the field of a struct.
arrow::Result<arrow::FieldRef> ParseColumn(std::string_view text);

/// Parses a schema: `a: int64, "odd, name": decimal(9, 2), s: struct<x: double> not null`. The
/// types are those of `cast` in docs/filters.md and nested ones; what Arrow prints for them is read
/// too. Errors name the column, or a name that stands twice.
arrow::Result<std::shared_ptr<arrow::Schema>> ParseSchema(std::string_view text);

/// Binds a filter to a schema with the casts a person expects (integers against decimals and
/// floats, strings against dates, any time unit, string against string_view, large_string or
/// dictionary). The result has references by name, is bound, and evaluates to boolean. Comparisons
/// have the column on the left and a literal of the column's type on the right wherever one side is
/// a literal, whatever type it was given in: `x < 1.5` of an integer column is bound as `x <= 1`.
/// The conversions are described in docs/filters.md.
/// Errors: an unknown column (listing near names), a type that cannot be compared (naming both), a
/// non-boolean filter.
arrow::Result<arrow::compute::Expression> BindFilter(const arrow::compute::Expression& filter,
                                                     const std::shared_ptr<arrow::Schema>& schema);

}  // namespace shoal
