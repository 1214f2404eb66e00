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

/// The n-th value of a type, in the order of its values where that is cheap to say; near numbers
/// give near values.
std::shared_ptr<arrow::Scalar> ValueNumber(const std::shared_ptr<arrow::DataType>& type, int64_t n);

/// A value that is likely to meet special cases: extremes, NaN, zeros of both signs, odd texts.
std::shared_ptr<arrow::Scalar> SpecialValue(const std::shared_ptr<arrow::DataType>& type,
                                            Random& random);

}  // namespace shoal::oracle
