// Statistics of a whole from those of its parts, claiming no more than the parts prove.
#pragma once

#include <span>
#include <vector>

#include <shoal/statistics.h>

namespace shoal::statistics {

/// The statistics of one column over containers whose bounds and row counts are known (`rows` has
/// one for each slot of the bounds). min and max are those of the non-null, non-NaN values; absent
/// unless every container that may hold such values has the bound; exact only if the deciding
/// bounds are attained. -0.0 and 0.0 are one value, reported as 0.0. Dictionary columns have
/// scalars of their value type.
ColumnStatistics Summarise(const ColumnBounds& bounds, const std::vector<Precision<int64_t>>& rows);
/// The same over some of the containers, given by their indices.
ColumnStatistics Summarise(const ColumnBounds& bounds, const std::vector<Precision<int64_t>>& rows,
                           std::span<const int> containers);

/// Rows, bytes and null counts add; min and max merge (absent where types differ); distinct counts
/// fall back to the largest, as an estimate. All parts have the same columns. No parts: a table of
/// no rows and no columns.
TableStatistics Merge(std::span<const TableStatistics> parts);

/// The same figures, none of them exact.
TableStatistics ToInexact(TableStatistics statistics);

}  // namespace shoal::statistics
