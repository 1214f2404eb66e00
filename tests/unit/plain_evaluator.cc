#include "plain_evaluator.h"

#include <set>
#include <string>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/type_traits.h>

#include "plain_comparison.h"

namespace shoal::oracle {

using arrow::Datum;
using arrow::Result;
using arrow::Type;
using arrow::compute::Expression;
using ArrayPtr = std::shared_ptr<arrow::Array>;

Result<ArrayPtr> PlainValues(ArrayPtr values) {
  // Views inside of dictionaries take two steps.
  while (true) {
    std::shared_ptr<arrow::DataType> type;
    switch (values->type_id()) {
      case Type::DICTIONARY:
        type = static_cast<const arrow::DictionaryType&>(*values->type()).value_type();
        break;
      case Type::STRING_VIEW:
        type = arrow::utf8();
        break;
      case Type::BINARY_VIEW:
        type = arrow::binary();
        break;
      case Type::HALF_FLOAT:
        type = arrow::float32();
        break;
      case Type::DECIMAL32:
      case Type::DECIMAL64: {
        const auto& decimal = static_cast<const arrow::DecimalType&>(*values->type());
        type = arrow::decimal128(decimal.precision(), decimal.scale());
        break;
      }
      default:
        return values;
    }
    ARROW_ASSIGN_OR_RAISE(values, arrow::compute::Cast(*values, type));
  }
}

namespace {

bool IsComparison(const std::string& function) {
  static const std::set<std::string> names = {"equal",      "not_equal", "less",
                                              "less_equal", "greater",   "greater_equal"};
  return names.contains(function);
}

class Evaluator {
 public:
  explicit Evaluator(const arrow::RecordBatch& rows) : rows_(rows) {}

  Result<ArrayPtr> Evaluate(const Expression& expression) {
    if (const Datum* literal = expression.literal()) {
      ARROW_ASSIGN_OR_RAISE(auto values,
                            arrow::MakeArrayFromScalar(*literal->scalar(), rows_.num_rows()));
      return PlainValues(std::move(values));
    }
    if (const auto* ref = expression.field_ref()) {
      // Flattened: where a struct is null, its fields are.
      ARROW_ASSIGN_OR_RAISE(auto values, ref->GetOneFlattened(rows_));
      return PlainValues(std::move(values));
    }
    const auto& call = *expression.call();
    std::vector<ArrayPtr> arguments;
    for (const auto& argument : call.arguments) {
      ARROW_ASSIGN_OR_RAISE(arguments.emplace_back(), Evaluate(argument));
    }
    if (IsComparison(call.function_name)) {
      return ComparePlainly(call.function_name, arguments[0], arguments[1]);
    }
    if (call.function_name == "is_in") {
      return IsIn(arguments[0],
                  static_cast<const arrow::compute::SetLookupOptions&>(*call.options));
    }
    if (call.function_name == "add_checked" || call.function_name == "subtract_checked") {
      ARROW_ASSIGN_OR_RAISE(ArrayPtr sum, ExactSum(call.function_name, arguments));
      if (sum) return sum;
    }
    ARROW_ASSIGN_OR_RAISE(
        Datum result,
        arrow::compute::CallFunction(call.function_name, {arguments.begin(), arguments.end()},
                                     call.options.get()));
    return PlainValues(result.make_array());
  }

 private:
  // Integers are added as numbers, whatever their widths: by way of decimals, and an error where
  // the outcome does not fit int64, unless one is a uint64. nullptr: not integers.
  static Result<ArrayPtr> ExactSum(const std::string& function, std::vector<ArrayPtr> arguments) {
    bool uint64 = false;
    for (auto& argument : arguments) {
      if (!arrow::is_integer(argument->type_id())) return nullptr;
      uint64 = uint64 || argument->type_id() == Type::UINT64;
      ARROW_ASSIGN_OR_RAISE(argument, arrow::compute::Cast(*argument, arrow::decimal128(20, 0)));
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr sum, Call(function, arguments));
    return uint64 ? sum : arrow::compute::Cast(*sum, arrow::int64());
  }

