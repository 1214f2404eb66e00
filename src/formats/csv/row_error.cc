#include "formats/csv/row_error.h"

#include <charconv>

namespace shoal::formats::csv {

RowError::RowError(const arrow::Status& error) {
  std::string_view text = error.message();
  if (text.starts_with("Row #")) {
    text.remove_prefix(5);
    const auto [end, none] = std::from_chars(text.data(), text.data() + text.size(), row);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.starts_with(": ")) text.remove_prefix(2);
  }
  message = text;
}

bool RowError::IsNoText() const { return message.find("invalid UTF8") != message.npos; }

std::string RowError::InColumn(const std::string& name) const {
  return "column '" + name + "': " + message +
         (IsNoText() ? ". Name the encoding of the file (encoding)" : "");
}

std::string_view RecordOfRow(const Layout& layout, std::string_view text, int64_t row) {
  RecordReader reader(layout.dialect, text, /*final=*/true);
  while (true) {
    const auto outcome = reader.Next([](int, const char*, const char*) {});
    const bool is_row = outcome == RecordReader::kRecord ||
                        (outcome == RecordReader::kBlank && layout.blank_is_row);
    if (outcome != RecordReader::kEnd && outcome != RecordReader::kUnfinished &&
        (!is_row || row-- > 0)) {
      continue;
    }
    return {reader.begin(), static_cast<size_t>(reader.next() - reader.begin())};
  }
}

}  // namespace shoal::formats::csv
