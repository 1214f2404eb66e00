// Protocol Buffers' wire format, read and written without generated code.
//
// See "Encoding" in the Protocol Buffers documentation. Whatever the bytes are, nothing outside of
// them is read: the first impossibility makes the reader fail, and it is then at its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shoal::formats::orc {

/// Walks over the fields of a message: while (wire.Next()) switch (wire.field()) ...
class Wire {
 public:
  explicit Wire(std::string_view bytes) : bytes_(bytes) {}

  /// Goes to the next field, past the one before.
  bool Next() {
    if (failed_ || bytes_.empty()) return false;
    const std::string_view begin = bytes_;
    const uint64_t key = Varint();
    field_ = static_cast<int64_t>(key >> 3);
    number_ = 0;
    text_ = {};
    switch (key & 7) {
      case 0:
        number_ = Varint();
        break;
      case 1:
        Take(8);
        break;
      case 2:
        text_ = Take(Varint());
        break;
      case 5:
        Take(4);
        break;
      default:
        failed_ = true;
    }
    whole_ = begin.substr(0, begin.size() - bytes_.size());
    return !failed_;
  }
  int64_t field() const { return field_; }
  /// Of a field that is a number.
  uint64_t number() const { return number_; }
  /// Of a field that is text, bytes, a message or packed numbers.
  std::string_view text() const { return text_; }
  /// The field as it is written, with its key.
  std::string_view whole() const { return whole_; }
  bool failed() const { return failed_; }

  static void Append(int64_t field, uint64_t number, std::string* out) {
    AppendVarint(static_cast<uint64_t>(field) << 3, out);
    AppendVarint(number, out);
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::string_view Take(uint64_t length) {
    if (length > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const auto out = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return out;
  }
  static void AppendVarint(uint64_t value, std::string* out) {
    for (; value >= 0x80; value >>= 7) *out += static_cast<char>(value | 0x80);
    *out += static_cast<char>(value);
  }

  std::string_view bytes_, text_, whole_;
  int64_t field_ = 0;
  uint64_t number_ = 0;
  bool failed_ = false;
};

}  // namespace shoal::formats::orc
