#include "plan/filter_support.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/compute/function.h>
#include <arrow/compute/registry.h>

#include <shoal/filter.h>

#include "expression/compute_ready.h"
#include "expression/conjuncts.h"
#include "plan/references.h"

namespace shoal {

std::string_view ToString(FilterUse use) {
  switch (use) {
    case FilterUse::kExact:
      return "exact";
    case FilterUse::kInexact:
      return "inexact";
    case FilterUse::kUnsupported:
      return "unsupported";
  }
  return "unknown";
}

namespace plan {

namespace {

using arrow::compute::Expression;
using arrow::compute::Function;

/// Why an expression is for the engine alone to evaluate, if it is.
std::optional<std::string> OnlyForTheEngine(const Expression& expression) {
  // Not by recursion: chains of OR may be longer than the stack is deep.
  std::vector<const Expression*> pending = {&expression};
  while (!pending.empty()) {
    const auto* call = pending.back()->call();
    pending.pop_back();
    if (call == nullptr) continue;
    const std::string& name = call->function_name;
    auto found = arrow::compute::GetFunctionRegistry()->GetFunction(name);
    if (!found.ok()) return "Arrow has no function `" + name + "`";
    const Function& function = **found;
    // `cast` stands for many functions, all of them row by row.
    if (function.kind() != Function::SCALAR && name != "cast")
      return "`" + name + "` does not work row by row";
    // What is decided for a file need not hold for its rows, and rows would be drawn twice.
    if (!function.is_pure()) return "`" + name + "` may give another value at each call";
    for (const Expression& argument : call->arguments) pending.push_back(&argument);
  }
  return std::nullopt;
}

/// Whether the expression uses the partition key.
bool UsesKey(const Expression& bound, const std::string& key) {
  const auto refs = arrow::compute::FieldsInExpression(bound);
  return std::any_of(refs.begin(), refs.end(),
                     [&](const arrow::FieldRef& ref) { return ref.name() && *ref.name() == key; });
}

/// A key that known paths lack and files may have: there it is data.
std::optional<std::string> KeyThatFilesMayDecide(const Expression& bound,
                                                 const Inspection& inspection) {
  for (const std::string& key : inspection.keys_missing) {
    if (inspection.keys_in_files.contains(key) && UsesKey(bound, key)) return key;
  }
  return std::nullopt;
}

FilterSupport SupportOf(const Expression& bound, bool keys_only, const Inspection& inspection,
                        ReadMode mode) {
  if (keys_only) {
    auto key = KeyThatFilesMayDecide(bound, inspection);
    if (!key)
      return {FilterUse::kExact, "only partition keys decide: it is applied when files are listed"};
    if (mode == ReadMode::kEngineReads) {
      return {FilterUse::kInexact,
              "some paths lack the key '" + *key + "', whose files may have it as a column"};
    }
  }
  if (mode == ReadMode::kShoalReads)
    return {FilterUse::kExact, "it is applied to every row that is read"};
  return {FilterUse::kInexact, "it rules out files and row groups only: rows are not looked at"};
}

}  // namespace

arrow::Result<ClassifiedFilter> ClassifyFilter(const Expression& filter,
                                               const Inspection& inspection, ReadMode mode) {
  ARROW_RETURN_NOT_OK(expression::MakeComputeReady());
  if (!filter.is_valid()) return arrow::Status::Invalid("The filter is empty");
  ClassifiedFilter out;
  const auto keys = inspection.partition_schema->field_names();
  bool all_exact = true, any_used = false;
  const FilterPart* first_inexact = nullptr;
  ARROW_ASSIGN_OR_RAISE(const auto spelled, RespellReferences(filter, inspection));
  const auto conjuncts = expression::SplitConjuncts(spelled);
  out.parts.reserve(conjuncts.size());
  for (const Expression& conjunct : conjuncts) {
    FilterPart& part = out.parts.emplace_back();
    part.given = part.bound = conjunct;
    if (auto reason = OnlyForTheEngine(conjunct)) {
      // A wrong name is a mistake whoever evaluates it.
      ARROW_RETURN_NOT_OK(expression::UsedColumns(conjunct, *inspection.table_schema).status());
      part.support.reason = *std::move(reason);
    } else {
      ARROW_ASSIGN_OR_RAISE(part.bound, BindFilter(conjunct, inspection.table_schema));
      part.decided_by_keys = expression::UsesOnly(part.bound, keys, *inspection.table_schema);
      part.support = SupportOf(part.bound, part.decided_by_keys, inspection, mode);
      part.decided_by_keys &= part.support.use == FilterUse::kExact;
      any_used = true;
    }
    if (part.support.use == FilterUse::kExact) continue;
    all_exact = false;
    if (first_inexact == nullptr) first_inexact = &part;
  }
  if (out.parts.empty()) {
    out.support = {FilterUse::kExact, "every row passes"};
  } else if (all_exact) {
    // The parts that need rows say more than those that do not.
    const auto it = std::find_if(out.parts.begin(), out.parts.end(),
                                 [](const FilterPart& part) { return !part.decided_by_keys; });
    out.support = it == out.parts.end() ? out.parts[0].support : it->support;
  } else {
    out.support = {any_used ? FilterUse::kInexact : FilterUse::kUnsupported,
                   first_inexact->support.reason};
  }
  return out;
}

bool RowsDecide(const ScanPlan& plan, const Inspection& inspection) {
  const Expression& filter = plan.request.filter;
  const auto keys = plan.partition_schema->field_names();
  const auto conjuncts = expression::SplitConjuncts(filter);
  if (!std::all_of(conjuncts.begin(), conjuncts.end(), [&](const Expression& conjunct) {
        return expression::UsesOnly(conjunct, keys, *plan.table_schema);
      })) {
    return true;
  }
  for (size_t k = 0; k < keys.size(); ++k) {
    if (!inspection.keys_in_files.contains(keys[k]) || !UsesKey(filter, keys[k])) continue;
    for (const Fragment& fragment : plan.fragments) {
      if (!(*fragment.partition_values)[k]) return true;
    }
  }
  return false;
}

}  // namespace plan
}  // namespace shoal
