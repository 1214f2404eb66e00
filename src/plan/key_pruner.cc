#include "plan/key_pruner.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/status_context.h"
#include "expression/conjuncts.h"
#include "expression/evaluate.h"
#include "prune/failed_container.h"

namespace shoal::plan {

namespace {

/// Adds the path and the part of the filter to an error that one path's keys caused.
arrow::Status NamePath(const arrow::Status& error,
                       const std::vector<arrow::compute::Expression>& conjuncts,
                       const std::function<std::string(int64_t)>& path_of) {
  if (const auto* failed = prune::FailedContainer::Find(error)) {
    return base::WithContext(expression::CannotCompute(conjuncts[failed->conjunct()], error),
                             "'" + path_of(failed->container()) + "'")
        .WithDetail(nullptr);
  }
  return error;
}

/// Rows whose keys are alike, as far as somebody cares: what one is judged to be, all are.
struct AlikeRows {
  std::vector<int64_t> first;  // of each group
  std::vector<int32_t> group;  // of each row
};

AlikeRows FindAlike(const std::vector<partition::TypedKeyColumn>& keys,
                    const std::set<std::string>& used, int64_t num_rows) {
  AlikeRows out;
  out.group.assign(num_rows, 0);
  if (num_rows > 0) out.first.push_back(0);
  for (const auto& key : keys) {
    if (!used.contains(key.name)) continue;
    const int64_t width = key.values->length() + 1;
    std::unordered_map<int64_t, int32_t> groups;
    out.first.clear();
    int64_t last = -1;  // neighbours have the same keys, most often
    int32_t last_group = -1;
    for (int64_t i = 0; i < num_rows; ++i) {
      const int64_t both = out.group[i] * width + key.index[i] + 1;  // kAbsent is -1
      if (both != last) {
        const auto [at, is_new] = groups.emplace(both, static_cast<int32_t>(groups.size()));
        if (is_new) out.first.push_back(i);
        last = both;
        last_group = at->second;
      }
      out.group[i] = last_group;
    }
  }
  return out;
}

}  // namespace

std::string DescribeKeys(const KeyTable& keys, int64_t row) {
  std::string out;
  for (const auto& column : keys.columns) {
    if (column.index[row] == KeyColumn::kAbsent) continue;
    const auto& value = column.distinct[column.index[row]];
    out += (out.empty() ? "" : "/") + column.name + "=" + (value ? *value : "null");
  }
  return out + "/";
}

KeyPruner::KeyPruner(const Inspection& inspection, const arrow::compute::Expression& filter,
                     PruneReport* report)
    : inspection_(inspection), report_(report) {
  const auto names = inspection.partition_schema->field_names();
  const auto all = expression::SplitConjuncts(filter);
  // Those that only keys decide come first. Others may still rule out paths where only their keys
  // matter: (k = 1 and x > 5) or k = 2.
  for (const bool only_keys : {true, false}) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (expression::UsesOnly(all[i], names, *inspection.table_schema) != only_keys) continue;
      conjuncts_.push_back(all[i]);
      number_.push_back(static_cast<int>(i));
      const auto columns = expression::UsedColumns(all[i], *inspection.table_schema);
      if (!columns.ok()) continue;  // judging says so
      for (const auto& path : *columns)
        used_.insert(inspection.table_schema->field(path[0])->name());
    }
  }
}

bool KeyPruner::can_prune() const {
  return !conjuncts_.empty() && inspection_.partition_schema->num_fields() > 0;
}

std::vector<PartitionKey> KeyPruner::RequiredValues() const {
  std::vector<PartitionKey> out;
  for (const auto& conjunct : conjuncts_) {
    const auto* call = conjunct.call();
    if (call == nullptr || call->function_name != "equal") continue;
    const auto* field = call->arguments[0].field_ref();
    const auto* literal = call->arguments[1].literal();
    if (field == nullptr || literal == nullptr) {
      field = call->arguments[1].field_ref();
      literal = call->arguments[0].literal();
    }
    if (field == nullptr || literal == nullptr || !literal->is_scalar()) continue;
    // Only a text has one spelling, and only a path that must carry the key cannot leave it to the
    // file.
    const std::string* name = field->name();
    const auto& required = inspection_.list.partitioning->required_keys();
    if (name == nullptr || std::count(required.begin(), required.end(), *name) == 0) continue;
    const auto key = inspection_.partition_schema->GetFieldByName(*name);
    const arrow::Scalar& value = *literal->scalar();
    if (key == nullptr || !arrow::is_base_binary_like(key->type()->id()) || !value.is_valid ||
        !value.type->Equals(key->type())) {
      continue;
    }
    out.push_back({*name, static_cast<const arrow::BaseBinaryScalar&>(value).value->ToString()});
  }
  return out;
}

