// Aligned text tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shoal::cli {

/// Terminal cells that the text takes: two for wide characters, none for combining ones.
size_t DisplayWidth(std::string_view text);

/// The text, or as much of its beginning as fits in `width` cells together with an ellipsis.
std::string Truncated(std::string_view text, size_t width);

/// `1 row`, `2 rows`.
std::string Count(int64_t n, std::string_view one, std::string_view many);

/// Rows of cells under headings. Cells are one line of UTF-8 each.
class TextTable {
 public:
  struct Column {
    std::string heading;
    std::string type = {};  // a second heading; none if all are empty
    bool align_right = false;
  };

  explicit TextTable(std::vector<Column> columns);
  /// One cell for each column.
  void AddRow(std::vector<std::string> cells);

  /// Narrows columns to at most `widest` cells each, and then further so that lines have at most
  /// `line` cells. 0: no bound. Columns at the end that find no room even so are left out.
  void Fit(size_t widest, size_t line);
  /// How many columns Fit() has left out.
  size_t columns_left_out() const { return columns_.size() - shown_; }

  std::string ToString() const;

 private:
  bool HasTypes() const;
  void AppendLine(const std::vector<std::string_view>& cells, std::string* out) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;
  size_t shown_;
};

}  // namespace shoal::cli
