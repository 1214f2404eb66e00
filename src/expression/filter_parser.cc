// Recursive descent over the grammar of docs/filters.md. Nesting is limited, since everything that
// handles the result is recursive too; lists of AND and OR may be of any length and become balanced
// trees.
#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include <shoal/filter.h>

#include "expression/compute_ready.h"
#include "expression/filter_functions.h"
#include "expression/filter_lexer.h"
#include "expression/literal_conversion.h"
#include "expression/type_name.h"

namespace shoal::expression {
namespace {

using arrow::Datum;
using arrow::FieldRef;
using arrow::Result;
using arrow::Scalar;
using arrow::Status;
using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::literal;
using ScalarPointer = std::shared_ptr<Scalar>;

constexpr int kMaxNesting = 400;

const std::set<std::string, std::less<>>& Keywords() {
  static const std::set<std::string, std::less<>> keywords = {
      "and", "or", "not", "in", "between", "like", "ilike", "is", "true", "false", "null"};
  return keywords;
}

// Written with a point: a decimal of just the digits written, so that it is exact. With an
// exponent: a double.
Result<ScalarPointer> NumberOf(const std::string& spelling, bool negative) {
  if (spelling.find_first_of("eE") != std::string::npos) {
    double value = 0;
    auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
    if (error != std::errc()) return Status::Invalid("This number is out of range");
    return arrow::MakeScalar(negative ? -value : value);
  }
  std::string digits;
  int32_t scale = 0;
  bool after_point = false;
  for (char c : spelling) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (!(digits.empty() && c == '0')) digits += c;
    if (after_point) ++scale;
  }
  if (scale == 0) {
    // `1.` is the integer 1.
    uint64_t magnitude = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (digits.empty() || error == std::errc()) {
      constexpr auto kGreatest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      if (negative && magnitude == kGreatest + 1)
        return arrow::MakeScalar(std::numeric_limits<int64_t>::min());
      if (magnitude <= kGreatest) {
        auto value = static_cast<int64_t>(magnitude);
        return arrow::MakeScalar(negative ? -value : value);
      }
      if (!negative) return arrow::MakeScalar(magnitude);
    }
  }
  auto precision = std::max<int32_t>(static_cast<int32_t>(digits.size()), std::max(scale, 1));
  if (precision > arrow::Decimal256Type::kMaxPrecision) {
    return Status::Invalid("This number has more than ", arrow::Decimal256Type::kMaxPrecision,
                           " digits");
  }
  ARROW_ASSIGN_OR_RAISE(auto value, arrow::Decimal256::FromString((negative ? "-" : "") +
                                                                  (digits.empty() ? "0" : digits)));
  if (precision <= arrow::Decimal128Type::kMaxPrecision) {
    auto words = value.little_endian_array();
    return std::make_shared<arrow::Decimal128Scalar>(
        arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]),
        arrow::decimal128(precision, scale));
  }
  return std::make_shared<arrow::Decimal256Scalar>(value, arrow::decimal256(precision, scale));
}

FieldRef ColumnOf(const Token& token) {
  if (token.parts.size() == 1) return FieldRef(token.parts[0]);
  if (token.quoted) {
    std::vector<FieldRef> parts(token.parts.begin(), token.parts.end());
    return FieldRef(std::move(parts));
  }
  // Whether `s.x` is a column of that name or a field of `s` is decided by the schema.
  std::string name;
  for (const std::string& part : token.parts) name += (name.empty() ? "" : ".") + part;
  return FieldRef(std::move(name));
}

struct Parsed {
  Expression expression;
  int height = 0;  // of the tree
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<Expression> Filter() {
    if (At().kind == TokenKind::kEnd) return Status::Invalid("The filter is empty");
    ARROW_ASSIGN_OR_RAISE(Parsed parsed, Or());
    if (At().kind != TokenKind::kEnd) return Expected("`and`, `or` or the end");
    return std::move(parsed.expression);
  }

  Result<FieldRef> Column() {
    if (!AtColumn()) return Expected("a column name");
    Token name = Next();
    if (At().kind != TokenKind::kEnd) return Expected("the end");
    return ColumnOf(name);
  }

 private:
  // ---- tokens
  // --------------------------------------------------------------------------------------------------

  const Token& At(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& Next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }

