#include "text_table.h"

#include <vector>

#include <gtest/gtest.h>

namespace shoal::cli {

namespace {

TEST(TextTable, WideCharactersTakeTwoCellsAndCombiningOnesNone) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1);
  EXPECT_EQ(DisplayWidth("😀"), 2);
  EXPECT_EQ(DisplayWidth("\xff\xfe"), 2);
  EXPECT_EQ(DisplayWidth("\xe6\x97"), 2);
}

TEST(TextTable, TruncationNeverCutsACharacterOrExceedsTheWidth) {
  EXPECT_EQ(Truncated("abcdef", 6), "abcdef");
  EXPECT_EQ(Truncated("abcdef", 5), "abcd…");
  EXPECT_EQ(Truncated("日本語", 5), "日本…");
  EXPECT_EQ(Truncated("日本語", 4), "日…");
  EXPECT_EQ(Truncated("abc", 1), "…");
  EXPECT_EQ(Truncated("abc", 0), "");
}

TEST(TextTable, LinesFitWhateverTheWidth) {
  for (size_t line = 1; line < 60; ++line) {
    TextTable table({{"first"}, {"a long heading"}, {"number", "int64", true}});
    table.AddRow({"some words in a cell", "x", "12"});
    table.Fit(40, line);
    const std::string text = table.ToString();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      EXPECT_LE(DisplayWidth(text.substr(begin, end - begin)), line);
      begin = end + 1;
    }
    EXPECT_LT(table.columns_left_out(), 3);
  }
}

TEST(TextTable, LongTypesDoNotWidenAColumn) {
  const TextTable::Column column{"k", "dictionary<values=string, indices=int32>"};
  TextTable table(std::vector{column});
  table.AddRow({"a"});
  EXPECT_EQ(table.ToString().substr(0, 29), "k\ndictionary<values=strin…\n");
}

}  // namespace

}  // namespace shoal::cli
