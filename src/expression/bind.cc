// Binding: references become unique names, and every call gets arguments that Arrow has a kernel
// for.
//
// The rewriter goes through the expression from the leaves up and knows the type of every part.
// Comparisons and is_in are rewritten so that the literals have the column's type (comparison.h);
// AND, OR and NOT check that their arguments are boolean; other functions are tried with their
// arguments as they are, then with the arguments decoded.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/function.h>
#include <arrow/compute/registry.h>
#include <arrow/extension_type.h>
#include <arrow/util/checked_cast.h>

#include <shoal/filter.h>

#include "expression/arithmetic.h"
#include "expression/comparison.h"
#include "expression/compute_ready.h"
#include "expression/conjuncts.h"
#include "expression/evaluate.h"
#include "expression/filter_functions.h"
#include "expression/literal_conversion.h"
#include "expression/resolve.h"

namespace shoal::expression {
namespace {

using arrow::Datum;
using arrow::Result;
using arrow::Scalar;
using arrow::Schema;
using arrow::Status;
using arrow::Type;
using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::FunctionOptions;
using arrow::compute::literal;
using arrow::compute::SetLookupOptions;
using arrow::internal::checked_cast;
using Options = std::shared_ptr<FunctionOptions>;

// Arrow walks expressions recursively, and so do we: deeper ones could overflow the stack. Chains
// of AND and OR don't count, since they are made into balanced trees.
constexpr int kMaxDepth = 1000;

bool IsLogical(const std::string& function) {
  static const std::set<std::string> names = {"and",     "and_kleene",     "or",  "or_kleene",
                                              "and_not", "and_not_kleene", "xor", "invert"};
  return names.count(function) > 0;
}

bool IsChain(const std::string& function) {
  return function == "and" || function == "and_kleene" || function == "or" ||
         function == "or_kleene";
}

// The type a call has with these arguments, from Arrow's own rules.
Result<std::shared_ptr<arrow::DataType>> TypeOfCall(const std::string& function,
                                                    const std::vector<Typed>& arguments,
                                                    const Options& options) {
  arrow::FieldVector fields;
  std::vector<Expression> stand_ins;
  for (const Typed& argument : arguments) {
    if (argument.expression.literal() != nullptr) {
      stand_ins.push_back(argument.expression);
      continue;
    }
    stand_ins.push_back(field_ref(arrow::FieldRef(static_cast<int>(fields.size()))));
    fields.push_back(arrow::field(std::to_string(fields.size()), argument.type));
  }
  ARROW_ASSIGN_OR_RAISE(Expression bound,
                        call(function, std::move(stand_ins), options).Bind(Schema(fields)));
  return bound.type()->GetSharedPtr();
}

// Calls of literals only are computed now.
Result<Typed> Folded(Typed typed) {
  const auto* parts = typed.expression.call();
  if (parts == nullptr || parts->arguments.empty()) return typed;
  for (const Expression& argument : parts->arguments) {
    if (argument.literal() == nullptr) return typed;
  }
  std::vector<Datum> values;
  for (const Expression& argument : parts->arguments) values.push_back(*argument.literal());
  // Not by way of a bound expression, in which literals have the smallest types that hold them.
  auto value = arrow::compute::CallFunction(parts->function_name, values, parts->options.get());
  if (!value.ok()) return CannotCompute(typed.expression, value.status());
  if (!value->is_scalar()) return typed;
  return TypedLiteral(value->scalar());
}

// A scalar of a plain type.
Result<std::shared_ptr<Scalar>> PlainScalar(std::shared_ptr<Scalar> scalar) {
  while (true) {
    Type::type id = scalar->type->id();
    if (id == Type::DICTIONARY) {
      if (!scalar->is_valid) {
        return arrow::MakeNullScalar(
            checked_cast<const arrow::DictionaryType&>(*scalar->type).value_type());
      }
      ARROW_ASSIGN_OR_RAISE(
          scalar, checked_cast<const arrow::DictionaryScalar&>(*scalar).GetEncodedValue());
    } else if (id == Type::EXTENSION) {
      auto storage = checked_cast<const arrow::ExtensionType&>(*scalar->type).storage_type();
      if (!scalar->is_valid) return arrow::MakeNullScalar(storage);
      scalar = checked_cast<const arrow::ExtensionScalar&>(*scalar).value;
    } else {
      return scalar;
    }
  }
}

class Rewriter {
 public:
  explicit Rewriter(const Schema& schema) : schema_(schema) {}

