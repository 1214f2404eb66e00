#include "formats/ipc/format.h"

#include <numeric>

#include <arrow/array/util.h>
#include <arrow/extension/uuid.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include "formats/ipc/test_files.h"
#include "testing/memory_file.h"
#include "testing/same_rows.h"

namespace shoal::formats::ipc {
namespace {

using shoal::testing::MemoryFile;

std::vector<int> UpTo(int n) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

arrow::Result<std::shared_ptr<arrow::Table>> ReadAll(const std::string& bytes) {
  MemoryFile file(MakeFormat(), bytes);
  ARROW_ASSIGN_OR_RAISE(auto facts, file.Facts());
  ARROW_ASSIGN_OR_RAISE(auto batches, file.Read(facts, {UpTo(facts->num_row_groups()),
                                                        UpTo(NumLeaves(*facts->schema()))}));
  return arrow::Table::FromRecordBatches(facts->schema(), batches);
}

void ExpectRows(const std::string& bytes, const arrow::Table& expected) {
  auto got = ReadAll(bytes);
  ASSERT_TRUE(got.ok()) << got.status();
  const auto same = testing::SameRows(**got, expected);
  EXPECT_TRUE(same.ok()) << same;
}

void ExpectErrorWith(const arrow::Status& status, std::initializer_list<const char*> parts) {
  ASSERT_FALSE(status.ok());
  for (const char* part : parts)
    EXPECT_NE(status.message().find(part), std::string::npos) << part << " is not in: " << status;
}

/// One column `d` of text, each batch with a dictionary of its own.
arrow::RecordBatchVector WithDictionaries(
    const std::vector<std::pair<std::string, std::string>>& indices_and_values) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  arrow::RecordBatchVector out;
  for (const auto& [indices, values] : indices_and_values) {
    auto array = arrow::DictionaryArray::FromArrays(type, Values(arrow::int8(), indices),
                                                    Values(arrow::utf8(), values))
                     .ValueOrDie();
    out.push_back(arrow::RecordBatch::Make(arrow::schema({arrow::field("d", type)}),
                                           array->length(), {array}));
  }
  return out;
}

TEST(IpcDictionaries, DeltasAddToWhatIsKnownInFilesAndStreams) {
  const auto batches = WithDictionaries({{"[0, 1]", R"(["a", "b"])"},
                                         {"[2, null]", R"(["a", "b", "c"])"},
                                         {"[3]", R"(["a", "b", "c", "d"])"}});
  arrow::ipc::IpcWriteOptions options;
  options.emit_dictionary_deltas = true;
  const auto expected = arrow::Table::FromRecordBatches(batches).ValueOrDie();
  for (const Layout layout : {Layout::kFile, Layout::kStream})
    ExpectRows(WriteBatches(batches, batches[0]->schema(), layout, options), *expected);
}

TEST(IpcDictionaries, OfAStreamAreReplaced) {
  const auto batches = WithDictionaries(
      {{"[0, 1]", R"(["a", "b"])"}, {"[1, 0]", R"(["x", "y"])"}, {"[0]", R"(["b"])"}});
  ExpectRows(WriteBatches(batches, batches[0]->schema(), Layout::kStream),
             *arrow::Table::FromRecordBatches(batches).ValueOrDie());
}

TEST(IpcDictionaries, InDictionariesAndInNestedColumnsAreFound) {
  const auto inner = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto type = arrow::dictionary(arrow::int16(), arrow::list(inner));
  const auto values =
      arrow::DictionaryArray::FromArrays(type, Values(arrow::int16(), "[1, 0, null]"),
                                         Values(arrow::list(inner), R"([["a", "b"], ["b", null]])"))
          .ValueOrDie();
  const auto nested = arrow::struct_({arrow::field("n", arrow::int64()), arrow::field("d", inner)});
  auto table = arrow::Table::Make(
      arrow::schema({arrow::field("o", type), arrow::field("s", nested)}),
      {values, Values(nested, R"([{"n": 1, "d": "k"}, null, {"n": 3, "d": "l"}])")});
  for (const Layout layout : {Layout::kFile, Layout::kStream}) {
    const std::string bytes = WriteTable(*table, 3, layout);
    auto got = ReadAll(bytes);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE((*got)->Equals(*table)) << (*got)->ToString();
    // Of the struct, only its dictionary.
    MemoryFile file(MakeFormat(), bytes);
    auto facts = file.Facts().ValueOrDie();
    auto part = file.Read(facts, {{0}, {2}});
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_EQ((*part)[0]->schema()->field(0)->type()->num_fields(), 1);
  }
}

TEST(IpcFile, OfColumnsThatAreNotWantedNothingIsRead) {
  const int64_t rows = 1000;
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (int i = 0; i < 20; ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), arrow::int64()));
    columns.push_back(arrow::MakeArrayFromScalar(arrow::Int64Scalar(i), rows).ValueOrDie());
  }
  const auto dictionary = arrow::dictionary(arrow::int32(), arrow::utf8());
  fields.push_back(arrow::field("d", dictionary));
  const std::string text(100'000, 'x');
  columns.push_back(arrow::DictionaryArray::FromArrays(
                        dictionary,
                        arrow::MakeArrayFromScalar(arrow::Int32Scalar(0), rows).ValueOrDie(),
                        Values(arrow::utf8(), "[\"" + text + "\"]"))
                        .ValueOrDie());
  const auto table = arrow::Table::Make(arrow::schema(fields), columns);
  for (const Layout layout : {Layout::kFile, Layout::kStream}) {
    MemoryFile file(MakeFormat(), WriteTable(*table, rows, layout));
    auto facts = file.Facts().ValueOrDie();
    const int64_t before = file.bytes_asked();
    auto batches = file.Read(facts, {{0}, {7}, rows}).ValueOrDie();
    ASSERT_EQ(batches.size(), 1u);
    EXPECT_TRUE(batches[0]->column(0)->Equals(columns[7]));
    if (layout == Layout::kFile) {
      EXPECT_LT(file.bytes_asked() - before, rows * 8 + 100);
    }
  }
}

