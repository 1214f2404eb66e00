#include "expressions.h"

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <shoal/filter.h>

namespace shoal::python {

arrow::Status CheckReferences(const arrow::compute::Expression& expression,
                              const arrow::Schema& schema) {
  const auto columns = std::make_shared<arrow::Schema>(schema);
  for (const arrow::FieldRef& ref : arrow::compute::FieldsInExpression(expression)) {
    const auto test = arrow::compute::is_valid(arrow::compute::field_ref(ref));
    ARROW_RETURN_NOT_OK(BindFilter(test, columns).status());
  }
  return arrow::Status::OK();
}

namespace {

using arrow::compute::Expression;

/// Adds what `expression` says if it is true.
void Collect(const Expression& expression, std::vector<KnownValue>* out) {
  const Expression::Call* call = expression.call();
  if (!call) return;
  const auto& arguments = call->arguments;
  if (call->function_name == "and" || call->function_name == "and_kleene") {
    for (const Expression& part : arguments) Collect(part, out);
    return;
  }
  auto add = [&](const Expression& column, const std::shared_ptr<arrow::Scalar>& value) {
    const arrow::FieldRef* ref = column.field_ref();
    if (ref && ref->name()) out->emplace_back(*ref->name(), value);
  };
  if (call->function_name == "is_null")
    return add(arguments[0], arrow::MakeNullScalar(arrow::null()));
  if (call->function_name != "equal") return;
  for (int column : {0, 1}) {
    const arrow::Datum* literal = arguments[1 - column].literal();
    if (literal && literal->is_scalar()) add(arguments[column], literal->scalar());
  }
}

}  // namespace

std::vector<KnownValue> KnownValues(const Expression& expression) {
  std::vector<KnownValue> out;
  Collect(expression, &out);
  return out;
}

}  // namespace shoal::python