arrow::Result<std::vector<bool>> KeyPruner::JudgeDirectories(const KeyTable& keys) {
  auto path_of = [&](int64_t row) { return DescribeKeys(keys, row); };
  std::vector<bool> keep(keys.num_rows, true);
  ARROW_ASSIGN_OR_RAISE(auto pruned_by, Judge(keys, KeyContainers::Missing::kUnknown, path_of));
  for (int64_t i = 0; i < keys.num_rows; ++i) {
    keep[i] = pruned_by[i] < 0;
    LevelReport* level = LevelOf(keys, i);
    if (level) ++level->directories;
    if (level && keep[i]) ++level->directories_kept;
    if (keep[i]) continue;
    const int conjunct = number_[pruned_by[i]];
    ++report_->directories_pruned;
    ++report_->conjuncts[conjunct].directories_pruned;
    if (HasRoom()) report_->pruned.push_back({path_of(i), -1, PruneLevel::kDirectory, conjunct});
  }
  return keep;
}

arrow::Result<std::vector<bool>> KeyPruner::JudgeFiles(const FileTable& files) {
  auto path_of = [&](int64_t row) { return files.path(row); };
  std::vector<bool> keep(files.num_files(), true);
  if (!can_prune()) return keep;
  ARROW_ASSIGN_OR_RAISE(auto pruned_by,
                        Judge(files.keys(), KeyContainers::Missing::kNull, path_of));
  for (int64_t i = 0; i < files.num_files(); ++i) {
    keep[i] = pruned_by[i] < 0;
    if (keep[i]) continue;
    const int conjunct = number_[pruned_by[i]];
    ++report_->conjuncts[conjunct].files_pruned;
    if (HasRoom()) report_->pruned.push_back({path_of(i), -1, PruneLevel::kFileKeys, conjunct});
  }
  return keep;
}

LevelReport* KeyPruner::LevelOf(const KeyTable& keys, int64_t row) {
  size_t depth = 0;
  const KeyColumn* last = nullptr;
  for (const auto& column : keys.columns) {
    if (column.index[row] == KeyColumn::kAbsent) continue;
    ++depth;
    last = &column;
  }
  if (depth == 0) return nullptr;
  auto& levels = report_->levels;
  while (levels.size() < depth) levels.emplace_back();
  if (levels[depth - 1].key.empty()) levels[depth - 1].key = last->name;
  return &levels[depth - 1];
}

arrow::Result<std::vector<int>> KeyPruner::Judge(
    const KeyTable& keys, KeyContainers::Missing missing,
    const std::function<std::string(int64_t)>& path_of) const {
  ARROW_ASSIGN_OR_RAISE(auto typed, TypeKeys(keys, *inspection_.partition_schema,
                                             inspection_.keys_inferred, path_of));
  const AlikeRows alike = FindAlike(typed, used_, keys.num_rows);
  for (auto& key : typed) {
    std::vector<int32_t> index(alike.first.size());
    for (size_t g = 0; g < index.size(); ++g) index[g] = key.index[alike.first[g]];
    key.index = std::move(index);
  }
  KeyContainers containers(*inspection_.table_schema, typed, *inspection_.partition_schema,
                           inspection_.keys_in_files, static_cast<int64_t>(alike.first.size()),
                           missing);
  auto result = prune::Prune(conjuncts_, *inspection_.table_schema, containers);
  if (!result.ok()) {
    return NamePath(result.status(), conjuncts_,
                    [&](int64_t group) { return path_of(alike.first[group]); });
  }
  std::vector<int> pruned_by(keys.num_rows);
  for (int64_t i = 0; i < keys.num_rows; ++i) pruned_by[i] = result->pruned_by[alike.group[i]];
  return pruned_by;
}

bool KeyPruner::HasRoom() const { return report_->pruned.size() < PruneReport::kMaxPieces; }

}  // namespace shoal::plan
