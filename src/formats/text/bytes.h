// Finding bytes in text, many at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shoal::formats::text {

/// Which of 64 bytes are one of four: a bit each, the first byte's the lowest.
class ByteSet {
 public:
  explicit ByteSet(char a, char b, char c, char d) : wanted_{a, b, c, d} {}

#if defined(__SSE2__)
  uint64_t Of64(const char* bytes) const {
    const __m128i a = _mm_set1_epi8(wanted_[0]), b = _mm_set1_epi8(wanted_[1]);
    const __m128i c = _mm_set1_epi8(wanted_[2]), d = _mm_set1_epi8(wanted_[3]);
    uint64_t mask = 0;
    for (int i = 0; i < 4; ++i) {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
      const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, a), _mm_cmpeq_epi8(x, b)),
                                         _mm_or_si128(_mm_cmpeq_epi8(x, c), _mm_cmpeq_epi8(x, d)));
      mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(found))) << (16 * i);
    }
    return mask;
  }
#else
  uint64_t Of64(const char* bytes) const {
    uint64_t mask = 0;
    for (int i = 0; i < 64; ++i) {
      const bool found = bytes[i] == wanted_[0] || bytes[i] == wanted_[1] ||
                         bytes[i] == wanted_[2] || bytes[i] == wanted_[3];
      mask |= static_cast<uint64_t>(found) << i;
    }
    return mask;
  }
#endif

 private:
  char wanted_[4];
};

/// Goes from one byte of the set to the next.
class ByteFinder {
 public:
  ByteFinder(ByteSet set, const char* begin, const char* end) : set_(set), word_(begin), end_(end) {
    Load();
  }

  /// The next one; the end if there is none.
  [[gnu::always_inline]] const char* Next() {
    while (mask_ == 0) {
      if (end_ - word_ <= 64) return end_;
      word_ += 64;
      Load();
    }
    const char* found = word_ + std::countr_zero(mask_);
    mask_ &= mask_ - 1;
    return found;
  }

  /// Passes over those before `place`, which is not before the last one found.
  void SkipTo(const char* place) {
    if (place - word_ >= 64) {
      word_ = place;
      Load();
    } else {
      mask_ &= ~uint64_t{0} << (place - word_);
    }
  }

 private:
  [[gnu::always_inline]] void Load() {
    if (end_ - word_ >= 64) {
      mask_ = set_.Of64(word_);
    } else {
      LoadLast();
    }
  }
  [[gnu::noinline]] void LoadLast() {
    mask_ = 0;
    if (word_ >= end_) return;
    char last[64] = {};
    const size_t n = static_cast<size_t>(end_ - word_);
    std::memcpy(last, word_, n);
    mask_ = set_.Of64(last) & ((uint64_t{1} << n) - 1);
  }

  const ByteSet set_;
  const char* word_;  // the 64 bytes that mask_ is of
  const char* end_;
  uint64_t mask_ = 0;
};

/// How often the byte is in the text.
inline int64_t CountByte(std::string_view text, char byte) {
  int64_t count = 0;
  const ByteSet set(byte, byte, byte, byte);
  size_t i = 0;
  for (; i + 64 <= text.size(); i += 64) count += std::popcount(set.Of64(text.data() + i));
  for (; i < text.size(); ++i) count += text[i] == byte;
  return count;
}

/// The lines that text has ended: by LF, or where it has none by CR.
inline int64_t CountLines(std::string_view text) {
  const int64_t lines = CountByte(text, '\n');
  return lines > 0 ? lines : CountByte(text, '\r');
}

}  // namespace shoal::formats::text
