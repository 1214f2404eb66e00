// Types as text: in `cast(x as TYPE)` of the filter grammar, and in declared schemas.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::expression {

/// `int64`, `decimal(9,2)`, `timestamp[us, tz=UTC]`, `list<int64>`, `struct<a: int64, b: string>`,
/// ..., and what Arrow prints for these types. Errors list the names.
arrow::Result<std::shared_ptr<arrow::DataType>> ParseTypeName(std::string_view text);

/// The spelling that ParseTypeName reads back as an equal type; empty where there is none
/// (unions, say).
std::string TypeName(const arrow::DataType& type);

}  // namespace shoal::expression
