// Comparisons between expressions of any two types that a person would compare.
#pragma once

#include <memory>
#include <string>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::expression {

/// An expression that has not been bound, and the type it will have.
struct Typed {
  arrow::compute::Expression expression;
  std::shared_ptr<arrow::DataType> type;

  /// The literal's value, or nullptr.
  const arrow::Scalar* scalar() const;
};

Typed TypedLiteral(std::shared_ptr<arrow::Scalar> scalar);
Typed NullBoolean();

Typed CastTo(Typed operand, const std::shared_ptr<arrow::DataType>& type);

/// Dictionaries as their values, extension types as their storage.
Typed Decoded(Typed operand);
/// Decoded; and views as string or binary, float16 as float32, decimal32 and decimal64 as
/// decimal128: types that most of Arrow's kernels know.
Typed Plain(Typed operand);

bool IsComparison(const std::string& function);

/// `function` is one of equal, not_equal, less, less_equal, greater, greater_equal. The result is a
/// comparison that Arrow has a kernel for, with a literal on the right side and of the left side's
/// type; it says what the comparison says mathematically, on every row, with null where either side
/// is null. Errors: TypeError naming both operands and types.
arrow::Result<Typed> Compare(const std::string& function, Typed left, Typed right);

/// `operand` ready to be compared with literals of `literal_type`: decoded, text as numbers if the
/// literals are numbers.
arrow::Result<Typed> ReadyToCompare(Typed operand, const arrow::DataType& literal_type);

/// `x` (int64), for messages.
std::string Describe(const Typed& operand);

}  // namespace shoal::expression