  Result<Typed> Rewrite(const Expression& expression, int depth = 0) {
    if (depth > kMaxDepth) {
      return Status::Invalid("The expression is nested more than ", kMaxDepth,
                             " deep; write it flatter");
    }
    if (!expression.is_valid()) return Status::Invalid("The expression is empty");
    if (const Datum* datum = expression.literal()) {
      if (!datum->is_scalar())
        return Status::TypeError("A literal in an expression must be a single value");
      ARROW_ASSIGN_OR_RAISE(auto scalar, PlainScalar(datum->scalar()));
      return TypedLiteral(std::move(scalar));
    }
    if (const arrow::FieldRef* ref = expression.field_ref()) return Column(*ref);
    const Expression::Call& parts = *expression.call();
    if (IsChain(parts.function_name)) return Chain(expression, depth);
    std::vector<Typed> arguments;
    arguments.reserve(parts.arguments.size());
    for (const Expression& argument : parts.arguments) {
      auto typed = Rewrite(argument, depth + 1);
      if (!typed.ok()) return WithQuotesHint(typed.status(), argument, parts, depth);
      arguments.push_back(*std::move(typed));
    }
    ARROW_ASSIGN_OR_RAISE(Typed typed,
                          Call(parts.function_name, std::move(arguments), parts.options));
    return Folded(std::move(typed));
  }

 private:
  Result<Typed> Column(const arrow::FieldRef& ref) {
    ARROW_ASSIGN_OR_RAISE(ResolvedColumn column, ResolveColumn(ref, schema_));
    return Typed{field_ref(std::move(column.ref)), std::move(column.type)};
  }

  // What is compared with text, and named like no column, was perhaps meant as text.
  Status WithQuotesHint(const Status& error, const Expression& part, const Expression::Call& parent,
                        int depth) {
    const arrow::FieldRef* ref = part.field_ref();
    const std::string* name = ref == nullptr ? nullptr : ref->name();
    if (name == nullptr || !IsComparison(parent.function_name)) return error;
    if (!schema_.GetAllFieldIndices(*name).empty()) return error;
    for (const Expression& other : parent.arguments) {
      if (&other == &part || other.literal() != nullptr) continue;
      auto typed = Rewrite(other, depth + 1);
      if (!typed.ok()) continue;
      const Type::type id = Decoded(*typed).type->id();
      if (!arrow::is_string(id) && id != Type::STRING_VIEW && !arrow::is_temporal(id)) continue;
      return error.WithMessage(error.message(), ". For the text, write ", ToText(literal(*name)),
                               " in single quotes");
    }
    return error;
  }

  Result<Typed> Call(const std::string& function, std::vector<Typed> arguments,
                     const Options& options) {
    if (IsComparison(function) && arguments.size() == 2) {
      ARROW_ASSIGN_OR_RAISE(Typed compared, Compare(function, arguments[0], arguments[1]));
      return Checked(std::move(compared), arguments);
    }
    if (IsLogical(function)) return Logical(function, std::move(arguments));
    if (function == "is_in" && arguments.size() == 1 && options != nullptr) {
      return IsIn(std::move(arguments[0]), checked_cast<const SetLookupOptions&>(*options));
    }
    if (function == "match_like" && arguments.size() == 1 && options != nullptr) {
      return Like(std::move(arguments[0]), options);
    }
    if (function == "struct_field" && arguments.size() == 1 && options != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto column, StructField(arguments[0], options));
      if (column) return *std::move(column);
    }
    if (IsArithmetic(function)) return Arithmetic(function, std::move(arguments), options);
    return Other(function, std::move(arguments), options);
  }

