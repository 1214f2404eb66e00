// Types as the filter grammar spells them, in `cast(x as TYPE)`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::expression {

/// `int64`, `decimal(9,2)`, `timestamp[us, tz=UTC]`, ... Errors list the names.
arrow::Result<std::shared_ptr<arrow::DataType>> ParseTypeName(std::string_view text);

/// The spelling that ParseTypeName reads back as an equal type; empty where the grammar has none
/// (nested types, say).
std::string TypeName(const arrow::DataType& type);

}  // namespace shoal::expression
