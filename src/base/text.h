// Bytes as text: UTF-8 and percent-encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shoal::base {

bool IsUtf8(std::string_view text);

/// The bytes of the character at the front of `text`, at least 1; a byte that begins no character
/// counts as one.
size_t CharacterLength(std::string_view text);

/// Undoes `%XX` once. Nothing if an escape is malformed or the outcome is not UTF-8: such text was
/// never encoded.
std::optional<std::string> PercentDecode(std::string_view text);

void AppendPercentEncoded(unsigned char byte, std::string* out);

/// Encodes every byte for which `must_encode(byte)` holds.
template <typename MustEncode>
std::string PercentEncode(std::string_view text, MustEncode must_encode) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (must_encode(byte)) {
      AppendPercentEncoded(byte, &out);
    } else {
      out += c;
    }
  }
  return out;
}

/// `1 row`, `2 rows`.
std::string Count(int64_t n, std::string_view one, std::string_view many);

/// For messages about names that are not UTF-8: control characters and bytes beyond ASCII are
/// encoded.
std::string EscapeForMessage(std::string_view text);

/// `1 byte`, `36.0 KiB`.
std::string Bytes(int64_t n);

}  // namespace shoal::base