  Result<Typed> Arithmetic(const std::string& function, std::vector<Typed> arguments,
                           const Options& options) {
    ARROW_ASSIGN_OR_RAISE(auto ready, ReadyForArithmetic(function, arguments));
    auto typed = Other(function, std::move(ready), options);
    if (typed.ok()) return typed;
    std::vector<Expression> expressions;
    std::string types;
    bool decimals = true;
    for (const Typed& argument : arguments) {
      expressions.push_back(argument.expression);
      types += (types.empty() ? "" : " and ") + argument.type->ToString();
      const Type::type id = Decoded(argument).type->id();
      decimals = decimals && (arrow::is_decimal(id) || arrow::is_integer(id));
    }
    return Status::TypeError(
        "`", ToText(call(function, std::move(expressions), options)), "` can't be computed: ",
        decimals ? "the result may need more than 76 digits; cast a part of it to float64"
                 : "there is no such arithmetic with " + types);
  }

  // ---- AND, OR, NOT
  // --------------------------------------------------------------------------------------------

  Result<Typed> AsBoolean(Typed typed, const std::string& function) {
    if (typed.type->id() == Type::NA) return NullBoolean();
    typed = Decoded(std::move(typed));
    if (typed.type->id() != Type::BOOL) {
      std::string name = function == "invert" ? "not" : function.substr(0, function.find('_'));
      return Status::TypeError("The arguments of `", name, "` must evaluate to bool, but ",
                               Describe(typed), " doesn't");
    }
    return typed;
  }

  Result<Typed> Logical(const std::string& function, std::vector<Typed> arguments) {
    std::vector<Expression> expressions;
    for (Typed& argument : arguments) {
      ARROW_ASSIGN_OR_RAISE(argument, AsBoolean(std::move(argument), function));
      expressions.push_back(argument.expression);
    }
    return Typed{call(function, std::move(expressions)), arrow::boolean()};
  }

  // Long chains of the same operation become balanced trees. Literals are dropped where they don't
  // matter.
  Result<Typed> Chain(const Expression& expression, int depth) {
    const std::string& function = expression.call()->function_name;
    bool is_and = function == "and" || function == "and_kleene";
    bool kleene = function == "and_kleene" || function == "or_kleene";
    bool decided = false;
    std::vector<Expression> parts;
    std::vector<Expression> pending = {expression};
    while (!pending.empty()) {
      Expression part = std::move(pending.back());
      pending.pop_back();
      const auto* inner = part.call();
      if (inner == nullptr || inner->function_name != function) {
        ARROW_ASSIGN_OR_RAISE(Typed typed, Rewrite(part, depth + 1));
        ARROW_ASSIGN_OR_RAISE(typed, AsBoolean(std::move(typed), function));
        const Scalar* scalar = typed.scalar();
        if (kleene && scalar != nullptr && scalar->is_valid) {
          if (checked_cast<const arrow::BooleanScalar&>(*scalar).value == is_and) continue;
          decided = true;
        }
        parts.push_back(std::move(typed.expression));
        continue;
      }
      pending.insert(pending.end(), inner->arguments.rbegin(), inner->arguments.rend());
    }
    if (decided) return TypedLiteral(arrow::MakeScalar(!is_and));
    if (parts.empty()) return TypedLiteral(arrow::MakeScalar(is_and));
    while (parts.size() > 1) {
      std::vector<Expression> half;
      for (size_t i = 0; i + 1 < parts.size(); i += 2)
        half.push_back(call(function, {parts[i], parts[i + 1]}));
      if (parts.size() % 2 == 1) half.push_back(parts.back());
      parts = std::move(half);
    }
    return Folded({parts[0], arrow::boolean()});
  }

