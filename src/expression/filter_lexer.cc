#include "expression/filter_lexer.h"

#include <arrow/util/utf8.h>

namespace shoal::expression {
namespace {

using arrow::Result;
using arrow::Status;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// Bytes of multi-byte characters count as letters.
bool StartsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool ContinuesName(char c) { return StartsName(c) || IsDigit(c) || c == '$'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    arrow::util::InitializeUTF8();
    if (!arrow::util::ValidateUTF8(text_)) {
      return Status::Invalid("The filter is not valid UTF-8");
    }
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      Token token;
      token.begin = at_;
      ARROW_RETURN_NOT_OK(Read(&token));
      token.end = at_;
      tokens.push_back(std::move(token));
      if (tokens.back().kind == TokenKind::kEnd) return tokens;
    }
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Status Read(Token* token) {
    if (at_ == text_.size()) return Status::OK();
    char c = Peek();
    if (StartsName(c) || c == '"') return ReadName(token);
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return ReadNumber(token);
    if (c == '\'') {
      token->kind = TokenKind::kText;
      return ReadQuoted('\'', "text", token);
    }
    return ReadSymbol(token);
  }

  // Quotes are doubled inside.
  Status ReadQuoted(char quote, const char* what, Token* token) {
    size_t begin = at_++;
    std::string value;
    while (true) {
      if (at_ == text_.size()) {
        return ErrorAt(text_, begin, "This " + std::string(what) + " has no closing quote");
      }
      char c = text_[at_++];
      if (c != quote) {
        value += c;
      } else if (Peek() == quote) {
        value += quote;
        ++at_;
      } else {
        token->parts.push_back(std::move(value));
        return Status::OK();
      }
    }
  }

  Status ReadName(Token* token) {
    token->kind = TokenKind::kName;
    while (true) {
      if (Peek() == '"') {
        token->quoted = true;
        ARROW_RETURN_NOT_OK(ReadQuoted('"', "name", token));
      } else {
        size_t begin = at_;
        while (at_ < text_.size() && ContinuesName(text_[at_])) ++at_;
        token->parts.emplace_back(text_.substr(begin, at_ - begin));
      }
      if (Peek() != '.' || !(StartsName(Peek(1)) || Peek(1) == '"')) return Status::OK();
      ++at_;
    }
  }

  Status ReadNumber(Token* token) {
    token->kind = TokenKind::kNumber;
    size_t begin = at_;
    while (IsDigit(Peek())) ++at_;
    if (Peek() == '.') {
      ++at_;
      while (IsDigit(Peek())) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign))) {
        at_ += 1 + sign;
        while (IsDigit(Peek())) ++at_;
      }
    }
    if (ContinuesName(Peek()) || Peek() == '.') {
      return ErrorAt(
          text_, begin,
          "This is no number; a name that begins with a digit needs double quotes, a text "
          "single ones");
    }
    token->parts.emplace_back(text_.substr(begin, at_ - begin));
    return Status::OK();
  }

  Status ReadSymbol(Token* token) {
    static constexpr std::string_view kSymbols[] = {"<=", ">=", "<>", "!=", "==", "&&", "||",
                                                    "<",  ">",  "=",  "!",  "(",  ")",  ",",
                                                    "+",  "-",  "*",  "/",  "[",  "]",  ":"};
    for (std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      token->kind = TokenKind::kSymbol;
      token->parts.emplace_back(symbol);
      at_ += symbol.size();
      return Status::OK();
    }
    std::string problem = "`";
    problem += text_[at_];
    problem += "` means nothing here";
    return ErrorAt(text_, at_, problem);
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view text) { return Lexer(text).Run(); }

Status ErrorAt(std::string_view text, size_t position, const std::string& problem) {
  constexpr size_t kShownBefore = 50;
  constexpr size_t kShownAfter = 30;
  size_t character = 1;
  for (size_t i = 0; i < position; ++i) character += !ContinuesCharacter(text[i]);
  size_t begin = position > kShownBefore ? position - kShownBefore : 0;
  while (begin > 0 && ContinuesCharacter(text[begin])) --begin;
  size_t end = std::min(text.size(), position + kShownAfter);
  while (end < text.size() && ContinuesCharacter(text[end])) ++end;
  std::string shown = begin > 0 ? "..." : "";
  std::string indent(shown.size(), ' ');
  for (size_t i = begin; i < end; ++i) {
    shown += IsSpace(text[i]) ? ' ' : text[i];
    if (i < position && !ContinuesCharacter(text[i])) indent += ' ';
  }
  if (end < text.size()) shown += "...";
  return Status::Invalid(problem, ", at character ", character, " of the filter\n  ", shown, "\n  ",
                         indent, "^");
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace shoal::expression
