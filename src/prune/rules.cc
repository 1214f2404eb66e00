#include "prune/rules.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>

#include "statistics/plain.h"

namespace shoal::prune {
namespace {

using arrow::Datum;
using arrow::Result;

// Per container, whether the Boolean is true or unknown; everywhere if it could not be computed.
Mask Possible(const Result<Datum>& result, int64_t n) {
  Mask possible(n, 1);
  if (!result.ok()) return possible;
  if (result->is_scalar() && result->type()->id() == arrow::Type::BOOL) {
    const auto& scalar = result->scalar_as<arrow::BooleanScalar>();
    if (scalar.is_valid && !scalar.value) possible.assign(n, 0);
    return possible;
  }
  if (!result->is_array() || result->type()->id() != arrow::Type::BOOL || result->length() != n) {
    return possible;
  }
  const auto array = result->array_as<arrow::BooleanArray>();
  const uint8_t* values = array->values()->data();
  const int64_t offset = array->offset();
  for (int64_t i = 0; i < n; ++i) possible[i] = arrow::bit_util::GetBit(values, offset + i);
  if (array->null_count() > 0) {
    const uint8_t* valid = array->null_bitmap_data();
    for (int64_t i = 0; i < n; ++i) possible[i] |= !arrow::bit_util::GetBit(valid, offset + i);
  }
  return possible;
}

// Whether `function` of two bounds is true or unknown. A missing bound makes it unknown.
Mask PossiblyHolds(const char* function, const Datum& a, const Datum& b, int64_t n) {
  if (!a.is_value() || !b.is_value()) return Mask(n, 1);
  return Possible(arrow::compute::CallFunction(function, {a, b}), n);
}

Mask operator&(Mask a, const Mask& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] &= b[i];
  return a;
}
Mask operator|(Mask a, const Mask& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] |= b[i];
  return a;
}

struct Possibilities {
  Mask is_true, is_false;
};

// For ordinary values a and b, with a in [min_a, max_a] and b in [min_b, max_b].
Possibilities CompareOrdinary(Comparison comparison, const Interval& a, const Interval& b) {
  const int64_t n = a.size();
  // a < b for some pair needs min_a < max_b, because min_a <= a < b <= max_b. The others follow the
  // same way.
  auto less = [&] { return PossiblyHolds("less", a.min, b.max, n); };
  auto less_equal = [&] { return PossiblyHolds("less_equal", a.min, b.max, n); };
  auto greater = [&] { return PossiblyHolds("greater", a.max, b.min, n); };
  auto greater_equal = [&] { return PossiblyHolds("greater_equal", a.max, b.min, n); };
  switch (comparison) {
    case Comparison::kLess:
      return {less(), greater_equal()};
    case Comparison::kLessEqual:
      return {less_equal(), greater()};
    case Comparison::kGreater:
      return {greater(), less_equal()};
    case Comparison::kGreaterEqual:
      return {greater_equal(), less()};
    case Comparison::kEqual:
      // a == b needs a <= b and a >= b to be possible; a != b needs a < b or a > b to be.
      return {less_equal() & greater_equal(), less() | greater()};
    case Comparison::kNotEqual:
      return {less() | greater(), less_equal() & greater_equal()};
  }
  return {Mask(n, 1), Mask(n, 1)};
}

// The least string above all strings with the prefix; not set if there is none.
std::optional<std::string> PrefixEnd(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

Result<std::shared_ptr<arrow::Scalar>> BytesScalar(const std::shared_ptr<arrow::DataType>& type,
                                                   const std::string& bytes) {
  return arrow::MakeScalar(type, arrow::Buffer::FromString(bytes));
}

Possibilities HasPrefix(const Interval& strings, const std::string& prefix) {
  const int64_t n = strings.size();
  Possibilities all{Mask(n, 1), Mask(n, 1)};
  auto begin = BytesScalar(strings.type, prefix);
  if (!begin.ok()) return all;
  // Strings with the prefix are those s with prefix <= s < end, by bytes.
  Mask below_end(n, 1), reaches_end(n, 0);
  if (auto end_bytes = PrefixEnd(prefix)) {
    auto end = BytesScalar(strings.type, *end_bytes);
    if (!end.ok()) return all;
    below_end = PossiblyHolds("less", strings.min, *end, n);
    reaches_end = PossiblyHolds("greater_equal", strings.max, *end, n);
  }
  return {PossiblyHolds("greater_equal", strings.max, *begin, n) & below_end,
          PossiblyHolds("less", strings.min, *begin, n) | reaches_end};
}

std::vector<Outcomes> OfOrdinaryAndNull(const Interval& values, const Possibilities& ordinary) {
  std::vector<Outcomes> outcomes(values.size(), kNone);
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.may_be(i, kOrdinary)) {
      outcomes[i] |= (ordinary.is_true[i] ? kTrue : 0) | (ordinary.is_false[i] ? kFalse : 0);
    }
    if (values.may_be(i, kNullValue)) outcomes[i] |= kNull;
  }
  return outcomes;
}

