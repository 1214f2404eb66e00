// The order that a file declares of its rows.
#include <string>
#include <vector>

#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include "formats/memory_driver.h"
#include "formats/parquet/facts.h"
#include "formats/parquet/format.h"
#include "formats/parquet/test_files.h"

namespace shoal::formats::parquet {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

using Sorting = std::vector<::parquet::SortingColumn>;

std::shared_ptr<::parquet::WriterProperties> SortedBy(Sorting columns) {
  return Properties().set_sorting_columns(std::move(columns))->build();
}

std::shared_ptr<const FileFacts> FactsOf(const arrow::Table& table, Sorting columns,
                                         int64_t row_group_rows = 2) {
  MemoryDriver driver(MakeFormat(), WriteFile(table, row_group_rows, SortedBy(std::move(columns))));
  auto facts = driver.Facts().ValueOrDie();
  EXPECT_EQ(driver.requests(), 1);  // the same footer
  return facts;
}

std::shared_ptr<arrow::Table> Columns(const std::vector<std::shared_ptr<arrow::DataType>>& types,
                                      const std::string& values = "[null, null, null, null]") {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  for (const auto& type : types) {
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), type));
    columns.push_back(Column(type, values));
  }
  return arrow::Table::Make(arrow::schema(fields), columns);
}

TEST(DeclaredOrder, IsThatOfTheSortingColumnsOfAllRowGroups) {
  const auto table = Columns({arrow::int64(), arrow::utf8(), arrow::int32()});
  EXPECT_EQ(FactsOf(*table, {})->DeclaredOrder().ValueOrDie(), std::vector<SortedLeaf>{});
  EXPECT_EQ(FactsOf(*table, {{2, true, false}, {0, false, true}})->DeclaredOrder().ValueOrDie(),
            (std::vector<SortedLeaf>{{2, true, false}, {0, false, true}}));
}

TEST(DeclaredOrder, IsNoneWhereRowGroupsDiffer) {
  // The sorting columns of one row group are changed in place: they begin with a list of one
  // struct, the field of the column's index and a flag.
  const std::string file = WriteFile(*Columns({arrow::int64()}), 2, SortedBy({{0, true, true}}));
  const std::string list("\x1c\x15\x00\x11\x11\x00", 6);
  auto changed = file;
  const size_t last = changed.rfind(list);
  ASSERT_NE(last, std::string::npos);
  ASSERT_NE(changed.find(list), last);
  auto order = [](const std::string& bytes) {
    MemoryDriver driver(MakeFormat(), bytes);
    return driver.Facts().ValueOrDie()->DeclaredOrder().ValueOrDie();
  };
  EXPECT_EQ(order(file), (std::vector<SortedLeaf>{{0, true, true}}));
  changed[last + 3] = '\x12';  // descending = false
  EXPECT_EQ(order(changed), std::vector<SortedLeaf>{});
  // A column that is not there.
  changed = file;
  for (size_t at = changed.find(list); at != std::string::npos; at = changed.find(list, at + 1)) {
    changed[at + 2] = '\x08';
  }
  EXPECT_EQ(order(changed), std::vector<SortedLeaf>{});
}

TEST(DeclaredOrder, EndsAtATypeThatArrowSortsInAnotherWay) {
  auto sorted = [](const std::shared_ptr<arrow::DataType>& type) {
    const auto facts = FactsOf(*Columns({arrow::int8(), type, arrow::int64()}),
                               {{0, false, false}, {1, false, false}, {2, false, false}});
    return facts->DeclaredOrder().ValueOrDie().size();
  };
  for (const auto& type :
       {arrow::float32(), arrow::float64(), arrow::float16(), arrow::list(arrow::int32())}) {
    EXPECT_EQ(sorted(type), 1u) << type->ToString();
  }
  for (const auto& type :
       {arrow::boolean(), arrow::uint8(), arrow::uint64(), arrow::date32(), arrow::date64(),
        arrow::time32(arrow::TimeUnit::MILLI), arrow::time64(arrow::TimeUnit::NANO),
        arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), arrow::duration(arrow::TimeUnit::NANO),
        arrow::decimal128(5, 2), arrow::decimal128(30, 2), arrow::decimal256(60, 2), arrow::utf8(),
        arrow::large_utf8(), arrow::binary(), arrow::fixed_size_binary(4),
        arrow::dictionary(arrow::int32(), arrow::utf8())}) {
    EXPECT_EQ(sorted(type), 3u) << type->ToString();
  }
}

TEST(DeclaredOrder, Int96HasNone) {
  const auto table = Columns({arrow::timestamp(arrow::TimeUnit::NANO)});
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ASSERT_TRUE(
      ::parquet::arrow::WriteTable(
          *table, arrow::default_memory_pool(), sink, 4, SortedBy({{0, false, false}}),
          ::parquet::ArrowWriterProperties::Builder().enable_deprecated_int96_timestamps()->build())
          .ok());
  MemoryDriver driver(MakeFormat(), sink->Finish().ValueOrDie()->ToString());
  EXPECT_EQ(driver.Facts().ValueOrDie()->DeclaredOrder().ValueOrDie(), std::vector<SortedLeaf>{});
}

TEST(DeclaredOrder, IsKeptWithTheFacts) {
  const auto facts =
      FactsOf(*Columns({arrow::int64(), arrow::utf8()}), {{1, true, true}, {0, false, false}});
  const auto format = MakeFormat();
  const auto saved = format->SaveFacts(*facts);
  ASSERT_TRUE(saved);
  auto file = std::make_shared<SourceFile>();
  file->path = "f";
  file->version.size = 1000;
  const auto restored = format->RestoreFacts(saved->common, saved->own, file).ValueOrDie();
  EXPECT_EQ(restored->DeclaredOrder().ValueOrDie(),
            (std::vector<SortedLeaf>{{1, true, true}, {0, false, false}}));
}

}  // namespace
}  // namespace shoal::formats::parquet
