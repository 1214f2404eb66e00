#include "plan/used_leaves.h"

#include "expression/conjuncts.h"
#include "schema/leaves.h"

namespace shoal::plan {

arrow::Status AddUsedLeaves(const arrow::compute::Expression& expression,
                            const arrow::Schema& table_schema, std::set<int>* leaves) {
  ARROW_ASSIGN_OR_RAISE(auto paths, expression::UsedColumns(expression, table_schema));
  for (const auto& path : paths) {
    ARROW_ASSIGN_OR_RAISE(auto of_path, schema::LeavesOf(table_schema, path));
    leaves->insert(of_path.begin(), of_path.end());
  }
  return arrow::Status::OK();
}

}  // namespace shoal::plan