  bool IsWord(const Token& token, std::string_view word) const {
    return token.kind == TokenKind::kName && !token.quoted && token.parts.size() == 1 &&
           LowerCase(token.value()) == word;
  }
  bool IsSymbol(const Token& token, std::string_view symbol) const {
    return token.kind == TokenKind::kSymbol && token.value() == symbol;
  }
  bool TakeWord(std::string_view word) {
    if (!IsWord(At(), word)) return false;
    Next();
    return true;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (!IsSymbol(At(), symbol)) return false;
    Next();
    return true;
  }
  bool AtColumn() const {
    const Token& token = At();
    if (token.kind != TokenKind::kName) return false;
    return token.quoted || token.parts.size() > 1 ||
           Keywords().count(LowerCase(token.value())) == 0;
  }

  Status Expected(const std::string& what) const {
    const Token& token = At();
    std::string found =
        token.kind == TokenKind::kEnd
            ? "the end"
            : "`" + std::string(text_.substr(token.begin, token.end - token.begin)) + "`";
    if (found.size() > 42) found = found.substr(0, 40) + "...";
    return ErrorAt(text_, token.begin, "Expected " + what + " but found " + found);
  }
  Status Refuse(const Token& token, const std::string& problem) const {
    return ErrorAt(text_, token.begin, problem);
  }
  Status Take(std::string_view symbol) {
    if (!TakeSymbol(symbol)) return Expected("`" + std::string(symbol) + "`");
    return Status::OK();
  }

  // Counts how deep we are in the grammar while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser* parser) : parser_(parser) { ++parser_->nesting_; }
    ~Nesting() { --parser_->nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser* parser_;
  };
  Status CheckNesting(int depth) const {
    if (depth <= kMaxNesting) return Status::OK();
    return Refuse(At(), "The filter is nested more than " + std::to_string(kMaxNesting) + " deep");
  }

  Result<Parsed> Combine(const std::string& function, std::vector<Parsed> parts,
                         std::shared_ptr<arrow::compute::FunctionOptions> options = nullptr) {
    Parsed combined;
    std::vector<Expression> arguments;
    for (Parsed& part : parts) {
      combined.height = std::max(combined.height, part.height + 1);
      arguments.push_back(std::move(part.expression));
    }
    ARROW_RETURN_NOT_OK(CheckNesting(combined.height));
    combined.expression = call(function, std::move(arguments), std::move(options));
    return combined;
  }

  Result<Parsed> Balanced(const std::string& function, std::vector<Parsed> parts) {
    while (parts.size() > 1) {
      std::vector<Parsed> half;
      for (size_t i = 0; i + 1 < parts.size(); i += 2) {
        ARROW_ASSIGN_OR_RAISE(Parsed pair, Combine(function, {parts[i], parts[i + 1]}));
        half.push_back(std::move(pair));
      }
      if (parts.size() % 2 == 1) half.push_back(std::move(parts.back()));
      parts = std::move(half);
    }
    return std::move(parts[0]);
  }

  static Parsed Literal(ScalarPointer scalar) { return {literal(Datum(std::move(scalar))), 0}; }

  // ---- logic
  // ---------------------------------------------------------------------------------------------------

  Result<Parsed> Or() {
    Nesting nesting(this);
    ARROW_RETURN_NOT_OK(CheckNesting(nesting_));
    std::vector<Parsed> parts;
    do {
      ARROW_ASSIGN_OR_RAISE(Parsed part, And());
      parts.push_back(std::move(part));
    } while (TakeWord("or") || TakeSymbol("||"));
    return Balanced("or_kleene", std::move(parts));
  }

  Result<Parsed> And() {
    std::vector<Parsed> parts;
    do {
      ARROW_ASSIGN_OR_RAISE(Parsed part, Not());
      parts.push_back(std::move(part));
    } while (TakeWord("and") || TakeSymbol("&&"));
    return Balanced("and_kleene", std::move(parts));
  }

  Result<Parsed> Not() {
    Nesting nesting(this);
    ARROW_RETURN_NOT_OK(CheckNesting(nesting_));
    if (TakeWord("not") || TakeSymbol("!")) {
      ARROW_ASSIGN_OR_RAISE(Parsed operand, Not());
      return Negated(std::move(operand));
    }
    return Predicate();
  }

  Result<Parsed> Negated(Parsed operand) { return Combine("invert", {std::move(operand)}); }

  // ---- predicates
  // ----------------------------------------------------------------------------------------------

  static std::string ComparisonFunction(const Token& token) {
    if (token.kind != TokenKind::kSymbol) return "";
    const std::string& symbol = token.value();
    if (symbol == "=" || symbol == "==") return "equal";
    if (symbol == "!=" || symbol == "<>") return "not_equal";
    if (symbol == "<") return "less";
    if (symbol == "<=") return "less_equal";
    if (symbol == ">") return "greater";
    if (symbol == ">=") return "greater_equal";
    return "";
  }

