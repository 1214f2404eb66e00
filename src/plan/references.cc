#include "plan/references.h"

#include <string>
#include <utility>
#include <vector>

#include "expression/resolve.h"
#include "schema/fold.h"

namespace shoal::plan {

namespace {

using arrow::FieldRef;
using arrow::compute::Expression;

std::shared_ptr<arrow::Field> FoldField(const std::shared_ptr<arrow::Field>& field) {
  auto type = field->type();
  if (type->id() == arrow::Type::STRUCT) {
    arrow::FieldVector fields;
    for (const auto& child : type->fields()) fields.push_back(FoldField(child));
    type = arrow::struct_(std::move(fields));
  }
  return arrow::field(schema::Fold(field->name()), std::move(type));
}

FieldRef FoldRef(const FieldRef& ref) {
  if (const std::string* name = ref.name()) return FieldRef(schema::Fold(*name));
  if (const auto* parts = ref.nested_refs()) {
    std::vector<FieldRef> folded;
    for (const FieldRef& part : *parts) folded.push_back(FoldRef(part));
    return FieldRef(std::move(folded));
  }
  return ref;
}

class Respeller {
 public:
  explicit Respeller(const arrow::Schema& table) : table_(table) {
    arrow::FieldVector fields;
    for (const auto& field : table.fields()) fields.push_back(FoldField(field));
    folded_ = arrow::schema(std::move(fields));
  }

  arrow::Result<FieldRef> Ref(const FieldRef& ref) const {
    if (expression::ResolveColumn(ref, table_).ok()) return ref;
    auto found = expression::ResolveColumn(FoldRef(ref), *folded_);
    if (!found.ok()) return ref;
    std::vector<FieldRef> names;
    const arrow::FieldVector* fields = &table_.fields();
    for (const int index : found->path) {
      names.emplace_back((*fields)[index]->name());
      fields = &(*fields)[index]->type()->fields();
    }
    return names.size() == 1 ? names[0] : FieldRef(std::move(names));
  }

  arrow::Result<Expression> All(const Expression& given) const {
    if (const FieldRef* ref = given.field_ref()) {
      ARROW_ASSIGN_OR_RAISE(auto written, Ref(*ref));
      return written == *ref ? given : arrow::compute::field_ref(std::move(written));
    }
    const auto* call = given.call();
    if (call == nullptr) return given;
    bool changed = false;
    std::vector<Expression> arguments;
    for (const Expression& argument : call->arguments) {
      ARROW_ASSIGN_OR_RAISE(auto one, All(argument));
      changed |= !one.Equals(argument);
      arguments.push_back(std::move(one));
    }
    if (!changed) return given;
    return arrow::compute::call(call->function_name, std::move(arguments), call->options);
  }

 private:
  const arrow::Schema& table_;
  std::shared_ptr<arrow::Schema> folded_;
};

}  // namespace

arrow::Result<Expression> RespellReferences(const Expression& expression,
                                            const Inspection& inspection) {
  if (!inspection.rules.case_insensitive || !expression.is_valid()) return expression;
  return Respeller(*inspection.table_schema).All(expression);
}

std::string RespellColumn(const std::string& name, const Inspection& inspection) {
  if (!inspection.rules.case_insensitive || inspection.table_schema->GetFieldIndex(name) >= 0) {
    return name;
  }
  const std::string folded = schema::Fold(name);
  std::string found = name;
  for (const auto& field : inspection.table_schema->fields()) {
    if (schema::Fold(field->name()) == folded) found = field->name();
  }
  return found;
}

}  // namespace shoal::plan
