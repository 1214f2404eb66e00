#include "expression/filter_functions.h"

#include <map>

#include <arrow/compute/api_scalar.h>
#include <arrow/compute/function.h>
#include <arrow/compute/registry.h>
#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>

namespace shoal::expression {
namespace {

using arrow::Result;
using arrow::Status;
using arrow::compute::call;
using arrow::compute::Expression;
using arrow::internal::checked_cast;

// Shorter names for Arrow's functions.
const std::map<std::string, std::string>& Aliases() {
  static const std::map<std::string, std::string> aliases = {{"lower", "utf8_lower"},
                                                             {"upper", "utf8_upper"},
                                                             {"length", "utf8_length"},
                                                             {"trim", "utf8_trim_whitespace"},
                                                             {"ltrim", "utf8_ltrim_whitespace"},
                                                             {"rtrim", "utf8_rtrim_whitespace"},
                                                             {"reverse", "utf8_reverse"},
                                                             {"ceiling", "ceil"},
                                                             {"pow", "power_checked"},
                                                             {"power", "power_checked"},
                                                             {"ln", "ln_checked"},
                                                             {"log10", "log10_checked"},
                                                             {"log2", "log2_checked"},
                                                             {"sqrt", "sqrt_checked"},
                                                             {"abs", "abs_checked"},
                                                             {"add", "add_checked"},
                                                             {"subtract", "subtract_checked"},
                                                             {"multiply", "multiply_checked"},
                                                             {"divide", "divide_checked"},
                                                             {"negate", "negate_checked"},
                                                             {"dayofweek", "day_of_week"},
                                                             {"dayofyear", "day_of_year"},
                                                             {"if", "if_else"},
                                                             {"greatest", "max_element_wise"},
                                                             {"least", "min_element_wise"}};
  return aliases;
}

struct PatternFunction {
  const char* function;
  bool ignore_case;
};

// Functions whose second argument is an option of Arrow's function.
const std::map<std::string, PatternFunction>& PatternFunctions() {
  static const std::map<std::string, PatternFunction> functions = {
      {"starts_with", {"starts_with", false}},  {"ends_with", {"ends_with", false}},
      {"contains", {"match_substring", false}}, {"regex", {"match_substring_regex", false}},
      {"istarts_with", {"starts_with", true}},  {"iends_with", {"ends_with", true}},
      {"icontains", {"match_substring", true}}, {"iregex", {"match_substring_regex", true}},
      {"like", {"match_like", false}},          {"ilike", {"match_like", true}}};
  return functions;
}

Result<Expression> MakePatternCall(const std::string& name, const PatternFunction& pattern_function,
                                   std::vector<Expression> arguments) {
  if (arguments.size() != 2) return Status::Invalid("`", name, "` takes a column and a text");
  const arrow::Datum* datum = arguments[1].literal();
  if (datum == nullptr || datum->type()->id() != arrow::Type::STRING ||
      !datum->scalar()->is_valid) {
    return Status::Invalid("`", name, "` needs a text in single quotes as its second argument");
  }
  std::string pattern(checked_cast<const arrow::StringScalar&>(*datum->scalar()).view());
  return call(
      pattern_function.function, {std::move(arguments[0])},
      arrow::compute::MatchSubstringOptions(std::move(pattern), pattern_function.ignore_case));
}

}  // namespace

Result<Expression> MakeFunctionCall(const std::string& name, std::vector<Expression> arguments) {
  auto pattern_function = PatternFunctions().find(name);
  if (pattern_function != PatternFunctions().end()) {
    return MakePatternCall(name, pattern_function->second, std::move(arguments));
  }
  auto alias = Aliases().find(name);
  const std::string& function_name = alias == Aliases().end() ? name : alias->second;
  auto found = arrow::compute::GetFunctionRegistry()->GetFunction(function_name);
  if (!found.ok()) return Status::Invalid("There is no function `", name, "`");
  const arrow::compute::Function& function = **found;
  if (function.kind() != arrow::compute::Function::SCALAR) {
    return Status::Invalid("`", name, "` does not work row by row");
  }
  if (function.doc().options_required) {
    return Status::Invalid("`", name, "` needs options, which can't be written in text");
  }
  auto count = static_cast<int>(arguments.size());
  const arrow::compute::Arity& arity = function.arity();
  if (arity.is_varargs ? count < arity.num_args : count != arity.num_args) {
    return Status::Invalid("`", name, "` takes ", arity.is_varargs ? "at least " : "",
                           arity.num_args, arity.num_args == 1 ? " argument" : " arguments",
                           ", not ", count);
  }
  return call(function_name, std::move(arguments));
}

std::string PlainFunctionName(const std::string& function) {
  std::string plainest;
  if (!function.starts_with("utf8_") && !function.ends_with("_checked")) return function;
  for (const auto& [name, target] : Aliases()) {
    // `power` rather than `pow`.
    if (target == function && function.find(name) != std::string::npos &&
        name.size() > plainest.size()) {
      plainest = name;
    }
  }
  return plainest.empty() ? function : plainest;
}

std::string PatternFunctionName(const std::string& function, bool ignore_case) {
  for (const auto& [name, pattern_function] : PatternFunctions()) {
    if (pattern_function.function == function && pattern_function.ignore_case == ignore_case)
      return name;
  }
  return "";
}

}  // namespace shoal::expression
