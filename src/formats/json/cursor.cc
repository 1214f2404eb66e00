#include "formats/json/cursor.h"

namespace shoal::formats::json {

namespace {

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

void AppendUtf8(uint32_t code, std::string* out) {
  const auto rest = [&](int shift) {
    out->push_back(static_cast<char>(0x80 | (code >> shift & 0x3f)));
  };
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xc0 | code >> 6));
    rest(0);
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | code >> 12));
    rest(6);
    rest(0);
  } else {
    out->push_back(static_cast<char>(0xf0 | code >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace

bool Cursor::ReadHex4(uint32_t* code) {
  *code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = *at_;
    uint32_t digit;
    if (IsDigit(c)) {
      digit = static_cast<uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<uint32_t>(c - 'A' + 10);
    } else {
      return false;
    }
    *code = *code << 4 | digit;
  }
  return true;
}

bool Cursor::ReadEscape() {
  ++at_;
  switch (const char c = *at_++; c) {
    case '"':
    case '\\':
    case '/':
      unescaped_.push_back(c);
      return true;
    case 'b':
      unescaped_.push_back('\b');
      return true;
    case 'f':
      unescaped_.push_back('\f');
      return true;
    case 'n':
      unescaped_.push_back('\n');
      return true;
    case 'r':
      unescaped_.push_back('\r');
      return true;
    case 't':
      unescaped_.push_back('\t');
      return true;
    case 'u':
      break;
    default:
      --at_;  // it may be the line end
      return false;
  }
  uint32_t code = 0, low = 0;
  if (!ReadHex4(&code)) return false;
  if (code >= 0xd800 && code < 0xe000) {  // half a character, which is none without the other half
    if (code >= 0xdc00 || !Take('\\') || !Take('u')) return false;
    if (!ReadHex4(&low) || low < 0xdc00 || low >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
  }
  AppendUtf8(code, &unescaped_);
  return true;
}

bool Cursor::ReadNumber(Number* number) {
  constexpr int64_t kMostDigits = 200;
  constexpr int64_t kMostExponentDigits = 3;
  constexpr int64_t kLargestExponent = 308;  // of a double
  const char* const begin = at_;
  number->negative = Take('-');
  uint64_t digits = 0;
  const char* const whole = at_;
  while (IsDigit(*at_)) digits = digits * 10 + static_cast<uint64_t>(*at_++ - '0');
  const int64_t whole_digits = at_ - whole;
  if (whole_digits == 0 || (*whole == '0' && whole_digits > 1)) return false;
  int64_t fraction_digits = 0;
  number->integer = true;
  if (Take('.')) {
    const char* const fraction = at_;
    while (IsDigit(*at_)) digits = digits * 10 + static_cast<uint64_t>(*at_++ - '0');
    fraction_digits = at_ - fraction;
    if (fraction_digits == 0) return false;
    number->integer = false;
  }
  if (whole_digits + fraction_digits > kMostDigits) return false;
  number->has_digits = whole_digits + fraction_digits <= 18;
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    const bool small = *at_ == '-';
    if (*at_ == '+' || *at_ == '-') ++at_;
    const char* const digits_begin = at_;
    int64_t exponent = 0;
    while (IsDigit(*at_) && at_ - digits_begin <= kMostExponentDigits)
      exponent = exponent * 10 + (*at_++ - '0');
    if (at_ == digits_begin || at_ - digits_begin > kMostExponentDigits) return false;
    if (!small && whole_digits + exponent > kLargestExponent) return false;
    number->integer = number->has_digits = false;
  }
  number->digits = digits;
  number->fraction_digits = static_cast<int>(fraction_digits);
  number->text = {begin, static_cast<size_t>(at_ - begin)};
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
bool Cursor::SkipNested(int depth) {
  if (depth > kMaxDepth) return false;
  const bool object = *at_++ == '{';
  const char close = object ? '}' : ']';
  SkipBlanks();
  if (Take(close)) return true;
  while (true) {
    if (object) {
      std::string_view key;
      if (!Take('"') || !ReadString(&key)) return false;
      SkipBlanks();
      if (!Take(':')) return false;
      SkipBlanks();
    }
    if (!SkipValue(depth)) return false;
    SkipBlanks();
    if (Take(close)) return true;
    if (!Take(',')) return false;
    SkipBlanks();
  }
}

}  // namespace shoal::formats::json
