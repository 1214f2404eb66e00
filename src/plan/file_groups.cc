#include <shoal/file_groups.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <arrow/scalar.h>

#include "plan/fragment_order.h"
#include "plan/rows_wanted.h"
#include "statistics/merge.h"

namespace shoal {

namespace {

using Balance = FileGroupOptions::Balance;

arrow::Status Validate(const ScanPlan& plan, const FileGroupOptions& options) {
  auto check = [](const char* name, int64_t value, int64_t least) {
    if (value >= least) return arrow::Status::OK();
    return arrow::Status::Invalid(name, " is ", value, ", but must be at least ", least);
  };
  ARROW_RETURN_NOT_OK(check("target_partitions", options.target_partitions, 1));
  ARROW_RETURN_NOT_OK(check("repartition_file_min_size", options.repartition_file_min_size, 0));
  ARROW_RETURN_NOT_OK(check("preserve_file_partitions", options.preserve_file_partitions, 0));
  if (!options.ordering.empty() && !options.split_file_groups_by_statistics) {
    return arrow::Status::Invalid("ordering is given, which needs split_file_groups_by_statistics");
  }
  for (auto column = options.ordering.begin(); column != options.ordering.end(); ++column) {
    if (plan.table_schema->GetFieldIndex(column->name) < 0) {
      return arrow::Status::Invalid("ordering has the column '", column->name,
                                    "', which the table has not");
    }
    if (std::any_of(options.ordering.begin(), column,
                    [&](const SortColumn& other) { return other.name == column->name; })) {
      return arrow::Status::Invalid("ordering has the column '", column->name, "' twice");
    }
  }
  return arrow::Status::OK();
}

/// What cannot be divided further: a fragment, or one of its row groups.
struct Piece {
  size_t fragment;
  int row_group = -1;  // index into the fragment's row groups; -1: all of it
  int64_t weight = 0;
};

int64_t Share(const Precision<int64_t>& known, int64_t otherwise) {
  return std::max<int64_t>(known.is_absent() ? otherwise : known.value(), 0);
}

/// The weight of a fragment; at least 1, so that unknown sizes still spread.
int64_t WeightOf(const Fragment& fragment, Balance balance) {
  const auto& known = balance == Balance::kRows ? fragment.num_rows : fragment.num_bytes;
  return std::max<int64_t>(Share(known, fragment.version.size), 1);
}

bool MayDivide(const Fragment& fragment, const FileGroupOptions& options) {
  return fragment.row_groups && fragment.row_groups->size() > 1 &&
         fragment.row_group_sizes.size() == fragment.row_groups->size() &&
         Share(fragment.num_bytes, fragment.version.size) > options.repartition_file_min_size;
}

std::vector<Piece> PiecesOf(const ScanPlan& plan, const plan::Chain& chain,
                            const FileGroupOptions& options) {
  std::vector<Piece> pieces;
  for (size_t f : chain) {
    const Fragment& fragment = plan.fragments[f];
    if (!MayDivide(fragment, options)) {
      pieces.push_back({f, -1, WeightOf(fragment, options.balance)});
      continue;
    }
    for (size_t g = 0; g < fragment.row_groups->size(); ++g) {
      const auto& size = fragment.row_group_sizes[g];
      const int64_t weight = options.balance == Balance::kRows ? size.rows : size.bytes;
      pieces.push_back({f, static_cast<int>(g), std::max<int64_t>(weight, 1)});
    }
  }
  return pieces;
}

/// What is known of a column in some of the row groups of which it is known in all.
ColumnStatistics OfPart(const ColumnStatistics& whole, const Precision<int64_t>& whole_rows,
                        int64_t rows) {
  ColumnStatistics part;
  part.min = whole.min.ToInexact();
  part.max = whole.max.ToInexact();
  part.distinct_count = whole.distinct_count.ToInexact();
  const auto nulls = whole.null_count.exact_value();
  if (nulls == 0) part.null_count = Precision<int64_t>::Exact(0);
  if (nulls && nulls == whole_rows.exact_value()) part.null_count = Precision<int64_t>::Exact(rows);
  return part;
}

/// The fragment with only some of its row groups: from index `begin` up to `end`.
Fragment SubsetOf(const Fragment& whole, int begin, int end) {
  Fragment part = whole;
  part.row_groups.emplace(whole.row_groups->begin() + begin, whole.row_groups->begin() + end);
  part.row_group_sizes.assign(whole.row_group_sizes.begin() + begin,
                              whole.row_group_sizes.begin() + end);
  int64_t rows = 0, bytes = 0;
  for (const auto& size : part.row_group_sizes) {
    rows += size.rows;
    bytes += size.bytes;
  }
  part.num_rows = Precision<int64_t>::Exact(rows);
  part.num_bytes = Precision<int64_t>::Exact(bytes);
  if (whole.column_statistics) {
    auto columns = std::make_shared<std::vector<ColumnStatistics>>();
    for (const auto& column : *whole.column_statistics)
      columns->push_back(OfPart(column, whole.num_rows, rows));
    part.column_statistics = std::move(columns);
  }
  return part;
}

void AddPieces(const ScanPlan& plan, std::vector<Piece>::const_iterator begin,
               std::vector<Piece>::const_iterator end, FileGroup* group) {
  while (begin != end) {
    const Fragment& fragment = plan.fragments[begin->fragment];
    const auto next = std::find_if(
        begin, end, [&](const Piece& piece) { return piece.fragment != begin->fragment; });
    if (begin->row_group < 0 || next - begin == static_cast<int64_t>(fragment.row_groups->size())) {
      group->fragments.push_back(fragment);
    } else {
      group->fragments.push_back(
          SubsetOf(fragment, begin->row_group, std::prev(next)->row_group + 1));
    }
    begin = next;
  }
}

/// Contiguous groups: a piece goes where its middle lies on the scale of all weights.
std::vector<FileGroup> ByWeight(const ScanPlan& plan, const FileGroupOptions& options) {
  plan::Chain all(plan.fragments.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const std::vector<Piece> pieces = PiecesOf(plan, all, options);
  double total = 0;
  for (const Piece& piece : pieces) total += static_cast<double>(piece.weight);
  std::vector<FileGroup> groups;
  auto begin = pieces.begin();
  int current = -1;
  double before = 0;
  for (auto it = pieces.begin(); it != pieces.end(); ++it) {
    const auto weight = static_cast<double>(it->weight);
    const double middle = (before + weight / 2) / total;
    const int group = std::min(static_cast<int>(middle * options.target_partitions),
                               options.target_partitions - 1);
    if (group != current && it != pieces.begin()) {
      AddPieces(plan, begin, it, &groups.emplace_back());
      begin = it;
    }
    current = group;
    before += weight;
  }
  if (begin != pieces.end()) AddPieces(plan, begin, pieces.end(), &groups.emplace_back());
  return groups;
}

bool SameValues(const PartitionValues& a, const PartitionValues& b) {
  // Two NaN are one value of a key, and so are the two zeros: they group together in every engine.
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(true);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const auto& x, const auto& y) { return x->Equals(*y, options); });
}

/// The fragments of each different combination of partition values, in order of first appearance.
/// Nothing if a value is not known.
std::optional<std::vector<std::vector<size_t>>> ByValues(const ScanPlan& plan) {
  std::vector<std::vector<size_t>> found;
  std::multimap<size_t, size_t> by_hash;  // to `found`
  for (size_t f = 0; f < plan.fragments.size(); ++f) {
    const auto& values = plan.fragments[f].partition_values;
    if (!values) return std::nullopt;
    size_t hash = 0;
    for (const auto& value : *values) {
      if (!value) return std::nullopt;
      // Floats hash by their bits, which tell the zeros apart: all of them share one place.
      const bool by_bits = arrow::is_floating(value->type->id());
      hash = hash * 31 + (by_bits ? 0 : value->hash());
    }
    auto [it, end] = by_hash.equal_range(hash);
    while (it != end &&
           !SameValues(*values, *plan.fragments[found[it->second][0]].partition_values)) {
      ++it;
    }
    if (it == end) {
      by_hash.emplace(hash, found.size());
      found.push_back({f});
    } else {
      found[it->second].push_back(f);
    }
  }
  return found;
}

/// Groups of fragments that have no partition value in common.
struct ValueGroups {
  std::vector<plan::Chain> chains;  // in dataset order
  std::vector<std::vector<std::shared_ptr<const PartitionValues>>> values;
};

ValueGroups ByPartitionValues(const ScanPlan& plan, const std::vector<std::vector<size_t>>& values,
                              int n) {
  ValueGroups out;
  out.chains.resize(std::min<size_t>(values.size(), n));
  out.values.resize(out.chains.size());
  for (size_t v = 0; v < values.size(); ++v) {
    const size_t g = v % out.chains.size();
    out.values[g].push_back(plan.fragments[values[v][0]].partition_values);
    out.chains[g].insert(out.chains[g].end(), values[v].begin(), values[v].end());
  }
  for (auto& chain : out.chains) std::sort(chain.begin(), chain.end());
  return out;
}

/// Pieces that are read one after another.
struct Pieces {
  explicit Pieces(std::vector<Piece> p) : pieces(std::move(p)) {
    for (const Piece& piece : pieces) weight += static_cast<double>(piece.weight);
  }
  std::vector<Piece> pieces;
  double weight = 0;
};

/// Where to cut pieces into two halves of about equal weight; REQUIRES two pieces at least.
size_t MiddleOf(const Pieces& all) {
  double before = 0;
  size_t i = 0;
  while (i < all.pieces.size()) {
    const auto weight = static_cast<double>(all.pieces[i].weight);
    if (before + weight / 2 >= all.weight / 2) break;
    before += weight;
    ++i;
  }
  return std::clamp<size_t>(i, 1, all.pieces.size() - 1);
}

/// Chains, cut where that makes more groups of them: what is sorted is sorted in each part.
std::vector<FileGroup> CutChains(const ScanPlan& plan, const std::vector<plan::Chain>& chains,
                                 const FileGroupOptions& options) {
  std::vector<Pieces> groups;
  for (const auto& chain : chains) groups.emplace_back(PiecesOf(plan, chain, options));
  while (groups.size() < static_cast<size_t>(options.target_partitions)) {
    auto heaviest = groups.end();
    for (auto it = groups.begin(); it != groups.end(); ++it) {
      if (it->pieces.size() < 2) continue;
      if (heaviest == groups.end() || it->weight > heaviest->weight) heaviest = it;
    }
    if (heaviest == groups.end()) break;
    const auto begin = heaviest->pieces.begin(), end = heaviest->pieces.end();
    const auto middle = begin + static_cast<int64_t>(MiddleOf(*heaviest));
    Pieces second({middle, end});
    *heaviest = Pieces({begin, middle});
    groups.insert(std::next(heaviest), std::move(second));
  }
  std::vector<FileGroup> out;
  for (const auto& group : groups)
    AddPieces(plan, group.pieces.begin(), group.pieces.end(), &out.emplace_back());
  return out;
}

/// The fragments of each group arranged so that all groups are sorted by as many columns as can be;
/// returns how many.
size_t Arrange(const plan::FragmentOrder& order, std::vector<plan::Chain>* groups) {
  for (size_t columns = order.order().size(); columns > 0; --columns) {
    std::vector<plan::Chain> sorted;
    for (const auto& group : *groups) {
      auto chain = order.Sorted(group, columns);
      if (!chain) break;
      sorted.push_back(*std::move(chain));
    }
    if (sorted.size() < groups->size()) continue;
    *groups = std::move(sorted);
    return columns;
  }
  return 0;
}

void DeclareOrder(const ScanPlan& plan, const plan::FragmentOrder& order, size_t columns,
                  const std::string& otherwise, FileGroups* out) {
  for (size_t c = 0; c < columns; ++c) {
    SortColumn column = order.order()[c];
    column.name = *plan::OutputName(plan, column.name);
    out->output_ordering.push_back(std::move(column));
  }
  out->ordering_limitation = columns < order.order().size() ? otherwise : order.limitation();
}

void DeclarePartitioning(const ScanPlan& plan, FileGroups* out) {
  out->by_partition_values = true;
  for (const auto& key : plan.partition_schema->fields()) {
    auto name = plan::OutputName(plan, key->name());
    if (!name) {
      out->output_partitioning.clear();
      return;
    }
    out->output_partitioning.push_back(*std::move(name));
  }
}

TableStatistics StatisticsOf(const std::vector<Fragment>& fragments, const ScanPlan& plan) {
  std::vector<TableStatistics> parts;
  for (const Fragment& fragment : fragments) {
    TableStatistics& part = parts.emplace_back();
    part.num_rows = fragment.num_rows;
    part.total_bytes = fragment.num_bytes;
    if (fragment.column_statistics) part.columns = *fragment.column_statistics;
  }
  TableStatistics whole = statistics::Merge(parts);
  whole.columns.resize(plan.table_schema->num_fields());
  return whole;
}

}  // namespace

