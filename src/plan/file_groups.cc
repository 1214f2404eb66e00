#include <shoal/file_groups.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <arrow/scalar.h>

#include "plan/rows_wanted.h"

namespace shoal {

namespace {

using Balance = FileGroupOptions::Balance;

arrow::Status Validate(const FileGroupOptions& options) {
  auto check = [](const char* name, int64_t value, int64_t least) {
    if (value >= least) return arrow::Status::OK();
    return arrow::Status::Invalid(name, " is ", value, ", but must be at least ", least);
  };
  ARROW_RETURN_NOT_OK(check("target_partitions", options.target_partitions, 1));
  ARROW_RETURN_NOT_OK(check("repartition_file_min_size", options.repartition_file_min_size, 0));
  return check("preserve_file_partitions", options.preserve_file_partitions, 0);
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
  return std::max<int64_t>(Share(known, fragment.size), 1);
}

bool MayDivide(const Fragment& fragment, const FileGroupOptions& options) {
  return fragment.row_groups && fragment.row_groups->size() > 1 &&
         fragment.row_group_sizes.size() == fragment.row_groups->size() &&
         Share(fragment.num_bytes, fragment.size) > options.repartition_file_min_size;
}

std::vector<Piece> PiecesOf(const ScanPlan& plan, const FileGroupOptions& options) {
  std::vector<Piece> pieces;
  for (size_t f = 0; f < plan.fragments.size(); ++f) {
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
  const std::vector<Piece> pieces = PiecesOf(plan, options);
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

std::vector<FileGroup> ByPartitionValues(const ScanPlan& plan,
                                         const std::vector<std::vector<size_t>>& values, int n) {
  std::vector<std::vector<size_t>> fragments(std::min<size_t>(values.size(), n));
  std::vector<FileGroup> groups(fragments.size());
  for (size_t v = 0; v < values.size(); ++v) {
    const size_t g = v % groups.size();
    groups[g].partition_values.push_back(plan.fragments[values[v][0]].partition_values);
    fragments[g].insert(fragments[g].end(), values[v].begin(), values[v].end());
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    std::sort(fragments[g].begin(), fragments[g].end());
    for (size_t f : fragments[g]) groups[g].fragments.push_back(plan.fragments[f]);
  }
  return groups;
}

}  // namespace

arrow::Result<FileGroups> MakeFileGroups(const ScanPlan& plan, const FileGroupOptions& options) {
  ARROW_RETURN_NOT_OK(Validate(options));
  FileGroups out;
  if (options.preserve_file_partitions > 0 && plan.partition_schema->num_fields() > 0) {
    const auto values = ByValues(plan);
    if (values && values->size() >= static_cast<size_t>(options.preserve_file_partitions)) {
      out.groups = ByPartitionValues(plan, *values, options.target_partitions);
      out.by_partition_values = true;
    }
  }
  if (!out.by_partition_values) out.groups = ByWeight(plan, options);
  for (FileGroup& group : out.groups) {
    group.num_rows = group.total_bytes = Precision<int64_t>::Exact(0);
    for (const Fragment& fragment : group.fragments) {
      group.num_rows = group.num_rows + fragment.num_rows;
      group.total_bytes = group.total_bytes + fragment.num_bytes;
    }
  }
  return out;
}

ScanPlan PartOf(const ScanPlan& plan, std::vector<Fragment> fragments) {
  ScanPlan part;
  part.filesystem = plan.filesystem;
  part.format = plan.format;
  part.table_schema = plan.table_schema;
  part.schema_declared = plan.schema_declared;
  part.partition_schema = plan.partition_schema;
  part.output_schema = plan.output_schema;
  part.request = plan.request;
  part.inspection = plan.inspection;
  if (part.request.limit) part.request.limit = plan::RowsWanted(part.request);
  part.request.offset = 0;
  part.statistics.num_rows = part.statistics.total_bytes = Precision<int64_t>::Exact(0);
  for (const Fragment& fragment : fragments) {
    part.statistics.num_rows = part.statistics.num_rows + fragment.num_rows;
    part.statistics.total_bytes = part.statistics.total_bytes + fragment.num_bytes;
  }
  part.statistics.columns.resize(plan.table_schema->num_fields());
  part.fragments = std::move(fragments);
  return part;
}

}  // namespace shoal
