#include <limits>
#include <string>

#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/bit_util.h>
#include <gtest/gtest.h>

#include "formats/memory_driver.h"
#include "formats/parquet/format.h"
#include "formats/parquet/test_files.h"

namespace shoal::formats::parquet {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

TEST(RowGroupUnit, AFlippedByteInACheckedPageNamesFileRowGroupAndColumn) {
  auto table = arrow::Table::Make(arrow::schema({arrow::field("first", arrow::int64()),
                                                 arrow::field("second", arrow::int64())}),
                                  {Numbers(0, 100), Numbers(1000, 100)});
  const std::string sound =
      WriteFile(*table, 50, Properties().disable_dictionary()->enable_page_checksum()->build());
  MemoryDriver intact(MakeFormat(), sound);
  auto facts = intact.Facts().ValueOrDie();
  ASSERT_EQ(intact.All().ValueOrDie().size(), 2u);
  // The last data byte of the first row group's second column lies just before the second row
  // group.
  const int64_t in_first_group = 4 + facts->row_group_bytes(0) - 10;
  std::string flipped = sound;
  flipped[in_first_group] ^= 1;
  MemoryDriver driver(MakeFormat(), flipped);
  const arrow::Status status = driver.All().status();
  ASSERT_FALSE(status.ok());
  for (const char* part : {MemoryDriver::kPath, "row group 0", "second"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << part << " is not in: " << status;
  }
}

TEST(RowGroupUnit, AnyNumberOfRowsABatchGivesTheSameRowsAndNoMoreMemory) {
  const std::string file = WriteFile(*OneColumn(Numbers(0, 100)), 40, Default());
  for (int64_t batch_rows : {int64_t{1}, int64_t{7}, int64_t{40}, int64_t{1} << 40,
                             std::numeric_limits<int64_t>::max()}) {
    MemoryDriver driver(MakeFormat(), file);
    arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
    auto batches = driver.All(batch_rows, &pool);
    ASSERT_TRUE(batches.ok()) << batch_rows << ": " << batches.status();
    int64_t next = 0;
    for (const auto& batch : *batches) {
      EXPECT_LE(batch->num_rows(), batch_rows);
      const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < values.length(); ++i) ASSERT_EQ(values.Value(i), next++);
    }
    EXPECT_EQ(next, 100);
    EXPECT_LT(pool.max_memory(), 16 << 20) << batch_rows;
  }
}

TEST(RowGroupUnit, RowGroupsReadTogetherGiveTheirRowsInTheOrderAskedFor) {
  const std::string file = WriteFile(*OneColumn(Numbers(0, 100)), 10, Default());
  MemoryDriver driver(MakeFormat(), file);
  auto facts = driver.Facts().ValueOrDie();
  ASSERT_EQ(facts->num_row_groups(), 10);
  auto batches = driver.RowGroups(facts, {7, 2, 3}, {0}).ValueOrDie();
  ASSERT_EQ(batches.size(), 1u);
  const auto& values = static_cast<const arrow::Int64Array&>(*batches[0]->column(0));
  ASSERT_EQ(values.length(), 30);
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(values.Value(i), 70 + i);
    EXPECT_EQ(values.Value(10 + i), 20 + i);
    EXPECT_EQ(values.Value(20 + i), 30 + i);
  }
}

TEST(RowGroupUnit, FewWantedRowsTakeFewBytesAndMoreAreStillToBeHad) {
  const std::string file =
      WriteFile(*OneColumn(Numbers(0, 1000000)), 1000000,
                Properties().disable_dictionary()->data_pagesize(64 << 10)->build());
  for (int64_t rows_wanted : {1, 10, 1000, 100000, 249999, 500000, 1000000}) {
    MemoryDriver driver(MakeFormat(), file);
    auto facts = driver.Facts().ValueOrDie();
    const int64_t before = driver.requests();
    int64_t next = 0;
    for (const auto& batch :
         driver.RowGroups(facts, {0}, {0}, 1000, arrow::default_memory_pool(), rows_wanted)
             .ValueOrDie()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < values.length(); ++i)
        ASSERT_EQ(values.Value(i), next++) << rows_wanted;
    }
    EXPECT_EQ(next, 1000000) << rows_wanted;
    // The beginning first, where that is much less than all of it; then more, then all.
    EXPECT_EQ(driver.requests() - before, rows_wanted <= 100000 ? 3 : 1) << rows_wanted;
  }
}

