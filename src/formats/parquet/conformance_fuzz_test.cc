// The laws of formats, and damaged files, for Parquet.
#include <gtest/gtest.h>

#include <shoal/testing/format_conformance.h>

#include "formats/parquet/format.h"
#include "formats/parquet/test_files.h"
#include "temporary_directory.h"

namespace shoal::formats::parquet {
namespace {

TEST(ParquetConformanceFuzz, KeepsTheLawsOfFormatsAndSurvivesDamage) {
  const auto xy =
      arrow::struct_({arrow::field("x", arrow::int64()), arrow::field("y", arrow::utf8())});
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8()),
                     arrow::field("f", arrow::float64()),
                     arrow::field("l", arrow::list(arrow::field("element", arrow::int64()))),
                     arrow::field("st", xy)}),
      {Column(arrow::int32(), "[1, 2, null, 4, 5, 6, 7, 8, 9]"),
       Column(arrow::utf8(), R"(["a", "bb", "a", null, "a", "bb", "", "ccc", "a"])"),
       Column(arrow::float64(), "[0.5, null, 1, 2, 3, 4, 5, 6, 7]"),
       Column(arrow::list(arrow::field("element", arrow::int64())),
              "[[1, 2], [], null, [3], [4, null], [5], [6], [7, 8, 9], []]"),
       Column(xy, R"([{"x": 1, "y": "p"}, null, {"x": null, "y": "q"}, {"x": 4, "y": null},
                      {"x": 5, "y": "p"}, {"x": 6, "y": "p"}, {"x": 7, "y": "p"},
                      {"x": 8, "y": "p"}, {"x": 9, "y": "p"}])")});
  testing::TemporaryDirectory directory;
  testing::FormatConformance conformance;
  conformance.format = MakeFormat();
  conformance.samples = {
      {"plain", WriteFile(*table, 4, Default()), table},
      {"zstd", WriteFile(*table, 9, Properties().compression(arrow::Compression::ZSTD)->build()),
       table},
      {"no rows", WriteFile(*table->Slice(0, 0), 4, Default()), table->Slice(0, 0)},
  };
  conformance.folder = directory.path().string();
  conformance.mutations = 300;
  const arrow::Status status = testing::RunFileFormatConformance(conformance);
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace shoal::formats::parquet
