#include "base/text.h"

#include <sstream>

#include <arrow/util/utf8.h>

namespace shoal::base {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  static const bool initialized = (arrow::util::InitializeUTF8(), true);
  (void)initialized;
  return arrow::util::ValidateUTF8(text);
}

size_t CharacterLength(std::string_view text) {
  if (text.empty()) return 1;
  const auto first = static_cast<unsigned char>(text[0]);
  size_t length = 1;
  if (first >= 0xF0) {
    length = 4;
  } else if (first >= 0xE0) {
    length = 3;
  } else if (first >= 0xC0) {
    length = 2;
  }
  if (length > text.size()) return 1;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 1;
  }
  return length;
}

std::optional<std::string> PercentDecode(std::string_view text) {
  if (text.find('%') == std::string_view::npos) {
    return IsUtf8(text) ? std::optional(std::string(text)) : std::nullopt;
  }
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!IsUtf8(out)) return std::nullopt;
  return out;
}

void AppendPercentEncoded(unsigned char byte, std::string* out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  *out += '%';
  *out += kDigits[byte >> 4];
  *out += kDigits[byte & 15];
}

std::string EscapeForMessage(std::string_view text) {
  return PercentEncode(
      text, [](unsigned char byte) { return byte < 0x20 || byte >= 0x7F || byte == '%'; });
}

std::string Count(int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

std::string Bytes(int64_t n) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(n);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  std::ostringstream out;
  out.precision(unit == 0 ? 0 : 1);
  out << std::fixed << value << " " << (n == 1 ? "byte" : kUnits[unit]);
  return out.str();
}

}  // namespace shoal::base
