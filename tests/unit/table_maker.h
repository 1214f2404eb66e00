// Random columns of every type that Parquet files bring.
#pragma once

#include <memory>
#include <vector>

#include <arrow/table.h>
#include <arrow/type.h>

#include "random_source.h"

namespace shoal::oracle {

/// Two to seven columns, `c0`, `c1`, ..., some of them structs or lists.
std::shared_ptr<arrow::Schema> RandomSchema(Random& random);

/// Values of a column gather around a centre that drifts, so that bounds differ between files and
/// row groups; the odd value is an extreme of its type.
std::shared_ptr<arrow::Table> RandomTable(const std::shared_ptr<arrow::Schema>& schema,
                                          int64_t rows, Random& random);

}  // namespace shoal::oracle
