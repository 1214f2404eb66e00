#include "expression/conjuncts.h"

#include <algorithm>

#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>

#include "expression/resolve.h"

namespace shoal::expression {
namespace {

using arrow::compute::Expression;

bool IsTrue(const Expression& expression) {
  const arrow::Datum* datum = expression.literal();
  if (datum == nullptr || !datum->is_scalar() || datum->type()->id() != arrow::Type::BOOL)
    return false;
  const auto& scalar = arrow::internal::checked_cast<const arrow::BooleanScalar&>(*datum->scalar());
  return scalar.is_valid && scalar.value;
}

}  // namespace

std::vector<Expression> SplitConjuncts(const Expression& filter) {
  std::vector<Expression> conjuncts;
  std::vector<Expression> pending = {filter};
  while (!pending.empty()) {
    Expression part = std::move(pending.back());
    pending.pop_back();
    const auto* call = part.call();
    // Both kinds of AND are true for the same rows.
    if (call != nullptr && (call->function_name == "and_kleene" || call->function_name == "and")) {
      pending.insert(pending.end(), call->arguments.rbegin(), call->arguments.rend());
    } else if (!IsTrue(part)) {
      conjuncts.push_back(std::move(part));
    }
  }
  return conjuncts;
}

arrow::Result<std::vector<arrow::FieldPath>> UsedColumns(const Expression& expression,
                                                         const arrow::Schema& schema) {
  std::vector<arrow::FieldPath> paths;
  for (const arrow::FieldRef& ref : arrow::compute::FieldsInExpression(expression)) {
    ARROW_ASSIGN_OR_RAISE(ResolvedColumn column, ResolveColumn(ref, schema));
    if (std::find(paths.begin(), paths.end(), column.path) == paths.end())
      paths.push_back(std::move(column.path));
  }
  return paths;
}

bool UsesOnly(const Expression& expression, const std::vector<std::string>& names,
              const arrow::Schema& schema) {
  const auto used = UsedColumns(expression, schema);
  return used.ok() && std::all_of(used->begin(), used->end(), [&](const arrow::FieldPath& path) {
           const std::string& name = schema.field(path[0])->name();
           return std::find(names.begin(), names.end(), name) != names.end();
         });
}

}  // namespace shoal::expression