TEST(IpcFile, DictionariesAreReadOnceForUnitsThatLiveTogether) {
  const auto batches = WithDictionaries({{"[0, 1]", R"(["a", "b"])"}, {"[1]", R"(["a", "b"])"}});
  MemoryFile file(MakeFormat(), WriteBatches(batches, batches[0]->schema(), Layout::kFile));
  auto facts = file.Facts().ValueOrDie();
  auto first = MakeFormat()->MakeUnit({file.file(), facts, {0}, {0}}).ValueOrDie();
  auto second = MakeFormat()->MakeUnit({file.file(), facts, {1}, {0}}).ValueOrDie();
  const int64_t before = file.bytes_asked();
  file.Read(facts, {{0}, {0}}).ValueOrDie();
  const int64_t with_dictionary = file.bytes_asked() - before;
  file.Read(facts, {{0}, {0}}).ValueOrDie();
  EXPECT_LT(file.bytes_asked() - before - with_dictionary, with_dictionary);
}

TEST(IpcFile, FilesOfTheOtherByteOrderAreSwapped) {
  const auto xy =
      arrow::struct_({arrow::field("x", arrow::int64()), arrow::field("y", arrow::utf8())});
  const auto d = arrow::dictionary(arrow::int16(), arrow::utf8());
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8()),
                     arrow::field("l", arrow::list(arrow::int64())), arrow::field("xy", xy),
                     arrow::field("e", arrow::decimal128(20, 2)), arrow::field("d", d)}),
      {Values(arrow::int32(), "[1, null, 70000]"), Values(arrow::utf8(), R"(["a", null, "bcd"])"),
       Values(arrow::list(arrow::int64()), "[[1, 2], null, [3]]"),
       Values(xy, R"([{"x": 1, "y": "p"}, null, {"x": 3, "y": null}])"),
       Values(arrow::decimal128(20, 2), R"(["1.00", null, "-3.50"])"),
       Values(d, R"(["k", "l", "k"])")});
  // What a machine of the other byte order would have in memory is written as its file.
  auto swap = [](const std::shared_ptr<arrow::ArrayData>& data) {
    auto out = arrow::internal::SwapEndianArrayData(data).ValueOrDie();
    if (data->dictionary)
      out->dictionary = arrow::internal::SwapEndianArrayData(data->dictionary).ValueOrDie();
    return arrow::MakeArray(out);
  };
  arrow::ArrayVector columns;
  for (const auto& column : table->columns()) columns.push_back(swap(column->chunk(0)->data()));
  const auto foreign = table->schema()->WithEndianness(
      arrow::Endianness::Native == arrow::Endianness::Little ? arrow::Endianness::Big
                                                             : arrow::Endianness::Little);
  const auto batch = arrow::RecordBatch::Make(foreign, 3, columns);
  for (const Layout layout : {Layout::kFile, Layout::kStream})
    ExpectRows(WriteBatches({batch}, foreign, layout), *table);
}

