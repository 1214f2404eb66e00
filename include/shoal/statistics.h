// Statistics that say how far they can be trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type_fwd.h>

namespace shoal {

/// A value that is exact, inexact (an estimate, or a bound that need not be attained) or absent.
/// Combining keeps the claim honest: exact only from exact parts, absent as soon as one part is
/// absent.
template <typename T>
class Precision {
 public:
  static Precision Exact(T value) { return Precision(std::move(value), true); }
  static Precision Inexact(T value) { return Precision(std::move(value), false); }
  static Precision Absent() { return Precision(); }

  Precision() = default;
  bool is_absent() const { return !value_.has_value(); }
  bool is_exact() const { return value_.has_value() && exact_; }
  bool is_inexact() const { return value_.has_value() && !exact_; }
  /// REQUIRES: !is_absent().
  const T& value() const { return *value_; }
  /// The value if it is exact.
  std::optional<T> exact_value() const { return is_exact() ? value_ : std::nullopt; }
  Precision ToInexact() const { return is_absent() ? *this : Inexact(*value_); }

  template <typename Combine>
  static Precision Merge(const Precision& a, const Precision& b, Combine&& combine) {
    if (a.is_absent() || b.is_absent()) return Absent();
    return Precision(combine(*a.value_, *b.value_), a.exact_ && b.exact_);
  }
  /// A sum that the type cannot hold (of counts that lie) is absent.
  friend Precision operator+(const Precision& a, const Precision& b) {
    T sum{};
    if (!a.is_absent() && !b.is_absent() && __builtin_add_overflow(*a.value_, *b.value_, &sum))
      return Absent();
    return Merge(a, b, [&](const T&, const T&) { return sum; });
  }

 private:
  Precision(T value, bool exact) : value_(std::move(value)), exact_(exact) {}
  std::optional<T> value_;
  bool exact_ = false;
};

/// Statistics of one column. `min` and `max` have the column's type, of a dictionary that of its
/// values, and speak of non-null, non-NaN values only.
struct ColumnStatistics {
  Precision<int64_t> null_count;
  Precision<std::shared_ptr<arrow::Scalar>> min;
  Precision<std::shared_ptr<arrow::Scalar>> max;
  Precision<int64_t> distinct_count;
};

/// Statistics of a file, or of the files of a plan; `columns` follow the table schema.
struct TableStatistics {
  Precision<int64_t> num_rows;
  Precision<int64_t> total_bytes;
  std::vector<ColumnStatistics> columns;
};

/// What is known of one column in each of n containers (directories, files, row groups, pages):
/// arrays of length n, so that one predicate prunes all containers at once. A null slot in `min` or
/// `max` is "no bound"; a null pointer is "no bound in any container". Bounds speak of non-null,
/// non-NaN values only: every such value v of the container has min <= v <= max. A null slot (or
/// null pointer) in `null_count` is "unknown".
struct ColumnBounds {
  std::shared_ptr<arrow::Array> min;
  std::shared_ptr<arrow::Array> max;
  std::shared_ptr<arrow::Int64Array> null_count;
  /// Whether min and max are attained by a value (truncated string bounds are not). Nothing is
  /// pruned on this; it decides between exact and inexact statistics.
  std::vector<bool> min_exact;
  std::vector<bool> max_exact;
};

}  // namespace shoal