  // ---- is_in
  // ---------------------------------------------------------------------------------------------------

  Result<Typed> IsIn(Typed operand, const SetLookupOptions& options) {
    if (!options.value_set.is_arraylike())
      return Status::TypeError("is_in needs an array of values");
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> values, ValuesOf(options.value_set));
    std::shared_ptr<arrow::DataType> values_type = values->type();
    Typed needle = operand;
    std::shared_ptr<arrow::Array> converted;
    if (values_type->id() == Type::NA || operand.type->id() == Type::NA) {
      needle = Plain(std::move(needle));
      ARROW_ASSIGN_OR_RAISE(converted, arrow::MakeArrayOfNull(needle.type, values->null_count()));
    } else {
      ARROW_ASSIGN_OR_RAISE(needle, ReadyToCompare(std::move(needle), *values_type));
      bool text = arrow::is_base_binary_like(values_type->id()) ||
                  arrow::is_binary_view_like(values_type->id());
      if (needle.type->id() == Type::FIXED_SIZE_BINARY && text)
        needle = CastTo(std::move(needle), arrow::binary());
      needle = Plain(std::move(needle));
      if (values_type->Equals(*needle.type)) {
        converted = std::move(values);
      } else {
        auto placed = Place(*values, needle.type);
        if (!placed.ok()) {
          return placed.status().WithMessage(
              Describe(operand), " can't be compared with values of ", values_type->ToString(),
              ": ", placed.status().message());
        }
        converted = *placed;
      }
    }
    auto typed_options =
        std::make_shared<SetLookupOptions>(Datum(converted), options.GetNullMatchingBehavior());
    // Asked with few values, for the types alone.
    auto few = std::make_shared<SetLookupOptions>(Datum(converted->Slice(0, 0)));
    if (!TypeOfCall("is_in", {needle}, few).ok()) {
      return Status::TypeError("`in` can't be used with ", Describe(operand));
    }
    return Typed{call("is_in", {needle.expression}, std::move(typed_options)), arrow::boolean()};
  }

  static Result<std::shared_ptr<arrow::Array>> ValuesOf(const Datum& datum) {
    std::shared_ptr<arrow::Array> values;
    if (datum.is_array()) {
      values = datum.make_array();
    } else if (datum.chunked_array()->num_chunks() == 0) {
      ARROW_ASSIGN_OR_RAISE(values, arrow::MakeEmptyArray(datum.type()));
    } else {
      ARROW_ASSIGN_OR_RAISE(values, arrow::Concatenate(datum.chunked_array()->chunks()));
    }
    while (values->type_id() == Type::EXTENSION) {
      values = checked_cast<const arrow::ExtensionArray&>(*values).storage();
    }
    return values;
  }

