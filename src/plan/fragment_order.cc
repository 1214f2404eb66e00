#include "plan/fragment_order.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/type_traits.h>

#include "statistics/plain.h"

namespace shoal::plan {

namespace {

bool IsEmpty(const Fragment& fragment) { return fragment.num_rows.exact_value() == 0; }

/// What is known of one column of the table in each fragment.
class ColumnOfFragments {
 public:
  ColumnOfFragments(const ScanPlan& plan, const std::string& name)
      : plan_(plan),
        column_(plan.table_schema->GetFieldIndex(name)),
        key_(plan.partition_schema->GetFieldIndex(name)) {}

  /// The value of all rows, if it is a partition value.
  std::shared_ptr<arrow::Scalar> Key(const Fragment& fragment) const {
    return key_ < 0 || !fragment.partition_values ? nullptr : (*fragment.partition_values)[key_];
  }

  /// Null: nothing.
  const ColumnStatistics* Statistics(const Fragment& fragment) const {
    const auto& columns = fragment.column_statistics;
    if (column_ < 0 || !columns || static_cast<size_t>(column_) >= columns->size()) return nullptr;
    return &(*columns)[column_];
  }

  bool HasNoNulls(const Fragment& fragment) const {
    if (const auto key = Key(fragment)) return key->is_valid;
    const auto* known = Statistics(fragment);
    return known && known->null_count.exact_value() == 0;
  }

  /// Whether all rows have one value, so that they are sorted by it in any direction.
  bool IsConstant(const Fragment& fragment) const {
    if (Key(fragment)) return true;
    const auto* known = Statistics(fragment);
    if (!known || !known->null_count.is_exact()) return false;
    if (known->null_count.value() == fragment.num_rows.exact_value()) return true;
    if (known->null_count.value() != 0 || !known->min.is_exact() || !known->max.is_exact())
      return false;
    const auto& value = *known->min.value();
    // Besides the values that bounds speak of there may be NaN.
    return !arrow::is_floating(value.type->id()) && value.Equals(*known->max.value());
  }

  arrow::Result<ColumnBounds> Bounds() const {
    const auto type = statistics::PlainType(plan_.table_schema->field(column_)->type());
    ARROW_ASSIGN_OR_RAISE(auto min, arrow::MakeBuilder(type));
    ARROW_ASSIGN_OR_RAISE(auto max, arrow::MakeBuilder(type));
    arrow::Int64Builder nulls;
    for (const Fragment& fragment : plan_.fragments) {
      const auto key = Key(fragment);
      const auto* known = key ? nullptr : Statistics(fragment);
      ARROW_RETURN_NOT_OK(Append(key ? key : known ? ValueOf(known->min) : nullptr, min.get()));
      ARROW_RETURN_NOT_OK(Append(key ? key : known ? ValueOf(known->max) : nullptr, max.get()));
      auto count = known ? known->null_count.exact_value() : std::nullopt;
      if (key) count = key->is_valid ? 0 : fragment.num_rows.exact_value();
      ARROW_RETURN_NOT_OK(count ? nulls.Append(*count) : nulls.AppendNull());
    }
    ColumnBounds bounds;
    ARROW_ASSIGN_OR_RAISE(bounds.min, min->Finish());
    ARROW_ASSIGN_OR_RAISE(bounds.max, max->Finish());
    ARROW_ASSIGN_OR_RAISE(auto counts, nulls.Finish());
    bounds.null_count = std::static_pointer_cast<arrow::Int64Array>(counts);
    return bounds;
  }

 private:
  static std::shared_ptr<arrow::Scalar> ValueOf(
      const Precision<std::shared_ptr<arrow::Scalar>>& figure) {
    return figure.is_absent() ? nullptr : figure.value();
  }
  /// Null where the value cannot be said in the builder's type.
  static arrow::Status Append(const std::shared_ptr<arrow::Scalar>& value,
                              arrow::ArrayBuilder* builder) {
    if (!value || !value->is_valid) return builder->AppendNull();
    ARROW_ASSIGN_OR_RAISE(auto array, arrow::MakeArrayFromScalar(*value, 1));
    ARROW_ASSIGN_OR_RAISE(array, statistics::Plain(std::move(array)));
    if (!array->type()->Equals(*builder->type()) || array->IsNull(0)) return builder->AppendNull();
    return builder->AppendArraySlice(*array->data(), 0, 1);
  }

