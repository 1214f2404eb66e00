// The one pruner: which of n containers (directories, files, row groups, pages) can hold a row that
// a filter selects.
//
// It computes, for every container at once, the set of outcomes a predicate can have over the
// container's rows: true, false, null. Each rule may add an outcome wrongly; none may leave one
// out. So "true is not possible" drops a container safely, and "only true is possible" proves that
// all its rows match. NOT, AND and OR work on the sets, which makes three-valued logic come out
// right without special cases.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/statistics.h>

namespace shoal::prune {

/// A set of outcomes: bits.
using Outcomes = uint8_t;
inline constexpr Outcomes kNone = 0;  // no rows
inline constexpr Outcomes kTrue = 1, kFalse = 2, kNull = 4, kAny = 7;

/// What is known of one column (or nested leaf) over n containers.
struct ColumnKnowledge {
  /// The column has one value in all rows of the container: `constant` has it (null slot: the value
  /// null) where `is_constant` says so. Partition keys are constants; so is a column that a file
  /// lacks. May be null pointer / empty.
  std::shared_ptr<arrow::Array> constant;
  std::vector<bool> is_constant;
  /// Used where the column is not constant. Types equal the schema's type of the column.
  ColumnBounds bounds;
};

/// n containers. Thread rule: one caller at a time.
class Containers {
 public:
  virtual ~Containers() = default;
  virtual int64_t size() const = 0;
  /// Rows in container i; unknown: -1. A container of 0 rows has no outcomes.
  virtual int64_t num_rows(int64_t i) const = 0;
  /// What is known of the column at `path` in the schema the filter is bound to; nullptr: nothing.
  virtual arrow::Result<std::shared_ptr<const ColumnKnowledge>> Column(
      const arrow::FieldPath& path) const = 0;
};

struct ConjunctResult {
  /// Per container, the outcomes this conjunct can have.
  std::vector<Outcomes> outcomes;
  /// Why the conjunct (or a part of it) could rule out nothing; empty if all of it was understood.
  std::string limitation;
};

struct PruneResult {
  std::vector<ConjunctResult> conjuncts;
  /// Per container: the outcomes of the whole filter, and the first conjunct that rules it out (-1:
  /// kept).
  std::vector<Outcomes> outcomes;
  std::vector<int> pruned_by;
  bool kept(int64_t i) const { return pruned_by[i] < 0; }
  /// Every row matches.
  bool all_true(int64_t i) const { return outcomes[i] == kTrue; }
};

/// `conjuncts` are bound to `schema` (see expression/conjuncts.h). An empty list keeps everything,
/// all true.
arrow::Result<PruneResult> Prune(const std::vector<arrow::compute::Expression>& conjuncts,
                                 const arrow::Schema& schema, const Containers& containers);

}  // namespace shoal::prune
