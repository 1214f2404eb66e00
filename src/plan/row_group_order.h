// The order of rows over several row groups.
#pragma once

#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

#include "schema/column_mapping.h"

namespace shoal::plan {

/// Columns of the table that the rows of these row groups (ascending) are sorted by when they are
/// read one after another. `mapping` is that of the file to `table`: a column whose values are not
/// those of a leaf as it stands in the file, or that is part of a struct, ends the order.
arrow::Result<std::vector<SortColumn>> OrderOfRowGroups(const FileFacts& facts,
                                                        const std::vector<int>& row_groups,
                                                        const arrow::Schema& table,
                                                        const schema::ColumnMapping& mapping);

}  // namespace shoal::plan
