// Whether the suite finds formats that break a law, by a small format that can break each.
#include <shoal/testing/format_conformance.h>

#include <cstring>
#include <stdexcept>

#include <arrow/array/builder_primitive.h>
#include <gtest/gtest.h>

#include <shoal/simple_format.h>

#include "temporary_directory.h"
#include "testing/memory_file.h"

namespace shoal::testing {
namespace {

enum class Fault {
  kNone,
  kLosesLastRow,
  kCountsWrongly,
  kReordersPieces,
  kIgnoresProjection,
  kThrows,
  kOtherSchema,
};

/// The letter N, the number of rows (8 bytes), and the rows: int64s. Two rows a piece.
class Numbers final : public SimpleFormat {
 public:
  explicit Numbers(Fault fault) : fault_(fault) {}
  std::string_view name() const override { return "numbers"; }
  std::vector<std::string_view> extensions() const override { return {".num"}; }

  arrow::Result<Facts> Inspect(const File& file) const override {
    ARROW_ASSIGN_OR_RAISE(auto header, file->ReadAt(0, kHeader));
    if (header->size() < kHeader || header->data()[0] != 'N')
      return arrow::Status::Invalid("this is no file of numbers");
    if (fault_ == Fault::kThrows && header->data()[1] > 100) throw std::runtime_error("too many");
    int64_t rows;
    std::memcpy(&rows, header->data() + 1, sizeof(rows));
    ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
    if (rows < 0 || (size - kHeader) % 8 != 0 || (size - kHeader) / 8 != rows) {
      return arrow::Status::Invalid("its size is wrong");
    }
    Facts facts{
        arrow::schema({arrow::field(fault_ == Fault::kOtherSchema ? "m" : "n", arrow::int64())}),
        {}};
    for (int64_t at = 0; at < rows; at += 2) {
      const int64_t n = std::min<int64_t>(2, rows - at);
      facts.pieces.push_back({kHeader + at * 8, n * 8,
                              fault_ == Fault::kLosesLastRow || fault_ == Fault::kReordersPieces
                                  ? Precision<int64_t>::Absent()
                                  : Precision<int64_t>::Exact(n)});
    }
    if (facts.pieces.empty()) facts.pieces.push_back({kHeader, 0, Precision<int64_t>::Exact(0)});
    if (fault_ == Fault::kCountsWrongly) facts.pieces.back().rows = Precision<int64_t>::Exact(7);
    if (fault_ == Fault::kReordersPieces) std::swap(facts.pieces.front(), facts.pieces.back());
    return facts;
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const File& file,
                                                                const Facts& facts, int piece,
                                                                const std::vector<int>& columns,
                                                                arrow::MemoryPool*) const override {
    const Piece& where = facts.pieces[piece];
    ARROW_ASSIGN_OR_RAISE(auto bytes, file->ReadAt(where.offset, where.length));
    int64_t rows = bytes->size() / 8;
    if (fault_ == Fault::kLosesLastRow && rows == 1) rows = 0;
    arrow::Int64Builder builder;
    ARROW_RETURN_NOT_OK(
        builder.AppendValues(reinterpret_cast<const int64_t*>(bytes->data()), rows));
    ARROW_ASSIGN_OR_RAISE(auto values, builder.Finish());
    auto schema = facts.schema;
    arrow::ArrayVector arrays = {values};
    if (fault_ == Fault::kIgnoresProjection) {
      ARROW_ASSIGN_OR_RAISE(schema, schema->AddField(1, arrow::field("more", arrow::int64())));
      arrays.push_back(values);
    }
    return arrow::RecordBatchReader::Make({arrow::RecordBatch::Make(schema, rows, arrays)});
  }

 private:
  static constexpr int64_t kHeader = 9;
  const Fault fault_;
};

arrow::Status RunWith(Fault fault) {
  arrow::Int64Builder builder;
  std::string bytes = "N";
  const int64_t rows = 5;
  bytes.append(reinterpret_cast<const char*>(&rows), 8);
  for (int64_t i = 0; i < rows; ++i) {
    ARROW_RETURN_NOT_OK(builder.Append(i));
    bytes.append(reinterpret_cast<const char*>(&i), 8);
  }
  ARROW_ASSIGN_OR_RAISE(auto values, builder.Finish());
  auto table = arrow::Table::Make(arrow::schema({arrow::field("n", arrow::int64())}), {values});
  TemporaryDirectory directory;
  FormatConformance conformance;
  conformance.format = MakeFileFormat(std::make_shared<Numbers>(fault));
  conformance.samples = {{"five", bytes, table}};
  conformance.folder = directory.path().string();
  return RunFileFormatConformance(conformance);
}

TEST(FormatConformance, AFormatThatKeepsTheLawsPasses) {
  const auto status = RunWith(Fault::kNone);
  EXPECT_TRUE(status.ok()) << status;
}

TEST(FormatConformance, FormatsThatBreakALawAreFoundOut) {
  for (const Fault fault : {Fault::kLosesLastRow, Fault::kCountsWrongly, Fault::kReordersPieces,
                            Fault::kIgnoresProjection, Fault::kOtherSchema}) {
    const auto status = RunWith(fault);
    EXPECT_FALSE(status.ok()) << static_cast<int>(fault);
    EXPECT_NE(status.message().find("five"), std::string::npos) << status;
  }
}

TEST(SimpleFormat, WhatUsersCodeThrowsIsAnErrorThatNamesTheFile) {
  const auto status = RunWith(Fault::kThrows);
  EXPECT_TRUE(status.ok()) << status;  // an error that names the file is what damage should give
  MemoryFile file(MakeFileFormat(std::make_shared<Numbers>(Fault::kThrows)),
                  "N" + std::string(8, '\x7f'));
  const auto thrown = file.Facts().status();
  EXPECT_NE(thrown.message().find("too many"), std::string::npos) << thrown;
  EXPECT_NE(thrown.message().find(MemoryFile::kPath), std::string::npos) << thrown;
}

/// Reads all over the file before it answers.
class Wanderer final : public SimpleFormat {
 public:
  std::string_view name() const override { return "wanderer"; }
  std::vector<std::string_view> extensions() const override { return {".wan"}; }
  arrow::Result<Facts> Inspect(const File& file) const override {
    ++calls_;
    ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
    for (int64_t at = 0; at < size; at += size / 5)
      ARROW_RETURN_NOT_OK(file->ReadAt(at, 10).status());
    return Facts{arrow::schema({arrow::field("n", arrow::int64())}), {}};
  }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const File&, const Facts&, int,
                                                                const std::vector<int>&,
                                                                arrow::MemoryPool*) const override {
    return arrow::Status::NotImplemented("it only inspects");
  }
  mutable int calls_ = 0;
};

TEST(SimpleFormat, InspectIsCalledAgainUntilAllThatItReadsIsThere) {
  auto wanderer = std::make_shared<Wanderer>();
  MemoryFile file(MakeFileFormat(wanderer), std::string(1'000'000, 'x'));
  auto facts = file.Facts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ((*facts)->num_row_groups(), 1);
  EXPECT_EQ(wanderer->calls_, 6);
  EXPECT_LT(file.bytes_asked(), 500'000);
}

}  // namespace
}  // namespace shoal::testing