  const ScanPlan& plan_;
  const int column_, key_;
};

/// How many of the wanted columns, from the first on, the rows of a fragment are sorted by. A
/// column that is constant in the fragment sorts nothing and can stand anywhere, wanted or
/// declared.
size_t Satisfied(const ScanPlan& plan, const Fragment& fragment,
                 const std::vector<SortColumn>& wanted) {
  auto declared = fragment.ordering.begin();
  for (size_t i = 0; i < wanted.size(); ++i) {
    const ColumnOfFragments column(plan, wanted[i].name);
    if (column.IsConstant(fragment)) continue;
    while (declared != fragment.ordering.end() && declared->name != wanted[i].name &&
           ColumnOfFragments(plan, declared->name).IsConstant(fragment)) {
      ++declared;
    }
    if (declared == fragment.ordering.end() || declared->name != wanted[i].name ||
        declared->descending != wanted[i].descending) {
      return i;
    }
    if (declared->nulls_first != wanted[i].nulls_first && !column.HasNoNulls(fragment)) return i;
    ++declared;
  }
  return wanted.size();
}

std::string DirectionOf(const SortColumn& column) {
  return "'" + column.name + "'" + (column.descending ? ", descending" : "") +
         (column.nulls_first ? ", nulls first" : "");
}

}  // namespace

std::optional<std::string> OutputName(const ScanPlan& plan, std::string_view column) {
  const int wanted = plan.table_schema->GetFieldIndex(std::string(column));
  if (wanted < 0) return std::nullopt;
  if (!plan.request.columns) return std::string(column);
  const auto& output = *plan.request.columns;
  auto is_it = [&](const ProjectedColumn& projected) {
    const auto* ref = projected.expression.field_ref();
    if (!ref) return false;
    const auto path = ref->FindOne(*plan.table_schema);
    return path.ok() && path->indices() == std::vector<int>{wanted};
  };
  for (const auto& projected : output) {
    if (!is_it(projected)) continue;
    const bool ambiguous = std::any_of(output.begin(), output.end(), [&](const auto& other) {
      return other.name == projected.name && !is_it(other);
    });
    if (!ambiguous) return projected.name;
  }
  return std::nullopt;
}

arrow::Result<FragmentOrder> FragmentOrder::Make(const ScanPlan& plan,
                                                 std::vector<SortColumn> wanted) {
  FragmentOrder out;
  const auto& fragments = plan.fragments;
  const auto first = std::find_if_not(fragments.begin(), fragments.end(), IsEmpty);
  if (wanted.empty() && first == fragments.end()) out.limitation_ = "there are no rows";
  if (wanted.empty() && first != fragments.end()) {
    wanted = first->ordering;
    if (wanted.empty()) {
      out.limitation_ = first->column_statistics
                            ? "'" + first->path + "' declares no order that its row groups keep"
                            : "the plan has not collected column_statistics, which tell the order";
    }
  }
  for (const Fragment& fragment : fragments) {
    if (IsEmpty(fragment) || wanted.empty()) continue;
    const size_t satisfied = Satisfied(plan, fragment, wanted);
    if (satisfied == wanted.size()) continue;
    out.limitation_ =
        "'" + fragment.path + "' is not known to be sorted by " + DirectionOf(wanted[satisfied]);
    wanted.resize(satisfied);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (OutputName(plan, wanted[i].name)) continue;
    out.limitation_ = "the output does not have the column '" + wanted[i].name + "' as it is";
    wanted.resize(i);
  }
  std::vector<ColumnBounds> bounds;
  for (const SortColumn& column : wanted) {
    ARROW_ASSIGN_OR_RAISE(bounds.emplace_back(), ColumnOfFragments(plan, column.name).Bounds());
  }
  std::vector<Precision<int64_t>> rows;
  for (const Fragment& fragment : fragments) rows.push_back(fragment.num_rows);
  ARROW_ASSIGN_OR_RAISE(out.ranges_, SortRanges::Make(wanted, bounds, rows));
  out.order_ = std::move(wanted);
  return out;
}

std::optional<std::vector<Chain>> FragmentOrder::Chains(size_t columns, size_t at_most) const {
  std::vector<size_t> all(ranges_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::stable_sort(all.begin(), all.end(),
                   [&](size_t a, size_t b) { return ranges_.BeginsBefore(a, b, columns); });
  std::vector<Chain> chains;
  Chain empty;
  for (size_t fragment : all) {
    if (ranges_.is_empty(fragment)) {
      empty.push_back(fragment);
      continue;
    }
    const auto fits = std::find_if(chains.begin(), chains.end(), [&](const Chain& chain) {
      return ranges_.Precedes(chain.back(), fragment, columns);
    });
    if (fits != chains.end()) {
      fits->push_back(fragment);
    } else if (chains.size() < at_most) {
      chains.push_back({fragment});
    } else {
      return std::nullopt;
    }
  }
  if (!empty.empty()) {
    if (chains.empty()) chains.emplace_back();
    chains[0].insert(chains[0].end(), empty.begin(), empty.end());
  }
  return chains;
}

std::optional<Chain> FragmentOrder::Sorted(Chain chain, size_t columns) const {
  std::stable_sort(chain.begin(), chain.end(),
                   [&](size_t a, size_t b) { return ranges_.BeginsBefore(a, b, columns); });
  std::optional<size_t> last;
  for (size_t fragment : chain) {
    if (ranges_.is_empty(fragment)) continue;
    if (last && !ranges_.Precedes(*last, fragment, columns)) return std::nullopt;
    last = fragment;
  }
  return chain;
}

}  // namespace shoal::plan