TEST(IpcFile, MetadataOfTheSchemaAndExtensionTypesAreKept) {
  const auto schema = arrow::schema({arrow::field("u", arrow::extension::uuid())},
                                    arrow::key_value_metadata({"author"}, {"somebody"}));
  const auto storage = Values(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])");
  const auto table = arrow::Table::Make(
      schema, {arrow::ExtensionType::WrapArray(arrow::extension::uuid(), storage)});
  for (const Layout layout : {Layout::kFile, Layout::kStream}) {
    auto got = ReadAll(WriteTable(*table, 2, layout)).ValueOrDie();
    EXPECT_TRUE(got->schema()->Equals(*schema, /*check_metadata=*/true))
        << got->schema()->ToString();
    EXPECT_TRUE(got->Equals(*table));
  }
}

TEST(IpcFile, RowsOfManyBatchesAreKnownFromTheFooterAndTheirMetadata) {
  arrow::RecordBatchVector batches;
  const auto schema = arrow::schema({arrow::field("i", arrow::int64())});
  const auto values = arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), 3000).ValueOrDie();
  for (int i = 0; i < 700; ++i) {
    batches.push_back(arrow::RecordBatch::Make(schema, i, {values->Slice(0, i)}));
  }
  MemoryFile file(MakeFormat(), WriteBatches(batches, schema, Layout::kFile));
  auto facts = file.Facts().ValueOrDie();
  ASSERT_EQ(facts->num_row_groups(), 700);
  EXPECT_EQ(facts->num_rows().exact_value(), 700 * 699 / 2);
  EXPECT_EQ(facts->row_group_rows(13).exact_value(), 13);
  EXPECT_LT(file.bytes_asked(), 400'000);
}

TEST(IpcFile, WhatIsNoArrowFileIsNamedAndSaidWhy) {
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("i", arrow::int64())}),
                                        {Values(arrow::int64(), "[1, 2]")});
  const std::string file = WriteTable(*table, 2, Layout::kFile);
  const std::string stream = WriteTable(*table, 2, Layout::kStream);
  ExpectErrorWith(ReadAll("FEA1 and so on FEA1").status(), {MemoryFile::kPath, "version 1"});
  ExpectErrorWith(ReadAll(file.substr(0, file.size() / 2)).status(),
                  {MemoryFile::kPath, "truncated"});
  ExpectErrorWith(ReadAll(stream.substr(0, stream.size() - 20)).status(),
                  {MemoryFile::kPath, "truncated"});
  ExpectErrorWith(ReadAll("i,s\n1,x\n2,y\n").status(), {MemoryFile::kPath, "not Arrow IPC"});
  ExpectErrorWith(ReadAll("x").status(), {MemoryFile::kPath});
  // A stream may end without a word, at the end of a message.
  ExpectRows(stream.substr(0, stream.size() - 8), *table);
}

TEST(IpcFile, ABufferThatPromisesTooMuchIsRefusedBeforeAnythingIsAllocated) {
  const auto table =
      arrow::Table::Make(arrow::schema({arrow::field("i", arrow::int64())}),
                         {arrow::MakeArrayFromScalar(arrow::Int64Scalar(7), 1000).ValueOrDie()});
  std::string file = WriteTable(*table, 1000, Layout::kFile, Compressed(arrow::Compression::ZSTD));
  const int64_t claimed = 8000;
  const size_t at = file.find(std::string(reinterpret_cast<const char*>(&claimed), 8));
  ASSERT_NE(at, std::string::npos);
  const int64_t lie = int64_t{1} << 40;
  file.replace(at, 8, reinterpret_cast<const char*>(&lie), 8);
  ExpectErrorWith(ReadAll(file).status(),
                  {MemoryFile::kPath, "record batch 0", "column 'i'", "1099511627776"});
}

}  // namespace
}  // namespace shoal::formats::ipc
