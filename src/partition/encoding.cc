#include "partition/encoding.h"

#include "base/text.h"

namespace shoal::partition {

std::string DecodeText(std::string_view raw, bool percent_decode) {
  if (percent_decode && raw.find('%') != std::string_view::npos) {
    if (auto decoded = base::PercentDecode(raw)) return *std::move(decoded);
  }
  return std::string(raw);
}

arrow::Result<std::string> EncodeText(std::string_view key, std::string_view text, Place place,
                                      bool percent_decode) {
  if (!base::IsUtf8(text)) {
    return arrow::Status::Invalid(
        "Key '", key, "' has the value ", base::EscapeForMessage(text),
        ", which is not UTF-8 and cannot stand in a path; leave the column in the files.");
  }
  size_t index = 0;
  const auto must_encode = [&](unsigned char byte) {
    const size_t i = index++;
    if (byte < 0x20 || byte == 0x7F) return true;
    if (std::string_view("\"#%&'*/:<=>?[\\]^`{|}").find(static_cast<char>(byte)) !=
        std::string_view::npos) {
      return true;
    }
    // Some stores drop dots and spaces at the end of a name, and `.` and `..` are made of nothing
    // else.
    const bool last = i + 1 == text.size();
    if (last && (byte == '.' || byte == ' ')) return true;
    if (byte == '_' && place == Place::kNamePart) return true;
    // A name that begins so would be hidden. Not the names of hive keys: `_key=value` is a
    // partition.
    if (i == 0 && (byte == '.' || byte == '_') &&
        (place == Place::kSegment || place == Place::kNamePart))
      return true;
    return i == 0 && byte == ' ';
  };
  std::string encoded = base::PercentEncode(text, must_encode);
  if (percent_decode || encoded == text) return encoded;

  // Not decoded when read: only what has to be encoded for the path's sake is impossible.
  const bool separates =
      text.find('/') != std::string_view::npos || text.find('\0') != std::string_view::npos;
  const bool splits_key = place == Place::kHiveKey && text.find('=') != std::string_view::npos;
  const bool splits_name = place == Place::kNamePart && text.find('_') != std::string_view::npos;
  const bool hidden = (place == Place::kSegment || place == Place::kNamePart) &&
                      (text.starts_with('.') || text.starts_with('_'));
  if (separates || splits_key || splits_name || hidden) {
    return arrow::Status::Invalid(
        "Key '", key, "': '", text,
        "' can only stand in a path percent-encoded; set percent_decode = true.");
  }
  return std::string(text);
}

}  // namespace shoal::partition
