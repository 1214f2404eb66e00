// The laws of formats, and damaged files, for Arrow IPC. Run under the sanitizers as well.
#include <arrow/array/util.h>
#include <gtest/gtest.h>

#include <shoal/testing/format_conformance.h>

#include "formats/ipc/format.h"
#include "formats/ipc/test_files.h"
#include "temporary_directory.h"

namespace shoal::formats::ipc {
namespace {

/// Nine rows of every type that can be written as text.
std::shared_ptr<arrow::Table> ManyTypes() {
  const auto n = arrow::int64();
  const auto xy = arrow::struct_({arrow::field("x", n), arrow::field("y", arrow::utf8())});
  struct Column {
    const char* name;
    std::shared_ptr<arrow::DataType> type;
    const char* values;
  };
  const Column columns[] = {
      {"i", arrow::int32(), "[1, 2, null, 4, 5, 6, 7, 8, 9]"},
      {"z", arrow::null(), "[null, null, null, null, null, null, null, null, null]"},
      {"s", arrow::utf8(), R"(["a", "bb", "a", null, "a", "bb", "", "ccc", "a"])"},
      {"ls", arrow::large_utf8(), R"(["a", "bb", "a", null, "a", "bb", "", "ccc", "a"])"},
      {"v", arrow::utf8_view(),
       R"(["short", "a text that is longer", null, "x", "x", "x", "y", "", "another longer text"])"},
      {"f", arrow::float64(), "[0.5, null, 1, 2, 3, 4, 5, 6, 7]"},
      {"b", arrow::boolean(), "[true, false, null, true, true, false, false, true, true]"},
      {"d", arrow::decimal128(20, 2),
       R"(["1.00", "2.50", null, "4.00", "5.00", "6.00", "-7.00", "8.00", "9.00"])"},
      {"t", arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "[1, 2, 3, 4, null, 6, 7, 8, 9]"},
      {"fb", arrow::fixed_size_binary(2),
       R"(["ab", "cd", null, "ef", "gh", "ij", "kl", "mn", "op"])"},
      {"l", arrow::list(n), "[[1, 2], [], null, [3], [4, null], [5], [6], [7, 8, 9], []]"},
      {"lv", arrow::list_view(n), "[[1, 2], [], null, [3], [4, null], [5], [6], [7, 8, 9], []]"},
      {"fl", arrow::fixed_size_list(n, 2),
       "[[1, 2], [3, 4], null, [5, null], [6, 7], [8, 9], [1, 1], [2, 2], [3, 3]]"},
      {"m", arrow::map(arrow::utf8(), xy),
       R"([[["k", {"x": 1, "y": "p"}]], null, [], [["l", null], ["m", {"x": null, "y": "q"}]], [],
           [], [], [], [["n", {"x": 3, "y": null}]]])"},
      {"st", xy,
       R"([{"x": 1, "y": "p"}, null, {"x": null, "y": "q"}, {"x": 4, "y": null}, {"x": 5, "y": "p"},
           {"x": 6, "y": "p"}, {"x": 7, "y": "p"}, {"x": 8, "y": "p"}, {"x": 9, "y": "p"}])"},
      {"c", arrow::dictionary(arrow::int32(), arrow::utf8()),
       R"(["k", "l", "k", null, "k", "l", "l", "k", "m"])"},
      {"lst", arrow::list(xy),
       R"([[{"x": 1, "y": "p"}], [], null, [null], [{"x": 2, "y": "q"}, {"x": 3, "y": "r"}], [], [],
           [], []])"},
      {"u", arrow::dense_union({arrow::field("a", n), arrow::field("b", arrow::utf8())}, {0, 1}),
       R"([[0, 1], [1, "x"], [0, null], [1, null], [0, 2], [0, 3], [1, "y"], [0, 4], [0, 5]])"},
      {"su", arrow::sparse_union({arrow::field("a", n), arrow::field("b", arrow::utf8())}, {0, 1}),
       R"([[0, 1], [1, "x"], [0, null], [1, null], [0, 2], [0, 3], [1, "y"], [0, 4], [0, 5]])"},
  };
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(Values(column.type, column.values));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

std::vector<testing::SampleFile> Samples() {
  const auto table = ManyTypes();
  const auto lz4 = Compressed(arrow::Compression::LZ4_FRAME);
  const auto zstd = Compressed(arrow::Compression::ZSTD);
  arrow::ipc::IpcWriteOptions legacy;
  legacy.write_legacy_ipc_format = true;
  legacy.metadata_version = arrow::ipc::MetadataVersion::V4;
  const auto without_unions = table->SelectColumns({0, 1, 2, 5, 6, 7, 10, 14, 15}).ValueOrDie();
  return {
      {"file", WriteTable(*table, 4, Layout::kFile), table},
      {"file, lz4", WriteTable(*table, 9, Layout::kFile, lz4), table},
      {"file, zstd", WriteTable(*table, 5, Layout::kFile, zstd), table},
      {"file, version 4", WriteTable(*without_unions, 4, Layout::kFile, legacy), without_unions},
      {"file without batches", WriteBatches({}, table->schema(), Layout::kFile),
       table->Slice(0, 0)},
      {"stream", WriteTable(*table, 4, Layout::kStream), table},
      {"stream, zstd", WriteTable(*table, 4, Layout::kStream, zstd), table},
      {"stream, version 4", WriteTable(*without_unions, 4, Layout::kStream, legacy),
       without_unions},
      {"stream without batches", WriteBatches({}, table->schema(), Layout::kStream),
       table->Slice(0, 0)},
  };
}

TEST(IpcConformanceFuzz, KeepsTheLawsOfFormatsAndSurvivesDamage) {
  testing::TemporaryDirectory directory;
  testing::FormatConformance conformance;
  conformance.format = MakeFormat();
  conformance.samples = Samples();
  conformance.folder = directory.path().string();
  conformance.mutations = 600;
  const arrow::Status status = testing::RunFileFormatConformance(conformance);
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace shoal::formats::ipc
