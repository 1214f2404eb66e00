// The words of the filter grammar (docs/filters.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace shoal::expression {

enum class TokenKind { kName, kNumber, kText, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t begin = 0;
  size_t end = 0;
  /// A name's parts (`s.x` has two), a text's value without quotes, a number's or a symbol's
  /// spelling.
  std::vector<std::string> parts;
  /// A name with a part in double quotes is never a keyword.
  bool quoted = false;

  const std::string& value() const { return parts.front(); }
};

/// The tokens of `text`; the last one is kEnd. Errors as of ErrorAt.
arrow::Result<std::vector<Token>> Tokenize(std::string_view text);

/// "expected ... at character 8:", the text (a part of it, if it is long) and a caret below it.
arrow::Status ErrorAt(std::string_view text, size_t position, const std::string& problem);

/// ASCII letters in lower case.
std::string LowerCase(std::string_view text);

}  // namespace shoal::expression
