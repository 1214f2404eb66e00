// Arithmetic between types: what `+`, `-`, `*`, `/` and their like compute in.
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>

#include "expression/comparison.h"

namespace shoal::expression {

/// Whether the function is one that ReadyForArithmetic knows.
bool IsArithmetic(const std::string& function);

/// The arguments in the types in which a person expects the answer, whatever widths they are stored
/// in:
/// - integers in int64; with a uint64 exactly, as decimals (division: in uint64 if nothing is
///   signed);
/// - decimals with integers in decimals, where a literal is the smallest that holds it;
/// - floats with anything else in doubles.
/// Arrow alone would take a literal in the smallest type that holds it, and so let an int8 column
/// plus 1 overflow. Arguments of which one is no number come back as they are.
arrow::Result<std::vector<Typed>> ReadyForArithmetic(const std::string& function,
                                                     std::vector<Typed> arguments);

}  // namespace shoal::expression
