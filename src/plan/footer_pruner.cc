#include "plan/footer_pruner.h"

#include <set>

#include "base/status_context.h"
#include "expression/conjuncts.h"
#include "expression/evaluate.h"
#include "plan/used_leaves.h"
#include "plan/virtual_columns.h"
#include "prune/failed_container.h"
#include "prune/file_containers.h"

namespace shoal::plan {

arrow::Result<FooterPruner> FooterPruner::Make(const ScanPlan& plan) {
  FooterPruner out;
  std::set<int> leaves;
  ARROW_RETURN_NOT_OK(AddUsedLeaves(plan.request.filter, *plan.table_schema, &leaves));
  out.columns_ = KeyedSchema::Project(plan, {leaves.begin(), leaves.end()});
  if (const auto* name = NameOf(VirtualColumn::kRowIndex, plan.virtual_columns)) {
    out.row_index_ = out.columns_.schema->GetFieldIndex(*name);
  }
  for (const auto& conjunct : expression::SplitConjuncts(plan.request.filter)) {
    ARROW_ASSIGN_OR_RAISE(auto bound, conjunct.Bind(*out.columns_.schema));
    out.conjuncts_.push_back(std::move(bound));
  }
  return out;
}

arrow::Result<prune::PruneResult> FooterPruner::Judge(const FileFacts& facts,
                                                      const PartitionValues& values,
                                                      const std::string& path) const {
  if (conjuncts_.empty()) {
    prune::PruneResult all;
    all.outcomes.assign(facts.num_row_groups(), prune::kTrue);
    all.pruned_by.assign(facts.num_row_groups(), -1);
    return all;
  }
  ARROW_ASSIGN_OR_RAISE(auto mapping, MapFile(columns_, facts, values, path));
  prune::RowGroupContainers containers(facts, *mapping, *columns_.schema, row_index_);
  auto result = prune::Prune(conjuncts_, *columns_.schema, containers);
  if (!result.ok()) {
    arrow::Status error = result.status();
    if (const auto* failed = prune::FailedContainer::Find(error)) {
      error = expression::CannotCompute(conjuncts_[failed->conjunct()], error).WithDetail(nullptr);
    }
    return base::WithContext(error, "'" + path + "'");
  }
  return result;
}

}  // namespace shoal::plan