std::vector<Outcomes> ByKind(const Interval& values, Outcomes ordinary, Outcomes nan,
                             Outcomes null) {
  std::vector<Outcomes> outcomes(values.size(), kNone);
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.may_be(i, kOrdinary)) outcomes[i] |= ordinary;
    if (values.may_be(i, kNaN)) outcomes[i] |= nan;
    if (values.may_be(i, kNullValue)) outcomes[i] |= null;
  }
  return outcomes;
}

// A set to look values up in.
struct LookupSet {
  std::shared_ptr<arrow::Array> members;  // ordinary, sorted
  bool has_null = false;
  bool has_nan = false;
};

Result<LookupSet> MakeLookupSet(const Datum& value_set,
                                const std::shared_ptr<arrow::DataType>& type) {
  LookupSet set;
  std::shared_ptr<arrow::Array> values;
  if (value_set.is_array()) {
    values = value_set.make_array();
  } else if (value_set.is_chunked_array()) {
    ARROW_ASSIGN_OR_RAISE(values, arrow::Concatenate(value_set.chunked_array()->chunks()));
  } else {
    return arrow::Status::NotImplemented("a value set that is no array");
  }
  ARROW_ASSIGN_OR_RAISE(values, statistics::Plain(std::move(values)));
  if (!values->type()->Equals(*type)) {
    ARROW_ASSIGN_OR_RAISE(Datum cast, arrow::compute::Cast(values, type));
    values = cast.make_array();
  }
  set.has_null = values->null_count() > 0;
  const Interval members = ConstantInterval(values);
  Mask ordinary(values->length(), 0);
  for (int64_t i = 0; i < members.size(); ++i) {
    ordinary[i] = members.kinds[i] == kOrdinary;
    set.has_nan |= members.may_be(i, kNaN);
  }
  ARROW_ASSIGN_OR_RAISE(values, Select(*values, ordinary));
  ARROW_ASSIGN_OR_RAISE(auto order, arrow::compute::SortIndices(*values));
  ARROW_ASSIGN_OR_RAISE(set.members, arrow::compute::Take(*values, *order));
  return set;
}

// Whether some member may lie within the bounds: an ordinary value that matches is one.
Mask MayHoldMember(const Interval& values, const arrow::Array& members) {
  const int64_t n = values.size();
  const int64_t count = members.length();
  if (count == 0) return Mask(n, 0);
  if (!values.has_bounds()) return Mask(n, 1);

  // The first member that is not below min and the first that is above max: equal if none lies
  // between.
  if (values.min.is_array() && values.max.is_array()) {
    arrow::compute::SearchSortedOptions left(arrow::compute::SearchSortedOptions::Left);
    arrow::compute::SearchSortedOptions right(arrow::compute::SearchSortedOptions::Right);
    auto first = arrow::compute::CallFunction("search_sorted", {Datum(members), values.min}, &left);
    auto last = arrow::compute::CallFunction("search_sorted", {Datum(members), values.max}, &right);
    if (first.ok() && last.ok() && first->is_array() && last->is_array()) {
      const auto begin = first->array_as<arrow::UInt64Array>();
      const auto end = last->array_as<arrow::UInt64Array>();
      Mask possible(n, 1);
      for (int64_t i = 0; i < n; ++i) {
        const uint64_t b = begin->IsValid(i) ? begin->Value(i) : 0;
        const uint64_t e = end->IsValid(i) ? end->Value(i) : static_cast<uint64_t>(count);
        possible[i] = b < e;
      }
      return possible;
    }
  }
  // Types that cannot be searched: member by member while that is cheap, else by the range of the
  // whole set.
  constexpr int64_t kManyMembers = 256;
  auto between = [&](int64_t low, int64_t high) {
    auto least = members.GetScalar(low);
    auto greatest = members.GetScalar(high);
    if (!least.ok() || !greatest.ok()) return Mask(n, 1);
    return PossiblyHolds("less_equal", values.min, *greatest, n) &
           PossiblyHolds("greater_equal", values.max, *least, n);
  };
  if (count > kManyMembers) return between(0, count - 1);
  Mask possible(n, 0);
  for (int64_t m = 0; m < count; ++m) possible = std::move(possible) | between(m, m);
  return possible;
}

// Whether some ordinary value may be outside the set. It can't where the bounds leave one value and
// that is a member.
Mask MayMissMembers(const Interval& values, const arrow::Array& members) {
  const int64_t n = values.size();
  // Lookup tells -0.0 from 0.0 while bounds do not, so one bound does not name one value for
  // floats.
  if (!values.min.is_value() || !values.max.is_value() || members.length() == 0 ||
      arrow::is_floating(values.type->id())) {
    return Mask(n, 1);
  }
  arrow::compute::SetLookupOptions options{Datum(members)};
  auto unequal = arrow::compute::CallFunction("not_equal", {values.min, values.max});
  auto member = arrow::compute::CallFunction("is_in", {values.min}, &options);
  if (!member.ok()) return Mask(n, 1);
  return Possible(unequal, n) | Possible(arrow::compute::CallFunction("invert", {*member}), n);
}

}  // namespace

