// The outline of footers against what libparquet makes of them.
#include "formats/parquet/footer.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>
#include <parquet/statistics.h>

#include "formats/parquet/test_files.h"
#include "formats/parquet/thrift_reader.h"

namespace shoal::formats::parquet {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

std::string FooterOf(const std::string& file) {
  uint32_t length;
  std::memcpy(&length, file.data() + file.size() - 8, 4);
  return file.substr(file.size() - 8 - length, length);
}

std::shared_ptr<::parquet::FileMetaData> Whole(const std::string& bytes) {
  return ::parquet::FileMetaData::Make(bytes.data(), static_cast<int64_t>(bytes.size()));
}

/// `columns` columns of many types, `rows` rows.
std::shared_ptr<arrow::Table> ManyColumns(int columns, int64_t rows) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> values;
  for (int c = 0; c < columns; ++c) {
    auto numbers = Numbers(c * 1000, rows);
    if (c % 3 == 1) {
      arrow::StringBuilder builder;
      for (int64_t i = 0; i < rows; ++i) {
        EXPECT_TRUE(builder.Append("value " + std::to_string(i * c)).ok());
      }
      numbers = std::make_shared<arrow::ChunkedArray>(builder.Finish().ValueOrDie());
    } else if (c % 3 == 2) {
      auto child = numbers->chunk(0);
      numbers = std::make_shared<arrow::ChunkedArray>(
          arrow::StructArray::Make({child, child}, std::vector<std::string>{"a", "b"})
              .ValueOrDie());
    }
    fields.push_back(arrow::field("column_" + std::to_string(c), numbers->type()));
    values.push_back(numbers);
  }
  auto metadata = arrow::key_value_metadata({"who", "why"}, {"somebody", std::string(300, 'y')});
  return arrow::Table::Make(arrow::schema(fields, metadata), values);
}

TEST(Footer, OutlineTellsWhatLibparquetTells) {
  for (int columns : {1, 3, 14, 20, 200}) {
    for (int64_t row_group_rows : {1, 3, 50, 100}) {
      const std::string bytes =
          FooterOf(WriteFile(*ManyColumns(columns, 100), row_group_rows, Default()));
      const auto whole = Whole(bytes);
      // What follows the footer in a buffer is no part of it.
      const Footer footer = Footer::Parse(bytes + "trailing").ValueOrDie();
      ASSERT_EQ(footer.num_row_groups(), whole->num_row_groups());
      for (int g = 0; g < footer.num_row_groups(); ++g) {
        const auto group = whole->RowGroup(g);
        EXPECT_EQ(footer.rows(g), group->num_rows());
        EXPECT_EQ(footer.num_columns(g), group->num_columns());
        int64_t compressed = 0;
        for (int c = 0; c < group->num_columns(); ++c) {
          compressed += group->ColumnChunk(c)->total_compressed_size();
        }
        EXPECT_EQ(footer.compressed_bytes(g), compressed);
      }
    }
  }
}

TEST(Footer, WhatIsNarrowedIsEqualInTheWhole) {
  const std::string bytes = FooterOf(WriteFile(*ManyColumns(20, 100), 4, Default()));
  const auto whole = Whole(bytes);
  const Footer footer = Footer::Parse(bytes).ValueOrDie();
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<int> groups, leaves;
    for (int g = 0; g < whole->num_row_groups(); ++g) {
      if (random() % 3 == 0) groups.push_back(g);
    }
    std::shuffle(groups.begin(), groups.end(), random);
    for (int c = 0; c < whole->num_columns(); ++c) {
      if (random() % 3 == 0) leaves.push_back(c);
    }
    const auto narrow = footer.Narrow(groups, leaves);
    EXPECT_TRUE(narrow->schema()->Equals(*whole->schema()));
    EXPECT_TRUE(narrow->key_value_metadata()->Equals(*whole->key_value_metadata()));
    EXPECT_EQ(narrow->created_by(), whole->created_by());
    ASSERT_EQ(narrow->num_row_groups(), static_cast<int>(groups.size()));
    for (size_t g = 0; g < groups.size(); ++g) {
      const auto here = narrow->RowGroup(static_cast<int>(g)), there = whole->RowGroup(groups[g]);
      EXPECT_EQ(here->num_rows(), there->num_rows());
      EXPECT_EQ(here->total_byte_size(), there->total_byte_size());
      for (int leaf : leaves) {
        const auto a = here->ColumnChunk(leaf), b = there->ColumnChunk(leaf);
        EXPECT_TRUE(a->Equals(*b));
        EXPECT_EQ(a->data_page_offset(), b->data_page_offset());
        EXPECT_EQ(a->path_in_schema()->ToDotString(), b->path_in_schema()->ToDotString());
        ASSERT_TRUE(a->is_stats_set());
        EXPECT_EQ(a->encoded_statistics()->min(), b->encoded_statistics()->min());
        EXPECT_EQ(a->encoded_statistics()->max(), b->encoded_statistics()->max());
      }
    }
  }
}

