// Expressions in the words of the filter grammar. What is written means what the expression means,
// nulls included, so that it can be read back; a part that the grammar can't say is written in
// Arrow's form.
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include <arrow/array.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>

#include "expression/conjuncts.h"
#include "expression/filter_functions.h"
#include "expression/filter_lexer.h"
#include "expression/type_name.h"

namespace shoal::expression {
namespace {

using arrow::Scalar;
using arrow::Type;
using arrow::compute::Expression;
using arrow::internal::checked_cast;
using Text = std::optional<std::string>;  // none: the grammar can't say it

// How tightly the outermost operation binds.
enum Strength { kOr, kAnd, kNot, kPredicate, kSum, kProduct, kSigned, kPrimary };

struct Written {
  std::string text;
  Strength strength = kPrimary;
};

std::string Quoted(std::string_view value, char quote) {
  std::string quoted(1, quote);
  for (char c : value) {
    quoted += c;
    if (c == quote) quoted += quote;
  }
  return quoted + quote;
}

// A dotted name at the top is read back as it is; within a path the dot needs quotes.
std::string NameText(const std::string& name, bool dots_allowed) {
  static const std::map<std::string, int> keywords = {
      {"and", 0},   {"or", 0}, {"not", 0},  {"in", 0},    {"between", 0}, {"like", 0},
      {"ilike", 0}, {"is", 0}, {"true", 0}, {"false", 0}, {"null", 0},    {"as", 0}};
  bool plain = keywords.count(LowerCase(name)) == 0;
  char before = '.';
  for (char c : name + '.') {
    bool digit = c >= '0' && c <= '9';
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                  static_cast<unsigned char>(c) >= 0x80;
    // Every part begins with a letter.
    plain = plain && (letter || (before != '.' && (digit || c == '.')));
    before = c;
  }
  plain = plain && (dots_allowed || name.find('.') == std::string::npos);
  return plain ? name : Quoted(name, '"');
}

Text ColumnText(const arrow::FieldRef& ref, bool dots_allowed = true) {
  if (const std::string* name = ref.name()) return NameText(*name, dots_allowed);
  const std::vector<arrow::FieldRef>* refs = ref.nested_refs();
  if (refs == nullptr) return std::nullopt;
  std::string text;
  for (const arrow::FieldRef& part : *refs) {
    Text written = ColumnText(part, /*dots_allowed=*/false);
    if (!written) return std::nullopt;
    text += (text.empty() ? "" : ".") + *written;
  }
  return text;
}

template <typename Number>
Written FloatText(Number value, const char* type) {
  if (!std::isfinite(value)) {
    const char* name = std::isnan(value) ? "'nan'" : value < 0 ? "'-inf'" : "'inf'";
    return {std::string("cast(") + name + " as " + type + ")"};
  }
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {text, text[0] == '-' ? kSigned : kPrimary};
}

// The shortest text of a float names another double than the float is, unless the float is short
// itself, as 1.5 is. That it is a float32 has to be said then.
Written Float32Text(float value) {
  Written written = FloatText(value, "float32");
  if (!std::isfinite(value)) return written;
  const std::string& text = written.text;
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  if (read == value) return written;
  // Of a decimal the cast gives the nearest float, as far as Arrow's rounding goes; a double with
  // an exponent is sure.
  std::string number = text;
  if (number.find('e') == std::string::npos) {
    auto scale = static_cast<int32_t>(number.size() - number.find('.') - 1);
    auto decimal = arrow::Decimal128::FromString(number);
    if (!decimal.ok() || decimal->ToFloat(scale) != value) number += "e0";
  }
  return {"cast(" + number + " as float32)"};
}

// All digits of a decimal whose scale is not negative.
Text DecimalText(const Scalar& scalar) {
  const int32_t scale = checked_cast<const arrow::DecimalType&>(*scalar.type).scale();
  std::string digits;
  if (scalar.type->id() == Type::DECIMAL128) {
    digits = checked_cast<const arrow::Decimal128Scalar&>(scalar).value.ToIntegerString();
  } else if (scalar.type->id() == Type::DECIMAL256) {
    digits = checked_cast<const arrow::Decimal256Scalar&>(scalar).value.ToIntegerString();
  }
  if (digits.empty() || scale < 0) return std::nullopt;
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return (negative ? "-" : "") + digits;
}

std::optional<Written> LiteralText(const Scalar& scalar) {
  const arrow::DataType& type = *scalar.type;
  std::string type_name = TypeName(type);
  if (!scalar.is_valid) {
    if (type.id() == Type::NA || type.id() == Type::BOOL) return Written{"null"};
    if (type_name.empty()) return std::nullopt;
    return Written{"cast(null as " + type_name + ")"};
  }
  switch (type.id()) {
    case Type::BOOL:
      return Written{checked_cast<const arrow::BooleanScalar&>(scalar).value ? "true" : "false"};
    case Type::FLOAT:
      return Float32Text(checked_cast<const arrow::FloatScalar&>(scalar).value);
    case Type::DOUBLE:
      return FloatText(checked_cast<const arrow::DoubleScalar&>(scalar).value, "float64");
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      return Written{Quoted(checked_cast<const arrow::BaseBinaryScalar&>(scalar).view(), '\'')};
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
    case Type::FIXED_SIZE_BINARY: {
      std::string_view bytes = checked_cast<const arrow::BaseBinaryScalar&>(scalar).view();
      arrow::util::InitializeUTF8();
      if (!arrow::util::ValidateUTF8(bytes)) return std::nullopt;
      return Written{"cast(" + Quoted(bytes, '\'') + " as " + type_name + ")"};
    }
    case Type::DATE32:
      return Written{"date '" + scalar.ToString() + "'"};
    case Type::DATE64:
      return Written{"cast(date '" + scalar.ToString() + "' as date64)"};
    case Type::TIME32:
    case Type::TIME64:
      return Written{"time '" + scalar.ToString() + "'"};
    case Type::TIMESTAMP: {
      std::string text = scalar.ToString();
      if (text.size() > 10 && text[10] == ' ') text[10] = 'T';
      return Written{"timestamp '" + text + "'"};
    }
    case Type::DURATION: {
      std::string count = std::to_string(checked_cast<const arrow::DurationScalar&>(scalar).value);
      return Written{"cast(" + count + " as " + type_name + ")"};
    }
    default:
      break;
  }
  if (!arrow::is_integer(type.id()) && !arrow::is_decimal(type.id())) return std::nullopt;
  std::string text = scalar.ToString();
  // Arrow writes small decimals with an exponent, which would make doubles of them.
  if (text.find_first_of("eE") != std::string::npos) {
    Text plain = DecimalText(scalar);
    if (!plain) return std::nullopt;
    text = *std::move(plain);
  }
  // The zeros of the wide type that text is compared in say nothing.
  if (type.id() == Type::DECIMAL256 && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return Written{text, text[0] == '-' ? kSigned : kPrimary};
}

const std::map<std::string, std::string>& ComparisonSymbols() {
  static const std::map<std::string, std::string> symbols = {
      {"equal", "="},       {"not_equal", "!="}, {"less", "<"},
      {"less_equal", "<="}, {"greater", ">"},    {"greater_equal", ">="}};
  return symbols;
}

struct Arithmetic {
  const char* symbol;
  Strength strength;
};

const std::map<std::string, Arithmetic>& ArithmeticSymbols() {
  static const std::map<std::string, Arithmetic> symbols = {{"add_checked", {"+", kSum}},
                                                            {"subtract_checked", {"-", kSum}},
                                                            {"multiply_checked", {"*", kProduct}},
                                                            {"divide_checked", {"/", kProduct}}};
  return symbols;
}

class Writer {
 public:
  // `null_is_false`: the part stands where a null has the effect of false, so that it may be
  // written as either.
  Written Write(const Expression& expression, bool null_is_false) {
    std::optional<Written> written;
    if (++depth_ <= kMaxDepth) written = Try(expression, null_is_false);
    --depth_;
    if (written) return *std::move(written);
    if (!expression.is_valid()) return {"(nothing)", kOr};
    // Arrow writes bytes as "FF00", which would be read as the name of a column.
    if (expression.literal() != nullptr) return {"{" + expression.ToString() + "}", kPrimary};
    return {expression.ToString(), kOr};
  }

 private:
  static constexpr int kMaxDepth = 1000;

  // The members of a set. What `in` says of a text is what `=` says: NaN is equal to nothing, and
  // the zeros are equal. Looking up a set of floats finds NaN and tells the zeros apart, so these
  // are written beside it, or not at all.
  struct Members {
    std::string others;  // those that are not null or NaN, with commas
    bool has_null = false;
    bool has_nan = false;
    // With the null, if there is one.
    std::string all() const {
      return !has_null ? others : others.empty() ? "null" : others + ", null";
    }
  };

  std::string At(const Expression& expression, Strength least, bool null_is_false = false) {
    Written written = Write(expression, null_is_false);
    return written.strength < least ? "(" + written.text + ")" : written.text;
  }

  std::optional<Written> Try(const Expression& expression, bool null_is_false) {
    if (!expression.is_valid()) return std::nullopt;
    if (const arrow::Datum* datum = expression.literal()) {
      if (!datum->is_scalar()) return std::nullopt;
      return LiteralText(*datum->scalar());
    }
    if (const arrow::FieldRef* ref = expression.field_ref()) {
      Text text = ColumnText(*ref);
      if (!text) return std::nullopt;
      return Written{*text};
    }
    return TryCall(*expression.call(), null_is_false);
  }

  std::optional<Written> TryCall(const Expression::Call& call, bool null_is_false) {
    const std::string& name = call.function_name;
    const std::vector<Expression>& arguments = call.arguments;
    if (arguments.size() == 2) {
      bool is_and = name == "and_kleene" || (name == "and" && null_is_false);
      if (is_and || name == "or_kleene") {
        Strength strength = is_and ? kAnd : kOr;
        // An `or` inside an `and` is put in parentheses and the other way round, for the reader.
        std::string left = At(arguments[0], strength, null_is_false);
        std::string right = At(arguments[1], strength, null_is_false);
        return Written{left + (is_and ? " and " : " or ") + right, strength};
      }
      auto comparison = ComparisonSymbols().find(name);
      if (comparison != ComparisonSymbols().end()) {
        return Written{
            At(arguments[0], kSum) + " " + comparison->second + " " + At(arguments[1], kSum),
            kPredicate};
      }
      auto arithmetic = ArithmeticSymbols().find(name);
      if (arithmetic != ArithmeticSymbols().end()) {
        Strength strength = arithmetic->second.strength;
        auto above = static_cast<Strength>(strength + 1);
        return Written{At(arguments[0], strength) + " " + arithmetic->second.symbol + " " +
                           At(arguments[1], above),
                       strength};
      }
    }
    if (arguments.size() == 1) {
      std::optional<Written> unary = TryUnary(call, null_is_false);
      if (unary) return unary;
    }
    if (HasOptionsThatMatter(call)) return std::nullopt;
    auto buildable = MakeFunctionCall(name, arguments);
    if (!buildable.ok() || buildable->call()->function_name != name) return std::nullopt;
    std::string text = PlainFunctionName(name) + "(";
    for (size_t i = 0; i < arguments.size(); ++i)
      text += (i > 0 ? ", " : "") + At(arguments[i], kOr);
    return Written{text + ")"};
  }

  std::optional<Written> TryUnary(const Expression::Call& call, bool null_is_false) {
    const std::string& name = call.function_name;
    const Expression& operand = call.arguments[0];
    if (name == "invert") return Inverted(operand);
    if (name == "is_null") {
      if (call.options &&
          checked_cast<const arrow::compute::NullOptions&>(*call.options).nan_is_null) {
        return std::nullopt;
      }
      return Written{At(operand, kSum) + " is null", kPredicate};
    }
    if (name == "is_valid") return Written{At(operand, kSum) + " is not null", kPredicate};
    if (name == "is_nan") return Written{At(operand, kSum) + " is nan", kPredicate};
    if (name == "negate_checked") return Written{"-" + At(operand, kPrimary), kSigned};
    if (name == "is_in" && call.options) return In(call, null_is_false);
    if (name == "cast" && call.options) {
      const auto& options = checked_cast<const arrow::compute::CastOptions&>(*call.options);
      if (!options.is_safe() || options.to_type.type == nullptr) return std::nullopt;
      std::string type = TypeName(*options.to_type.type);
      if (type.empty()) return std::nullopt;
      return Written{"cast(" + At(operand, kOr) + " as " + type + ")"};
    }
    const auto* match =
        dynamic_cast<const arrow::compute::MatchSubstringOptions*>(call.options.get());
    if (match == nullptr) return std::nullopt;
    std::string pattern = Quoted(match->pattern, '\'');
    if (name == "match_like") {
      return Written{At(operand, kSum) + (match->ignore_case ? " ilike " : " like ") + pattern,
                     kPredicate};
    }
    std::string function = PatternFunctionName(name, match->ignore_case);
    if (function.empty()) return std::nullopt;
    return Written{function + "(" + At(operand, kOr) + ", " + pattern + ")"};
  }

  std::optional<Written> NotIn(const Expression& operand, const Members& members,
                               const arrow::compute::SetLookupOptions& options) {
    std::string needle = At(operand, kSum);
    std::string not_in = needle + " not in (" + members.all() + ")";
    const bool nothing_else = members.others.empty();
    switch (options.GetNullMatchingBehavior()) {
      case arrow::compute::SetLookupOptions::INCONCLUSIVE:
        return Written{not_in, kPredicate};
      case arrow::compute::SetLookupOptions::EMIT_NULL:
        if (members.has_null) return std::nullopt;
        return Written{not_in, kPredicate};
      case arrow::compute::SetLookupOptions::MATCH:
        if (nothing_else) return std::nullopt;
        not_in = needle + " not in (" + members.others + ")";
        if (members.has_null) return Written{needle + " is not null and " + not_in, kAnd};
        return Written{needle + " is null or " + not_in, kOr};
      case arrow::compute::SetLookupOptions::SKIP:
        if (nothing_else) return std::nullopt;
        return Written{needle + " is null or " + needle + " not in (" + members.others + ")", kOr};
    }
    return std::nullopt;
  }

  std::optional<Written> Inverted(const Expression& operand) {
    if (const auto* inner = operand.call(); inner != nullptr && inner->arguments.size() == 1) {
      const Expression& inner_operand = inner->arguments[0];
      if (inner->function_name == "is_in" && inner->options) {
        const auto& options =
            checked_cast<const arrow::compute::SetLookupOptions&>(*inner->options);
        std::optional<Members> members = MembersOf(options.value_set);
        if (!members || members->all().empty()) return std::nullopt;
        if (!members->has_nan) return NotIn(inner_operand, *members, options);
      }
      if (inner->function_name == "is_nan")
        return Written{At(inner_operand, kSum) + " is not nan", kPredicate};
      if (inner->function_name == "match_like" && inner->options) {
        const auto& match =
            checked_cast<const arrow::compute::MatchSubstringOptions&>(*inner->options);
        return Written{At(inner_operand, kSum) +
                           (match.ignore_case ? " not ilike " : " not like ") +
                           Quoted(match.pattern, '\''),
                       kPredicate};
      }
    }
    return Written{"not " + At(operand, kPrimary), kNot};
  }

  std::optional<Written> In(const Expression::Call& call, bool null_is_false) {
    const auto& options = checked_cast<const arrow::compute::SetLookupOptions&>(*call.options);
    using Behavior = arrow::compute::SetLookupOptions::NullMatchingBehavior;
    Behavior behavior = options.GetNullMatchingBehavior();
    std::optional<Members> members = MembersOf(options.value_set);
    if (!members) return std::nullopt;
    std::string needle = At(call.arguments[0], kSum);
    // `values in (...)`, or the same with NaN; empty: no value is looked for.
    auto in = [&](const std::string& values) -> Written {
      std::string list = values.empty() ? "" : needle + " in (" + values + ")";
      if (!members->has_nan) return {list, kPredicate};
      std::string nan = needle + " is nan";
      return list.empty() ? Written{nan, kPredicate} : Written{nan + " or " + list, kOr};
    };
    if (behavior == Behavior::INCONCLUSIVE ||
        (behavior == Behavior::EMIT_NULL && !members->has_null)) {
      Written all = in(members->all());
      if (all.text.empty()) return std::nullopt;
      return all;
    }
    Written others = in(members->others);
    // Where x is null, the rest is null, and `true or null` is true.
    if (behavior == Behavior::MATCH && members->has_null) {
      if (others.text.empty()) return Written{needle + " is null", kPredicate};
      return Written{needle + " is null or " + others.text, kOr};
    }
    if (others.text.empty()) return std::nullopt;
    if (behavior == Behavior::EMIT_NULL || null_is_false) return others;
    return Written{"coalesce(" + others.text + ", false)"};
  }

  std::optional<Members> MembersOf(const arrow::Datum& value_set) {
    if (!value_set.is_arraylike()) return std::nullopt;
    Members members;
    bool zeros[2] = {false, false};
    for (const auto& chunk : value_set.chunks()) {
      for (int64_t i = 0; i < chunk->length(); ++i) {
        if (chunk->IsNull(i)) {
          members.has_null = true;
          continue;
        }
        auto scalar = chunk->GetScalar(i);
        if (!scalar.ok()) return std::nullopt;
        if (auto number = FloatOf(**scalar)) {
          if (std::isnan(*number)) {
            members.has_nan = true;
            continue;
          }
          if (*number == 0) {
            const bool first = !zeros[0] && !zeros[1];
            zeros[std::signbit(*number) ? 1 : 0] = true;
            if (!first) continue;
          }
        }
        std::optional<Written> written = LiteralText(**scalar);
        if (!written) return std::nullopt;
        members.others += (members.others.empty() ? "" : ", ") + written->text;
      }
    }
    if (zeros[0] != zeros[1]) return std::nullopt;
    return members;
  }

  static std::optional<double> FloatOf(const Scalar& scalar) {
    if (scalar.type->id() == Type::FLOAT)
      return checked_cast<const arrow::FloatScalar&>(scalar).value;
    if (scalar.type->id() == Type::DOUBLE)
      return checked_cast<const arrow::DoubleScalar&>(scalar).value;
    return std::nullopt;
  }

  // Options that are not those a function has without any.
  static bool HasOptionsThatMatter(const Expression::Call& call) {
    if (!call.options) return false;
    auto plain = MakeFunctionCall(call.function_name, call.arguments);
    if (!plain.ok() || plain->call() == nullptr) return true;
    auto bound = call.function;
    const arrow::compute::FunctionOptions* defaults = bound ? bound->default_options() : nullptr;
    return defaults == nullptr || !call.options->Equals(*defaults);
  }

  int depth_ = 0;
};

}  // namespace

std::string ToText(const Expression& expression) { return Writer().Write(expression, true).text; }

}  // namespace shoal::expression