  Result<Parsed> Predicate() {
    ARROW_ASSIGN_OR_RAISE(Parsed left, Sum());
    std::string function = ComparisonFunction(At());
    if (!function.empty()) {
      Next();
      ARROW_ASSIGN_OR_RAISE(Parsed right, Sum());
      if (!ComparisonFunction(At()).empty()) {
        return Refuse(
            At(), "Comparisons can't be chained; write `a < b and b < c`, or `b between a and c`");
      }
      return Combine(function, {std::move(left), std::move(right)});
    }
    if (TakeWord("is")) return Is(std::move(left));
    bool negated = IsWord(At(), "not") && (IsWord(At(1), "in") || IsWord(At(1), "between") ||
                                           IsWord(At(1), "like") || IsWord(At(1), "ilike"));
    if (negated) Next();
    Result<Parsed> predicate = std::move(left);
    if (TakeWord("in")) {
      predicate = In(std::move(*predicate));
    } else if (TakeWord("between")) {
      predicate = Between(std::move(*predicate));
    } else if (IsWord(At(), "like") || IsWord(At(), "ilike")) {
      bool ignore_case = IsWord(Next(), "ilike");
      predicate = Like(std::move(*predicate), ignore_case);
    }
    if (!predicate.ok() || !negated) return predicate;
    return Negated(std::move(*predicate));
  }

  Result<Parsed> Is(Parsed operand) {
    bool negated = TakeWord("not");
    if (TakeWord("null")) return Combine(negated ? "is_valid" : "is_null", {std::move(operand)});
    Result<Parsed> test = Parsed{};
    if (TakeWord("nan")) {
      test = Combine("is_nan", {std::move(operand)});
    } else if (TakeWord("true")) {
      test = Combine("coalesce", {std::move(operand), Literal(arrow::MakeScalar(false))});
    } else if (TakeWord("false")) {
      ARROW_ASSIGN_OR_RAISE(Parsed inverted, Negated(std::move(operand)));
      test = Combine("coalesce", {std::move(inverted), Literal(arrow::MakeScalar(false))});
    } else {
      return Expected("`null`, `nan`, `true` or `false`");
    }
    if (!test.ok() || !negated) return test;
    return Negated(std::move(*test));
  }

  Result<Parsed> Between(Parsed operand) {
    ARROW_ASSIGN_OR_RAISE(Parsed low, Sum());
    if (!TakeWord("and")) return Expected("`and` and the upper end");
    ARROW_ASSIGN_OR_RAISE(Parsed high, Sum());
    ARROW_ASSIGN_OR_RAISE(Parsed above, Combine("greater_equal", {operand, std::move(low)}));
    ARROW_ASSIGN_OR_RAISE(Parsed below,
                          Combine("less_equal", {std::move(operand), std::move(high)}));
    return Combine("and_kleene", {std::move(above), std::move(below)});
  }

  Result<Parsed> Like(Parsed operand, bool ignore_case) {
    if (At().kind != TokenKind::kText) return Expected("a pattern in single quotes");
    return Combine(
        "match_like", {std::move(operand)},
        std::make_shared<arrow::compute::MatchSubstringOptions>(Next().value(), ignore_case));
  }

  Result<Parsed> In(Parsed operand) {
    bool brackets = IsSymbol(At(), "[");
    if (!brackets && !IsSymbol(At(), "(")) return Expected("`(` and a list of values");
    Next();
    std::vector<Parsed> members;
    do {
      ARROW_ASSIGN_OR_RAISE(Parsed member, Sum());
      members.push_back(std::move(member));
    } while (TakeSymbol(","));
    ARROW_RETURN_NOT_OK(Take(brackets ? "]" : ")"));
    ARROW_ASSIGN_OR_RAISE(auto values, SetOf(members));
    if (values) {
      // As in SQL, a null in the list or in the column makes the answer unknown.
      return Combine("is_in", {std::move(operand)},
                     std::make_shared<arrow::compute::SetLookupOptions>(
                         Datum(values), arrow::compute::SetLookupOptions::INCONCLUSIVE));
    }
    std::vector<Parsed> equalities;
    for (Parsed& member : members) {
      ARROW_ASSIGN_OR_RAISE(Parsed equality, Combine("equal", {operand, std::move(member)}));
      equalities.push_back(std::move(equality));
    }
    return Balanced("or_kleene", std::move(equalities));
  }

