#include "text_table.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace shoal::cli {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
/// Columns are not made narrower than this to get more of them on a line.
constexpr size_t kNarrowest = 8;

/// Types of nested columns are long; they do not make a column wider than this.
constexpr size_t kWidestType = 24;

struct CharacterRange {
  uint32_t first;
  uint32_t last;
};

// Characters that stack on the one before, or show nothing.
constexpr CharacterRange kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},   {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};
// East Asian wide characters, and pictures.
constexpr CharacterRange kDoubleWidth[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <size_t n>
bool Contains(const CharacterRange (&ranges)[n], uint32_t character) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const CharacterRange& range) {
    return character >= range.first && character <= range.last;
  });
}

/// The character at `*position`, which moves past it. A byte that is not UTF-8 counts as one
/// character.
uint32_t NextCharacter(std::string_view text, size_t* position) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte((*position)++);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0 || *position + more > text.size()) return first;
  uint32_t character = first & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(*position + i) & 0xC0) != 0x80) return first;
    character = character << 6 | (byte(*position + i) & 0x3F);
  }
  *position += more;
  return character;
}

size_t WidthOf(uint32_t character) {
  if (character < 0x300) return 1;
  if (Contains(kZeroWidth, character)) return 0;
  return Contains(kDoubleWidth, character) ? 2 : 1;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t position = 0; position < text.size();)
    width += WidthOf(NextCharacter(text, &position));
  return width;
}

std::string Count(int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

std::string Truncated(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t used = 0;
  size_t end = 0;
  while (end < text.size()) {
    size_t next = end;
    used += WidthOf(NextCharacter(text, &next));
    if (used > width - 1) break;
    end = next;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

TextTable::TextTable(std::vector<Column> columns)
    : columns_(std::move(columns)), shown_(columns_.size()) {
  for (const Column& column : columns_) {
    widths_.push_back(
        std::max(DisplayWidth(column.heading), std::min(DisplayWidth(column.type), kWidestType)));
  }
}

void TextTable::AddRow(std::vector<std::string> cells) {
  for (size_t c = 0; c < cells.size(); ++c)
    widths_[c] = std::max(widths_[c], DisplayWidth(cells[c]));
  rows_.push_back(std::move(cells));
}

void TextTable::Fit(size_t widest, size_t line) {
  if (widest > 0) {
    for (size_t& width : widths_) width = std::min(width, widest);
  }
  if (line == 0 || columns_.empty()) return;
  const auto total = [&] {
    size_t sum = 0;
    for (size_t c = 0; c < shown_; ++c) sum += widths_[c] + (c > 0 ? kGap.size() : 0);
    return sum;
  };
  // The widest column gives first.
  while (total() > line) {
    auto widest_shown =
        std::max_element(widths_.begin(), widths_.begin() + static_cast<int64_t>(shown_));
    if (*widest_shown > kNarrowest) {
      --*widest_shown;
    } else if (shown_ > 1) {
      --shown_;
    } else {
      *widest_shown = line;
    }
  }
}

bool TextTable::HasTypes() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const Column& column) { return !column.type.empty(); });
}

void TextTable::AppendLine(const std::vector<std::string_view>& cells, std::string* out) const {
  std::string line;
  for (size_t c = 0; c < shown_; ++c) {
    if (c > 0) line += kGap;
    const std::string cell = Truncated(cells[c], widths_[c]);
    const std::string padding(widths_[c] - DisplayWidth(cell), ' ');
    line += columns_[c].align_right ? padding + cell : cell + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  *out += line + "\n";
}

std::string TextTable::ToString() const {
  std::string out;
  std::vector<std::string_view> headings, types, rules;
  const std::string rule(widths_.empty() ? 0 : *std::max_element(widths_.begin(), widths_.end()),
                         '-');
  for (size_t c = 0; c < columns_.size(); ++c) {
    headings.emplace_back(columns_[c].heading);
    types.emplace_back(columns_[c].type);
    rules.push_back(std::string_view(rule).substr(0, widths_[c]));
  }
  AppendLine(headings, &out);
  if (HasTypes()) AppendLine(types, &out);
  AppendLine(rules, &out);
  for (const auto& row : rows_) AppendLine({row.begin(), row.end()}, &out);
  return out;
}

}  // namespace shoal::cli