std::optional<Comparison> FindComparison(std::string_view function) {
  if (function == "equal") return Comparison::kEqual;
  if (function == "not_equal") return Comparison::kNotEqual;
  if (function == "less") return Comparison::kLess;
  if (function == "less_equal") return Comparison::kLessEqual;
  if (function == "greater") return Comparison::kGreater;
  if (function == "greater_equal") return Comparison::kGreaterEqual;
  return std::nullopt;
}

std::vector<Outcomes> Compare(Comparison comparison, const Interval& a, const Interval& b) {
  const int64_t n = a.size();
  Possibilities ordinary{Mask(n, 1), Mask(n, 1)};
  if (a.type->Equals(*b.type) && IsOrdered(*a.type)) ordinary = CompareOrdinary(comparison, a, b);
  // A comparison with NaN is false, != is true.
  const Outcomes with_nan = comparison == Comparison::kNotEqual ? kTrue : kFalse;
  std::vector<Outcomes> outcomes(n, kNone);
  for (int64_t i = 0; i < n; ++i) {
    const Kinds x = a.kinds[i], y = b.kinds[i];
    if (x & y & kOrdinary) {
      outcomes[i] |= (ordinary.is_true[i] ? kTrue : 0) | (ordinary.is_false[i] ? kFalse : 0);
    }
    // Bounds say nothing of NaN rows: they count whatever the bounds are.
    if (((x & kNaN) && (y & (kOrdinary | kNaN))) || ((y & kNaN) && (x & (kOrdinary | kNaN)))) {
      outcomes[i] |= with_nan;
    }
    // Null whenever one side is null; a container without nulls on both sides has no null outcome.
    if ((x | y) & kNullValue) outcomes[i] |= kNull;
  }
  return outcomes;
}

std::vector<Outcomes> IsIn(const Interval& values,
                           const arrow::compute::SetLookupOptions& options) {
  using Lookup = arrow::compute::SetLookupOptions;
  const int64_t n = values.size();
  auto set = MakeLookupSet(options.value_set, values.type);
  if (!set.ok()) return std::vector<Outcomes>(n, kAny);
  const auto behavior = options.GetNullMatchingBehavior();
  const bool null_gives_null = behavior == Lookup::EMIT_NULL || behavior == Lookup::INCONCLUSIVE;
  const Outcomes for_null = null_gives_null                              ? kNull
                            : behavior == Lookup::MATCH && set->has_null ? kTrue
                                                                         : kFalse;
  // With INCONCLUSIVE a null in the set could have been any value, so a value that is not found is
  // null.
  const Outcomes not_found = behavior == Lookup::INCONCLUSIVE && set->has_null ? kNull : kFalse;
  const Outcomes for_nan = set->has_nan ? static_cast<Outcomes>(kTrue | not_found) : not_found;

  const Mask may_match = MayHoldMember(values, *set->members);
  const Mask may_miss = MayMissMembers(values, *set->members);
  std::vector<Outcomes> outcomes(n, kNone);
  for (int64_t i = 0; i < n; ++i) {
    if (values.may_be(i, kOrdinary)) {
      outcomes[i] |= (may_match[i] ? kTrue : 0) | (may_miss[i] ? not_found : 0);
    }
    if (values.may_be(i, kNaN)) outcomes[i] |= for_nan;
    if (values.may_be(i, kNullValue)) outcomes[i] |= for_null;
  }
  return outcomes;
}

// The kinds of a container hold those of all its rows, so a kind that is missing has no row.
std::vector<Outcomes> IsNull(const Interval& values, bool nan_is_null) {
  return ByKind(values, kFalse, nan_is_null ? kTrue : kFalse, kTrue);
}
std::vector<Outcomes> IsValid(const Interval& values) {
  return ByKind(values, kTrue, kTrue, kFalse);
}
std::vector<Outcomes> IsNaN(const Interval& values) { return ByKind(values, kFalse, kTrue, kNull); }
std::vector<Outcomes> TrueUnlessNull(const Interval& values) {
  return ByKind(values, kTrue, kTrue, kNull);
}

std::vector<Outcomes> StartsWith(const Interval& strings, const std::string& prefix) {
  return OfOrdinaryAndNull(strings, HasPrefix(strings, prefix));
}

std::optional<std::vector<Outcomes>> MatchLike(const Interval& strings,
                                               const std::string& pattern) {
  // The literal text before the first wildcard. It ends at a backslash too: Arrow does not read
  // escapes in the same way in all patterns, and a shorter prefix is a weaker condition.
  const size_t end = pattern.find_first_of("%_\\");
  if (end == 0) return std::nullopt;
  const std::string prefix = pattern.substr(0, end);

  const int64_t n = strings.size();
  Possibilities ordinary{HasPrefix(strings, prefix).is_true, Mask(n, 1)};
  if (end == std::string::npos) {
    // No wildcard: only the text itself matches.
    if (auto text = BytesScalar(strings.type, prefix); text.ok()) {
      ordinary.is_true = PossiblyHolds("less_equal", strings.min, *text, n) &
                         PossiblyHolds("greater_equal", strings.max, *text, n);
    }
  }
  return OfOrdinaryAndNull(strings, ordinary);
}

}  // namespace shoal::prune
