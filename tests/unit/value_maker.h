// Single values of every type, for rows and for literals that are to meet them.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "random_source.h"

namespace shoal::oracle {

/// The n-th value of a type, in the order of its values where that is cheap to say; near numbers
/// give near values.
std::shared_ptr<arrow::Scalar> ValueNumber(const std::shared_ptr<arrow::DataType>& type, int64_t n);

/// A value that is likely to meet special cases: extremes, NaN, zeros of both signs, odd texts.
std::shared_ptr<arrow::Scalar> SpecialValue(const std::shared_ptr<arrow::DataType>& type,
                                            Random& random);

}  // namespace shoal::oracle
