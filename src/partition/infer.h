// From keys as text to keys as typed values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <shoal/listing.h>

namespace shoal::partition {

/// The type that all values of a key have, whatever their order: int32, else int64, if every value
/// that is not null formats back to the same text (so no leading zeros, `+2` or `-0`), else utf8.
/// utf8 too if there is no value but null: every value that may still come fits it.
std::shared_ptr<arrow::DataType> InferKeyType(const KeyColumn& column);

/// Keys as values: path i has values[index[i]], or null where index[i] is KeyColumn::kAbsent.
/// Several texts may be one value (`1` and `01` as int32).
struct TypedKeyColumn {
  std::string name;
  std::shared_ptr<arrow::Array> values;  // as long as KeyColumn::distinct
  std::vector<int32_t> index;
};

/// Reads the texts of `column` as `type`: integers, floats, boolean, date, time, timestamp,
/// decimal, text, binary, dictionaries of those. A text that does not fit is an error naming key,
/// text and `path_of(row)` of the first path that has it. `inferred`: nobody said that the key has
/// this type, so an integer whose text it would alter (`07`) is an error, too.
arrow::Result<TypedKeyColumn> TypedKeys(const KeyColumn& column,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        const std::function<std::string(int64_t row)>& path_of,
                                        bool inferred = false);

}  // namespace shoal::partition