  // The members as an array, if they are literals of one type, or numbers that are exact in one
  // type.
  static Result<std::shared_ptr<arrow::Array>> SetOf(const std::vector<Parsed>& members) {
    std::vector<ScalarPointer> scalars;
    std::shared_ptr<arrow::DataType> type = arrow::null();
    bool one_type = true;
    bool exact_numbers = true;
    int32_t whole_digits = 1;
    int32_t scale = 0;
    for (const Parsed& member : members) {
      const Datum* datum = member.expression.literal();
      if (datum == nullptr) return nullptr;
      scalars.push_back(datum->scalar());
      const auto& member_type = datum->type();
      if (member_type->id() == arrow::Type::NA) continue;
      if (type->id() == arrow::Type::NA) type = member_type;
      one_type = one_type && member_type->Equals(*type);
      if (arrow::is_decimal(member_type->id())) {
        const auto& decimal =
            arrow::internal::checked_cast<const arrow::DecimalType&>(*member_type);
        whole_digits = std::max(whole_digits, decimal.precision() - decimal.scale());
        scale = std::max(scale, decimal.scale());
      } else if (arrow::is_integer(member_type->id())) {
        whole_digits = std::max(whole_digits, 20);
      } else {
        exact_numbers = false;
      }
    }
    if (!one_type) {
      if (!exact_numbers || whole_digits + scale > arrow::Decimal256Type::kMaxPrecision)
        return nullptr;
      type = arrow::decimal256(whole_digits + scale, scale);
    }
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(type));
    for (const ScalarPointer& scalar : scalars) {
      if (!scalar->is_valid) {
        ARROW_RETURN_NOT_OK(builder->AppendNull());
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed, PlaceLiteral(*scalar, type));
      ARROW_RETURN_NOT_OK(builder->AppendScalar(*placed.value));
      // Looking up tells the zeros apart; a text means what `=` would.
      if (type->id() == arrow::Type::DOUBLE) {
        const auto value =
            arrow::internal::checked_cast<const arrow::DoubleScalar&>(*placed.value).value;
        if (value == 0) ARROW_RETURN_NOT_OK(builder->AppendScalar(arrow::DoubleScalar(-value)));
      }
    }
    return builder->Finish();
  }

  // ---- values
  // --------------------------------------------------------------------------------------------------

  Result<Parsed> Sum() {
    ARROW_ASSIGN_OR_RAISE(Parsed sum, Product());
    while (IsSymbol(At(), "+") || IsSymbol(At(), "-")) {
      bool plus = Next().value() == "+";
      ARROW_ASSIGN_OR_RAISE(Parsed right, Product());
      ARROW_ASSIGN_OR_RAISE(sum, Combine(plus ? "add_checked" : "subtract_checked",
                                         {std::move(sum), std::move(right)}));
    }
    return sum;
  }

  Result<Parsed> Product() {
    ARROW_ASSIGN_OR_RAISE(Parsed product, Signed());
    while (IsSymbol(At(), "*") || IsSymbol(At(), "/")) {
      bool times = Next().value() == "*";
      ARROW_ASSIGN_OR_RAISE(Parsed right, Signed());
      ARROW_ASSIGN_OR_RAISE(product, Combine(times ? "multiply_checked" : "divide_checked",
                                             {std::move(product), std::move(right)}));
    }
    return product;
  }

  Result<Parsed> Signed() {
    Nesting nesting(this);
    ARROW_RETURN_NOT_OK(CheckNesting(nesting_));
    if (TakeSymbol("+")) return Signed();
    if (!TakeSymbol("-")) return Primary();
    if (At().kind == TokenKind::kNumber) return Number(Next(), true);
    ARROW_ASSIGN_OR_RAISE(Parsed operand, Signed());
    return Combine("negate_checked", {std::move(operand)});
  }

  Result<Parsed> Number(const Token& token, bool negative) {
    auto number = NumberOf(token.value(), negative);
    if (!number.ok()) return Refuse(token, number.status().message());
    return Literal(*number);
  }

  Result<Parsed> Primary() {
    const Token& token = At();
    switch (token.kind) {
      case TokenKind::kNumber:
        return Number(Next(), false);
      case TokenKind::kText:
        return Literal(arrow::MakeScalar(Next().value()));
      case TokenKind::kSymbol:
        if (TakeSymbol("(")) {
          ARROW_ASSIGN_OR_RAISE(Parsed inner, Or());
          ARROW_RETURN_NOT_OK(Take(")"));
          return inner;
        }
        break;
      case TokenKind::kName:
        return Named();
      case TokenKind::kEnd:
        break;
    }
    return Expected("a column, a value or `(`");
  }

  Result<Parsed> Named() {
    if (TakeWord("true")) return Literal(arrow::MakeScalar(true));
    if (TakeWord("false")) return Literal(arrow::MakeScalar(false));
    if (TakeWord("null")) return Literal(std::make_shared<arrow::NullScalar>());
    if (At(1).kind == TokenKind::kText) {
      if (IsWord(At(), "date") || IsWord(At(), "timestamp") || IsWord(At(), "time"))
        return Moment();
    }
    // Keywords are functions too where a parenthesis follows (`like(s, 'a%')`), but for these.
    const Token& token = At();
    if (IsSymbol(At(1), "(") && !token.quoted && token.parts.size() == 1) {
      std::string name = LowerCase(token.value());
      bool keyword = Keywords().count(name) > 0 && name != "like" && name != "ilike";
      if (!keyword) return name == "cast" ? CastCall() : FunctionCall();
    }
    if (!AtColumn()) return Expected("a column, a value or `(`");
    return Parsed{arrow::compute::field_ref(ColumnOf(Next())), 0};
  }

  Result<Parsed> Moment() {
    std::string kind = LowerCase(Next().value());
    const Token& token = Next();
    auto moment = kind == "time" ? ParseTime(token.value()) : ParseDateOrTimestamp(token.value());
    if (!moment.ok()) return Refuse(token, moment.status().message());
    bool is_date = (*moment)->type->id() == arrow::Type::DATE32;
    if (kind == "date" && !is_date)
      return Refuse(token, "'" + token.value() + "' is no date (2024-01-31)");
    if (kind == "timestamp" && is_date) {
      ARROW_ASSIGN_OR_RAISE(PlacedLiteral placed,
                            PlaceLiteral(**moment, arrow::timestamp(arrow::TimeUnit::SECOND)));
      return Literal(std::move(placed.value));
    }
    return Literal(*moment);
  }

  Result<Parsed> CastCall() {
    Next();
    ARROW_RETURN_NOT_OK(Take("("));
    ARROW_ASSIGN_OR_RAISE(Parsed operand, Or());
    if (!TakeWord("as")) return Expected("`as` and a type");
    // A type is what lies between here and the parenthesis that closes the call.
    Token first = At();
    size_t end = first.begin;
    int open = 0;
    while (At().kind != TokenKind::kEnd && !(open == 0 && IsSymbol(At(), ")"))) {
      if (IsSymbol(At(), "(")) ++open;
      if (IsSymbol(At(), ")")) --open;
      end = At().end;
      Next();
    }
    auto type = ParseTypeName(text_.substr(first.begin, end - first.begin));
    if (!type.ok()) return Refuse(first, type.status().message());
    ARROW_RETURN_NOT_OK(Take(")"));
    return Combine(
        "cast", {std::move(operand)},
        std::make_shared<arrow::compute::CastOptions>(arrow::compute::CastOptions::Safe(*type)));
  }

  Result<Parsed> FunctionCall() {
    Token token = Next();
    ARROW_RETURN_NOT_OK(Take("("));
    Parsed made;
    std::vector<Expression> arguments;
    if (!IsSymbol(At(), ")")) {
      do {
        ARROW_ASSIGN_OR_RAISE(Parsed argument, Or());
        made.height = std::max(made.height, argument.height + 1);
        arguments.push_back(std::move(argument.expression));
      } while (TakeSymbol(","));
    }
    ARROW_RETURN_NOT_OK(Take(")"));
    ARROW_RETURN_NOT_OK(CheckNesting(made.height));
    auto function = MakeFunctionCall(LowerCase(token.value()), std::move(arguments));
    if (!function.ok()) return Refuse(token, function.status().message());
    made.expression = std::move(*function);
    return made;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace
}  // namespace shoal::expression

namespace shoal {

arrow::Result<arrow::compute::Expression> ParseFilter(std::string_view text) {
  ARROW_RETURN_NOT_OK(expression::MakeComputeReady());
  ARROW_ASSIGN_OR_RAISE(auto tokens, expression::Tokenize(text));
  return expression::Parser(text, std::move(tokens)).Filter();
}

arrow::Result<arrow::FieldRef> ParseColumn(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(auto tokens, expression::Tokenize(text));
  return expression::Parser(text, std::move(tokens)).Column();
}

}  // namespace shoal