TEST(Footer, EqualSchemasHaveEqualBytesAndOthersHaveNot) {
  auto parse = [](const arrow::Table& table) {
    return Footer::Parse(FooterOf(WriteFile(table, 10, Default()))).ValueOrDie();
  };
  const Footer a = parse(*ManyColumns(3, 10)), b = parse(*ManyColumns(3, 40)),
               c = parse(*ManyColumns(4, 10));
  EXPECT_EQ(a.schema_bytes(), b.schema_bytes());
  EXPECT_EQ(a.key_value_bytes(), b.key_value_bytes());
  EXPECT_NE(a.schema_bytes(), c.schema_bytes());
}

TEST(Footer, ATruncatedOneIsAnError) {
  const std::string bytes = FooterOf(WriteFile(*ManyColumns(4, 20), 10, Default()));
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(Footer::Parse(bytes.substr(0, length)).ok()) << length;
  }
}

TEST(Footer, CountsThatCannotBeAreErrorsAndTakeNoMemory) {
  // One field each: a list of 2^32 - 1 structs, a text of 2^60 bytes, a map, and structs without
  // end.
  const std::string huge_list("\x49\xfc\xff\xff\xff\xff\x0f", 7),
      huge_text("\x18\xff\xff\xff\xff\xff\xff\xff\xff\x0f", 10),
      huge_map("\x1b\xff\xff\xff\xff\x0f\x88", 7), deep(100000, '\x1c'),
      deep_lists = '\x19' + std::string(100000, '\x19');
  for (const std::string& bytes : {huge_list, huge_text, huge_map, deep, deep_lists}) {
    EXPECT_TRUE(Footer::Parse(bytes).status().IsInvalid());
  }
}

TEST(ThriftReader, ReadsEveryWidthOfInteger) {
  auto read = [](std::string bytes) {
    ThriftReader in(bytes);
    const int64_t value = in.Integer();
    return in.failed() ? std::string("failed") : std::to_string(value);
  };
  EXPECT_EQ(read(std::string("\x00", 1)), "0");
  EXPECT_EQ(read("\x01"), "-1");
  EXPECT_EQ(read("\x02"), "1");
  EXPECT_EQ(read("\xac\x02"), "150");
  EXPECT_EQ(read("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "9223372036854775807");
  EXPECT_EQ(read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "-9223372036854775808");
  EXPECT_EQ(read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "failed");
  EXPECT_EQ(read("\x80"), "failed");
  EXPECT_EQ(read(""), "failed");
}

TEST(Footer, SavedPartsMakeTheSameFooterAndFilesOfOneWriterShareOne) {
  std::string first_common;
  for (int64_t rows : {1, 10, 1000}) {
    const std::string bytes = FooterOf(WriteFile(*ManyColumns(5, rows), 100, Default()));
    const Footer footer = Footer::Parse(bytes).ValueOrDie();
    std::string common, own;
    footer.Save(&common, &own);
    EXPECT_LT(own.size() + common.size(), bytes.size() + 16);
    EXPECT_NE(common.find("somebody"), std::string::npos);
    if (first_common.empty()) first_common = common;
    EXPECT_EQ(common, first_common);

    const Footer restored = Footer::Restore(common, own).ValueOrDie();
    ASSERT_EQ(restored.num_row_groups(), footer.num_row_groups());
    for (int g = 0; g < footer.num_row_groups(); ++g) {
      EXPECT_EQ(restored.rows(g), footer.rows(g));
      EXPECT_EQ(restored.compressed_bytes(g), footer.compressed_bytes(g));
    }
    EXPECT_EQ(restored.schema_bytes(), footer.schema_bytes());
    EXPECT_EQ(restored.key_value_bytes(), footer.key_value_bytes());
    EXPECT_TRUE(restored.Narrow({0}, {0, 2})->Equals(*footer.Narrow({0}, {0, 2})));
  }
}

TEST(Footer, WhatWasNotSavedIsRefused) {
  const std::string bytes = FooterOf(WriteFile(*ManyColumns(5, 300), 100, Default()));
  std::string common, own;
  Footer::Parse(bytes).ValueOrDie().Save(&common, &own);
  EXPECT_FALSE(Footer::Restore(common, "").ok());
  EXPECT_FALSE(Footer::Restore("", own).ok());
  EXPECT_FALSE(Footer::Restore(own, common).ok());
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bad_own = own, bad_common = common;
    std::string& bad = round % 2 == 0 ? bad_own : bad_common;
    if (round % 4 < 2) {
      bad.resize(random() % bad.size());
    } else {
      bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    }
    // Refused, or a footer; nothing worse.
    (void)Footer::Restore(bad_common, bad_own);
  }
}

}  // namespace
}  // namespace shoal::formats::parquet