TEST(RowGroupUnit, DamageIsToldHoweverFewRowsAreWanted) {
  const auto words = Column(arrow::dictionary(arrow::int32(), arrow::utf8()), R"(["a", "b", "c"])");
  arrow::ArrayVector chunks(40000, words->chunk(0));
  const auto many = arrow::Concatenate(chunks).ValueOrDie();
  std::string file = WriteFile(*OneColumn(std::make_shared<arrow::ChunkedArray>(many)), 1 << 20,
                               Properties().data_pagesize(1000)->build());
  MemoryDriver intact(MakeFormat(), file);
  auto facts = intact.Facts().ValueOrDie();
  // Indices of the first data page that point outside of the dictionary.
  const size_t entry = file.find("c", 4);
  for (size_t at = entry + 60; at < entry + 100; ++at) file[at] = '\xff';
  for (int64_t rows_wanted : {int64_t{10}, int64_t{1000}, int64_t{1} << 40}) {
    MemoryDriver driver(MakeFormat(), file);
    EXPECT_FALSE(driver
                     .RowGroups(driver.Facts().ValueOrDie(), {0}, {0}, 100,
                                arrow::default_memory_pool(), rows_wanted)
                     .ok())
        << rows_wanted;
  }
}

TEST(RowGroupUnit, RowGroupsReadTogetherKeepTheirOwnDictionaries) {
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  auto words = arrow::ChunkedArray::Make({Column(type, R"(["a", "b", "a"])")->chunk(0),
                                          Column(type, R"(["c", null, "b"])")->chunk(0)})
                   .ValueOrDie();
  MemoryDriver driver(MakeFormat(), WriteFile(*OneColumn(words), 3, Default()));
  auto facts = driver.Facts().ValueOrDie();
  std::string text;
  for (const auto& batch : driver.RowGroups(facts, {0, 1}, {0}).ValueOrDie()) {
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      auto value = batch->column(0)->GetScalar(i).ValueOrDie();
      text += value->is_valid ? static_cast<const arrow::DictionaryScalar&>(*value)
                                    .GetEncodedValue()
                                    .ValueOrDie()
                                    ->ToString()
                              : "-";
    }
  }
  EXPECT_EQ(text, "abac-b");
}

/// Every byte of the data, changed in several ways: what is read must lie inside its dictionary.
void CheckDamagedIndices(const std::shared_ptr<arrow::DataType>& type) {
  const auto words = Column(
      type->id() == arrow::Type::DICTIONARY ? arrow::dictionary(arrow::int32(), arrow::utf8())
                                            : type,
      R"(["a", "a text that is longer", "b", null, "c", "a", "b", "d", "e", "a", "a", "a", "a", "a"])");
  const std::string sound = WriteFile(*OneColumn(words), 100, Default());
  MemoryDriver intact(MakeFormat(), sound);
  const int64_t data_end = 4 + intact.Facts().ValueOrDie()->row_group_bytes(0);
  int read = 0;
  for (int64_t at = 4; at < data_end; ++at) {
    for (int change : {0x01, 0x02, 0x10, 0x40, 0x80, 0xff, 0x7f}) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      MemoryDriver driver(MakeFormat(), damaged);
      auto batches = driver.All();
      if (!batches.ok()) continue;
      ++read;
      for (const auto& batch : *batches) {
        const arrow::Status valid = batch->ValidateFull();
        // Text may have become something else than UTF-8, as the file says; that is all that may be
        // wrong.
        EXPECT_TRUE(valid.ok() || valid.message().find("UTF8") != std::string::npos)
            << type->ToString() << ", byte " << at << " ^ " << change << ": " << valid;
      }
    }
  }
  EXPECT_GT(read, 0);
}

TEST(RowGroupUnit, DamagedIndicesNeverPointOutsideOfTheDictionary) {
  CheckDamagedIndices(arrow::utf8());
  CheckDamagedIndices(arrow::utf8_view());
  CheckDamagedIndices(arrow::dictionary(arrow::int32(), arrow::utf8()));
}

TEST(RowGroupUnit, DictionariesBelowNullStructsNeedNoEntries) {
  auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  auto st = arrow::struct_({arrow::field("d", type, /*nullable=*/false)});
  auto values = Column(type, R"(["a", "a", "a"])")->chunk(0);
  auto no_row = arrow::AllocateEmptyBitmap(3).ValueOrDie();
  auto nulls = std::make_shared<arrow::ChunkedArray>(
      std::make_shared<arrow::StructArray>(st, 3, arrow::ArrayVector{values}, no_row));
  // Read from plain pages, the dictionary has the values of rows only: none.
  Properties properties;
  properties.disable_dictionary();
  MemoryDriver driver(MakeFormat(), WriteFile(*OneColumn(nulls), 3, properties.build()));
  auto facts = driver.Facts().ValueOrDie();
  auto batches = driver.RowGroups(facts, {0}, {0});
  ASSERT_TRUE(batches.ok()) << batches.status();
  auto valid = (*batches)[0]->ValidateFull();
  EXPECT_TRUE(valid.ok()) << valid;
  EXPECT_EQ((*batches)[0]->column(0)->null_count(), 3);
}

}  // namespace
}  // namespace shoal::formats::parquet
