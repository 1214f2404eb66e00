// A place in JSON text, and what stands there if it is as it should be.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "formats/json/shape.h"

namespace shoal::formats::json {

/// A number as it is written.
struct Number {
  std::string_view text;
  bool negative = false;
  bool integer = true;
  /// Whether `digits` are all of them, without the point, and there is no exponent.
  bool has_digits = false;
  uint64_t digits = 0;
  int fraction_digits = 0;
};

/// Functions that read move the place behind what they read; false: it is not what a careful writer
/// writes, and then the place is anywhere. The text ends with a line end, which is in no value: so
/// no byte need be compared with the end before it is looked at.
class Cursor {
 public:
  /// REQUIRES: the last byte of `text` is a line end.
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }
  char peek() const { return *at_; }
  /// Whether it was there.
  bool Take(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  bool Take(const char* word) {
    while (*word != '\0') {
      if (*at_++ != *word++) return false;
    }
    return true;
  }
  /// Whether the text goes on with that.
  bool TakeIf(std::string_view text) {
    if (static_cast<size_t>(end_ - at_) <= text.size() ||
        std::memcmp(at_, text.data(), text.size()) != 0) {
      return false;
    }
    at_ += text.size();
    return true;
  }
  /// Inlined wherever it is used: mostly there are none, and a call would cost more.
  [[gnu::always_inline]] void SkipBlanks() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }

  /// From behind the opening quote. The value is valid until the next string is read.
  /// `as_it_stands`: whether it is a part of the text.
  bool ReadString(std::string_view* value, bool* as_it_stands) {
    const char* begin = at_;
    *as_it_stands = true;
    while (true) {
      at_ = StringStop();
      if (*at_ == '"') break;
      if (*at_ != '\\') return false;
      if (*as_it_stands) unescaped_.clear();
      *as_it_stands = false;
      unescaped_.append(begin, at_);
      if (!ReadEscape()) return false;
      begin = at_;
    }
    if (*as_it_stands) {
      *value = {begin, static_cast<size_t>(at_ - begin)};
    } else {
      unescaped_.append(begin, at_);
      *value = unescaped_;
    }
    ++at_;
    return true;
  }
  bool ReadString(std::string_view* value) {
    bool as_it_stands;
    return ReadString(value, &as_it_stands);
  }

  /// Not numbers that could be too large for a double.
  bool ReadNumber(Number* number);

  /// Any value, down to kMaxDepth.
  bool SkipValue(int depth) {
    switch (*at_) {
      case '"': {
        std::string_view value;
        ++at_;
        return ReadString(&value);
      }
      case 't':
        return Take("true");
      case 'f':
        return Take("false");
      case 'n':
        return Take("null");
      case '{':
      case '[':
        return SkipNested(depth + 1);
      default: {
        Number number;
        return ReadNumber(&number);
      }
    }
  }

 private:
  /// The first quote, backslash or control character.
  const char* StringStop() const {
    const char* at = at_;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    while (end_ - at >= 16) {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i found =
          _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)),
                       _mm_cmpeq_epi8(_mm_min_epu8(x, control), x));
      const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(found));
      if (mask != 0) return at + std::countr_zero(mask);
      at += 16;
    }
#endif
    while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
    return at;
  }
  /// What a backslash begins.
  bool ReadEscape();
  bool ReadHex4(uint32_t* code);
  bool SkipNested(int depth);

  const char* at_;
  const char* const end_;
  std::string unescaped_;
};

}  // namespace shoal::formats::json