arrow::Result<FileGroups> MakeFileGroups(const ScanPlan& plan, const FileGroupOptions& options) {
  ARROW_RETURN_NOT_OK(Validate(plan, options));
  std::optional<plan::FragmentOrder> order;
  if (options.split_file_groups_by_statistics) {
    ARROW_ASSIGN_OR_RAISE(order, plan::FragmentOrder::Make(plan, options.ordering));
  }
  FileGroups out;
  std::optional<std::vector<std::vector<size_t>>> values;
  if (options.preserve_file_partitions > 0 && plan.partition_schema->num_fields() > 0) {
    values = ByValues(plan);
    if (values && values->size() < static_cast<size_t>(options.preserve_file_partitions))
      values.reset();
  }
  if (values && !values->empty()) {
    auto grouped = ByPartitionValues(plan, *values, options.target_partitions);
    DeclarePartitioning(plan, &out);
    if (order) {
      const size_t columns = Arrange(*order, &grouped.chains);
      DeclareOrder(plan, *order, columns, "files of one group of partition values overlap", &out);
    }
    for (size_t g = 0; g < grouped.chains.size(); ++g) {
      FileGroup& group = out.groups.emplace_back();
      group.partition_values = std::move(grouped.values[g]);
      for (size_t f : grouped.chains[g]) group.fragments.push_back(plan.fragments[f]);
    }
  } else if (order) {
    const auto n = static_cast<size_t>(options.target_partitions);
    std::optional<std::vector<plan::Chain>> chains;
    size_t columns = order->order().size();
    while (columns > 0 && !(chains = order->Chains(columns, n))) --columns;
    DeclareOrder(plan, *order, columns,
                 "files overlap: to keep them apart takes more groups than target_partitions = " +
                     std::to_string(n),
                 &out);
    if (chains) out.groups = CutChains(plan, *chains, options);
  }
  if (out.groups.empty()) out.groups = ByWeight(plan, options);
  for (FileGroup& group : out.groups) group.statistics = StatisticsOf(group.fragments, plan);
  return out;
}

ScanPlan PartOf(const ScanPlan& plan, std::vector<Fragment> fragments) {
  ScanPlan part;
  part.filesystem = plan.filesystem;
  part.format = plan.format;
  part.table_schema = plan.table_schema;
  part.virtual_columns = plan.virtual_columns;
  part.schema_declared = plan.schema_declared;
  part.schema_rules = plan.schema_rules;
  part.strict_columns = plan.strict_columns;
  part.partition_schema = plan.partition_schema;
  part.output_schema = plan.output_schema;
  part.request = plan.request;
  part.inspection = plan.inspection;
  if (part.request.limit) part.request.limit = plan::RowsWanted(part.request);
  part.request.offset = 0;
  part.statistics = StatisticsOf(fragments, plan);
  part.fragments = std::move(fragments);
  return part;
}

}  // namespace shoal