  // The values that `type` has; those it has not are equal to nothing.
  static Result<std::shared_ptr<arrow::Array>> Place(const arrow::Array& values,
                                                     const std::shared_ptr<arrow::DataType>& type) {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(type));
    for (int64_t i = 0; i < values.length(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto scalar, values.GetScalar(i));
      ARROW_ASSIGN_OR_RAISE(scalar, PlainScalar(std::move(scalar)));
      if (!scalar->is_valid) {
        ARROW_RETURN_NOT_OK(builder->AppendNull());
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed, PlaceLiteral(*scalar, type));
      if (placed.position != Position::kExact) continue;
      ARROW_RETURN_NOT_OK(builder->AppendScalar(*placed.value));
      // is_in tells the two zeros apart. A zero that was no float means both.
      if (arrow::is_floating(type->id()) && !arrow::is_floating(scalar->type->id())) {
        ARROW_ASSIGN_OR_RAISE(PlacedLiteral zero, PlaceLiteral(arrow::DoubleScalar(0.0), type));
        if (!placed.value->Equals(*zero.value)) continue;
        ARROW_ASSIGN_OR_RAISE(PlacedLiteral negative_zero,
                              PlaceLiteral(arrow::DoubleScalar(-0.0), type));
        ARROW_RETURN_NOT_OK(builder->AppendScalar(*negative_zero.value));
      }
    }
    return builder->Finish();
  }

  // ---- other functions
  // -----------------------------------------------------------------------------------------

  // LIKE without wildcards is equality, and with one at the end a prefix: both can be pruned.
  Result<Typed> Like(Typed operand, const Options& options) {
    const auto& match = checked_cast<const arrow::compute::MatchSubstringOptions&>(*options);
    bool text = arrow::is_base_binary_like(Decoded(operand).type->id()) ||
                arrow::is_binary_view_like(Decoded(operand).type->id());
    size_t special = match.pattern.find_first_of("%_\\");
    if (text && !match.ignore_case) {
      if (special == std::string::npos) {
        return Compare("equal", std::move(operand), TypedLiteral(arrow::MakeScalar(match.pattern)));
      }
      if (match.pattern[special] == '%' && special + 1 == match.pattern.size()) {
        auto prefix = std::make_shared<arrow::compute::MatchSubstringOptions>(
            match.pattern.substr(0, special), false);
        return Other("starts_with", {std::move(operand)}, prefix);
      }
    }
    return Other("match_like", {std::move(operand)}, options);
  }

  // struct_field(s, "x") of a column is the nested column s.x.
  Result<std::optional<Typed>> StructField(const Typed& operand, const Options& options) {
    const arrow::FieldRef* parent = operand.expression.field_ref();
    if (parent == nullptr || operand.type->id() != Type::STRUCT) return std::nullopt;
    const auto& inner = checked_cast<const arrow::compute::StructFieldOptions&>(*options).field_ref;
    ARROW_ASSIGN_OR_RAISE(Typed column,
                          Column(arrow::FieldRef(std::vector<arrow::FieldRef>{*parent, inner})));
    return column;
  }

  // Functions whose value is one of their arguments.
  static bool ChoosesAmongItsArguments(const std::string& function) {
    return function == "if_else" || function == "coalesce" || function == "choose" ||
           function == "case_when" || function == "max_element_wise" ||
           function == "min_element_wise";
  }

  // Of decimals with different digits, and of timestamps with different units or zones, Arrow says
  // that there is a kernel, which then fails for the rows. They get a type that holds all of their
  // values.
  static Result<std::vector<Typed>> WithOneType(std::vector<Typed> arguments) {
    for (const auto& type : {DecimalOfAll(arguments), TimestampOfAll(arguments)}) {
      if (!type) continue;
      for (Typed& argument : arguments) {
        if (arrow::is_decimal(argument.type->id()) != arrow::is_decimal(type->id())) continue;
        if (argument.type->id() != Type::TIMESTAMP && type->id() == Type::TIMESTAMP) continue;
        const Scalar* scalar = argument.scalar();
        if (scalar != nullptr && scalar->is_valid && !argument.type->Equals(*type)) {
          ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed, PlaceLiteral(*scalar, type));
          if (placed.position == Position::kExact) argument = TypedLiteral(std::move(placed.value));
        }
        argument = CastTo(std::move(argument), type);
      }
    }
    return arguments;
  }

  // nullptr: there is none, or nothing to do. The same holds for the next one.
  static std::shared_ptr<arrow::DataType> DecimalOfAll(const std::vector<Typed>& arguments) {
    int32_t whole = 0, scale = 0;
    bool wide = false, any = false;
    for (const Typed& argument : arguments) {
      if (!arrow::is_decimal(argument.type->id())) continue;
      const auto& decimal = checked_cast<const arrow::DecimalType&>(*argument.type);
      whole = std::max(whole, decimal.precision() - decimal.scale());
      scale = std::max(scale, decimal.scale());
      wide = wide || argument.type->id() == Type::DECIMAL256;
      any = true;
    }
    const int32_t precision = std::max(whole + scale, 1);
    if (!any || precision > arrow::Decimal256Type::kMaxPrecision) return nullptr;
    wide = wide || precision > arrow::Decimal128Type::kMaxPrecision;
    return wide ? arrow::decimal256(precision, scale) : arrow::decimal128(precision, scale);
  }

  // The zone is that of the first column.
  static std::shared_ptr<arrow::DataType> TimestampOfAll(const std::vector<Typed>& arguments) {
    const arrow::TimestampType* first = nullptr;
    bool first_is_column = false;
    arrow::TimeUnit::type unit = arrow::TimeUnit::SECOND;
    for (const Typed& argument : arguments) {
      if (argument.type->id() != Type::TIMESTAMP) continue;
      const auto& timestamp = checked_cast<const arrow::TimestampType&>(*argument.type);
      if (first != nullptr && first->timezone().empty() != timestamp.timezone().empty()) {
        return nullptr;
      }
      unit = std::max(unit, timestamp.unit());
      const bool is_column = argument.scalar() == nullptr;
      if (first == nullptr || (is_column && !first_is_column)) {
        first = &timestamp;
        first_is_column = is_column;
      }
    }
    return first == nullptr ? nullptr : arrow::timestamp(unit, first->timezone());
  }

  // Arrow casts integers to decimals that hold all of the type's values, not just those at hand: so
  // by way of one that does.
  static Typed OnTheWayToDecimal(Typed form, const Options& options) {
    const auto* cast = dynamic_cast<const arrow::compute::CastOptions*>(options.get());
    if (cast == nullptr || !arrow::is_integer(form.type->id())) return form;
    const Type::type to = cast->to_type.id();
    if (to != Type::DECIMAL128 && to != Type::DECIMAL256) return form;
    const auto& decimal = checked_cast<const arrow::DecimalType&>(*cast->to_type.type);
    const auto digits = arrow::MaxDecimalDigitsForInteger(form.type->id());
    if (!digits.ok()) return form;
    const int32_t precision = *digits + decimal.scale();
    if (precision <= decimal.precision() || precision > arrow::Decimal256Type::kMaxPrecision) {
      return form;
    }
    return CastTo(std::move(form), precision <= arrow::Decimal128Type::kMaxPrecision
                                       ? arrow::decimal128(precision, decimal.scale())
                                       : arrow::decimal256(precision, decimal.scale()));
  }

  // Arrow's kernels, tried with the arguments as they are and then in forms that more kernels know.
  Result<Typed> Other(const std::string& function, std::vector<Typed> arguments,
                      const Options& options) {
    ARROW_ASSIGN_OR_RAISE(auto found, arrow::compute::GetFunctionRegistry()->GetFunction(function));
    // `cast` stands for many functions, all of them row by row.
    if (found->kind() != arrow::compute::Function::SCALAR && function != "cast") {
      return Status::TypeError("`", function, "` can't be used here: it doesn't work row by row");
    }
    auto attempt = [&](const std::vector<Typed>& forms) -> Result<Typed> {
      ARROW_ASSIGN_OR_RAISE(auto type, TypeOfCall(function, forms, options));
      std::vector<Expression> expressions;
      for (const Typed& form : forms) expressions.push_back(form.expression);
      return Typed{call(function, std::move(expressions), options), std::move(type)};
    };
    auto is_dictionary_of_views = [](const Typed& argument) {
      if (argument.type->id() != Type::DICTIONARY) return false;
      return arrow::is_binary_view_like(
          checked_cast<const arrow::DictionaryType&>(*argument.type).value_type()->id());
    };
    std::vector<Typed> forms = arguments;
    if (ChoosesAmongItsArguments(function)) {
      ARROW_ASSIGN_OR_RAISE(forms, WithOneType(std::move(forms)));
    }
    if (function == "cast") {
      for (Typed& form : forms) {
        if (is_dictionary_of_views(form)) form = Decoded(std::move(form));
        form = OnTheWayToDecimal(std::move(form), options);
      }
    }
    auto first = attempt(forms);
    if (first.ok()) return first;
    for (Typed& form : forms) form = Plain(std::move(form));
    auto plain = attempt(forms);
    if (plain.ok()) return plain;
    // Decimals whose result needs more than 38 digits. Before doubles, which are not exact.
    std::vector<Typed> wider = forms;
    for (Typed& form : wider) {
      if (form.type->id() != Type::DECIMAL128) continue;
      const auto& decimal = checked_cast<const arrow::DecimalType&>(*form.type);
      form = CastTo(std::move(form), arrow::decimal256(decimal.precision(), decimal.scale()));
    }
    auto wide = attempt(wider);
    if (wide.ok()) return wide;
    // Decimal literals as the doubles they stand for, where the function knows no decimals.
    std::vector<Typed> doubles = forms;
    for (Typed& form : doubles) {
      const Scalar* scalar = form.scalar();
      if (scalar == nullptr || !arrow::is_decimal(scalar->type->id())) continue;
      if (!scalar->is_valid) continue;
      ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed, PlaceLiteral(*scalar, arrow::float64()));
      form = TypedLiteral(std::move(placed.value));
    }
    auto with_doubles = attempt(doubles);
    if (with_doubles.ok()) return with_doubles;
    std::string described;
    for (const Typed& argument : arguments)
      described += (described.empty() ? "" : ", ") + Describe(argument);
    // Arrow says the types again where it has no kernel for them.
    std::string reason = first.status().message();
    reason = reason.find("has no kernel matching") == std::string::npos ? ": " + reason : "";
    return Status::TypeError("`", PlainFunctionName(function), "` can't be used with ", described,
                             reason);
  }

  // The comparison, if Arrow has a kernel for it.
  Result<Typed> Checked(Typed compared, const std::vector<Typed>& arguments) {
    if (compared.expression.literal() != nullptr) return compared;
    Type::type id = Decoded(arguments[0]).type->id();
    bool known = id != Type::INTERVAL_MONTH_DAY_NANO && id != Type::INTERVAL_DAY_TIME &&
                 id != Type::INTERVAL_MONTHS && !arrow::is_nested(id);
    if (known) return compared;
    return Status::TypeError(Describe(arguments[0]), " can't be compared with ",
                             Describe(arguments[1]),
                             ": there is no order or equality for such values");
  }

  const Schema& schema_;
};

}  // namespace

