// The rules: from what is known of operands to the outcomes a predicate can have, in every
// container at once.
//
// Every rule obeys one law: an outcome that a row of the container has is in the set. Where a
// kernel fails or a bound is missing, the outcome stays in. Each rule says why the outcomes it
// leaves out are impossible.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>

#include "prune/interval.h"
#include "prune/pruner.h"

namespace shoal::prune {

enum class Comparison { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
/// "equal", "less", ...: Arrow's function of that name.
std::optional<Comparison> FindComparison(std::string_view function);

std::vector<Outcomes> Compare(Comparison comparison, const Interval& a, const Interval& b);

std::vector<Outcomes> IsIn(const Interval& values, const arrow::compute::SetLookupOptions& options);

std::vector<Outcomes> IsNull(const Interval& values, bool nan_is_null);
std::vector<Outcomes> IsValid(const Interval& values);
std::vector<Outcomes> IsNaN(const Interval& values);
std::vector<Outcomes> TrueUnlessNull(const Interval& values);

/// Whether the string begins with `prefix`.
std::vector<Outcomes> StartsWith(const Interval& strings, const std::string& prefix);
/// SQL LIKE. A pattern that begins with a wildcard has no prefix to go by: not set.
std::optional<std::vector<Outcomes>> MatchLike(const Interval& strings, const std::string& pattern);

/// Whether x <= y implies cast(x) <= cast(y), and a null comes only from a null.
bool CastKeepsOrder(const arrow::DataType& from, const arrow::DataType& to,
                    const arrow::compute::CastOptions& options);
/// The interval of cast(values): not set where the cast does not keep the order.
std::optional<Interval> Cast(const Interval& values, const arrow::compute::CastOptions& options);

}  // namespace shoal::prune
