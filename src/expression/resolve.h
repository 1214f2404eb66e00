// Finding the column that a reference means.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::expression {

struct ResolvedColumn {
  arrow::FieldPath path;
  /// The reference by names: a name, or a list of names into structs.
  arrow::FieldRef ref;
  std::shared_ptr<arrow::DataType> type;
};

/// A dotted name (`s.x`) is first a column of that very name, then a field in a struct. Names are
/// case-sensitive. Errors: an unknown name (the text lists near names and the columns there are), a
/// name that several columns have, a field of something that is no struct.
arrow::Result<ResolvedColumn> ResolveColumn(const arrow::FieldRef& ref,
                                            const arrow::Schema& schema);

}  // namespace shoal::expression