Result<Expression> Prepare(const Expression& expression, const std::shared_ptr<Schema>& schema) {
  ARROW_RETURN_NOT_OK(MakeComputeReady());
  ARROW_ASSIGN_OR_RAISE(Typed typed, Rewriter(*schema).Rewrite(expression));
  return std::move(typed.expression);
}

Result<Expression> PrepareFilter(const Expression& filter, const std::shared_ptr<Schema>& schema) {
  ARROW_RETURN_NOT_OK(MakeComputeReady());
  ARROW_ASSIGN_OR_RAISE(Typed typed, Rewriter(*schema).Rewrite(filter));
  if (typed.type->id() == Type::NA) typed = NullBoolean();
  Typed decoded = Decoded(typed);
  if (decoded.type->id() != Type::BOOL) {
    return Status::TypeError("A filter must evaluate to bool, but ", Describe(typed), " doesn't");
  }
  return std::move(decoded.expression);
}

Result<Expression> Bind(const Expression& expression, const std::shared_ptr<Schema>& schema) {
  ARROW_ASSIGN_OR_RAISE(Expression prepared, Prepare(expression, schema));
  return prepared.Bind(*schema);
}

}  // namespace shoal::expression

namespace shoal {

arrow::Result<arrow::compute::Expression> BindFilter(const arrow::compute::Expression& filter,
                                                     const std::shared_ptr<arrow::Schema>& schema) {
  ARROW_ASSIGN_OR_RAISE(auto prepared, expression::PrepareFilter(filter, schema));
  return prepared.Bind(*schema);
}

}  // namespace shoal