  // Arrow's is_in casts the values to the type of the set or the other way round, and loses digits;
  // values of different types are the same here where they are equal. Floats are looked up by their
  // bits, whatever their width is: NaN is found, and the two zeros are told apart.
  Result<ArrayPtr> IsIn(ArrayPtr values, const arrow::compute::SetLookupOptions& options) {
    ARROW_ASSIGN_OR_RAISE(ArrayPtr set, PlainValues(options.value_set.make_array()));
    if (arrow::is_floating(values->type_id()) && arrow::is_floating(set->type_id())) {
      ARROW_ASSIGN_OR_RAISE(values, arrow::compute::Cast(*values, arrow::float64()));
      ARROW_ASSIGN_OR_RAISE(set, arrow::compute::Cast(*set, arrow::float64()));
    }
    if (set->type()->Equals(*values->type())) {
      arrow::compute::SetLookupOptions same(set, options.GetNullMatchingBehavior());
      ARROW_ASSIGN_OR_RAISE(Datum result, arrow::compute::CallFunction("is_in", {values}, &same));
      return result.make_array();
    }
    ARROW_ASSIGN_OR_RAISE(
        ArrayPtr found, arrow::MakeArrayFromScalar(arrow::BooleanScalar(false), values->length()));
    for (int64_t i = 0; i < set->length(); ++i) {
      if (set->IsNull(i)) continue;
      ARROW_ASSIGN_OR_RAISE(auto member, set->GetScalar(i));
      ARROW_ASSIGN_OR_RAISE(auto repeated, arrow::MakeArrayFromScalar(*member, values->length()));
      ARROW_ASSIGN_OR_RAISE(auto equal, ComparePlainly("equal", values, repeated));
      ARROW_ASSIGN_OR_RAISE(found, Call("or_kleene", {found, equal}));
    }
    using Behavior = arrow::compute::SetLookupOptions::NullMatchingBehavior;
    const bool null_in_set = set->null_count() > 0;
    const auto unknown = arrow::MakeNullScalar(arrow::boolean());
    switch (options.GetNullMatchingBehavior()) {
      case Behavior::EMIT_NULL:
        return WhereNull(values, unknown, found);
      case Behavior::INCONCLUSIVE: {
        ARROW_ASSIGN_OR_RAISE(found, WhereNull(values, unknown, found));
        if (!null_in_set) return found;
        ARROW_ASSIGN_OR_RAISE(auto all_unknown,
                              arrow::MakeArrayFromScalar(*unknown, values->length()));
        return Call("or_kleene", {found, all_unknown});
      }
      default: {
        const bool null_matches =
            options.GetNullMatchingBehavior() == Behavior::MATCH && null_in_set;
        return WhereNull(values, arrow::MakeScalar(null_matches), found);
      }
    }
  }

  static Result<ArrayPtr> WhereNull(const ArrayPtr& values, std::shared_ptr<arrow::Scalar> answer,
                                    const ArrayPtr& otherwise) {
    ARROW_ASSIGN_OR_RAISE(auto null, Call("is_null", {values}));
    ARROW_ASSIGN_OR_RAISE(
        auto chosen, arrow::compute::CallFunction("if_else", {null, std::move(answer), otherwise}));
    return chosen.make_array();
  }

  static Result<ArrayPtr> Call(const std::string& function, const std::vector<ArrayPtr>& values) {
    ARROW_ASSIGN_OR_RAISE(Datum result,
                          arrow::compute::CallFunction(function, {values.begin(), values.end()}));
    return result.make_array();
  }

  const arrow::RecordBatch& rows_;
};

}  // namespace

Result<ArrayPtr> ValuePlainly(const Expression& expression, const arrow::RecordBatch& rows) {
  return Evaluator(rows).Evaluate(expression);
}

Result<std::shared_ptr<arrow::BooleanArray>> EvaluatePlainly(const Expression& filter,
                                                             const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(auto values, ValuePlainly(filter, rows));
  if (values->type_id() == Type::NA) {
    ARROW_ASSIGN_OR_RAISE(values, arrow::MakeArrayOfNull(arrow::boolean(), values->length()));
  }
  if (values->type_id() != Type::BOOL) {
    return arrow::Status::TypeError("the filter gives ", *values->type());
  }
  return std::static_pointer_cast<arrow::BooleanArray>(values);
}

}  // namespace shoal::oracle
