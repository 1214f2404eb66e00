// How the row groups of a file become pieces of work.
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include <shoal/dataset.h>

#include "formats/parquet/test_files.h"
#include "temporary_directory.h"

namespace shoal::read {
namespace {

using formats::parquet::Numbers;
using formats::parquet::Properties;

const bool kInitialized = arrow::compute::Initialize().ok();

class FileUnits : public ::testing::Test {
 protected:
  void Write(
      const std::string& name, int64_t rows, int64_t row_group_rows,
      const std::shared_ptr<::parquet::WriterProperties>& properties = Properties().build()) {
    std::ofstream(directory_.path() / name, std::ios::binary) << formats::parquet::WriteFile(
        *formats::parquet::OneColumn(Numbers(0, rows)), row_group_rows, properties);
  }
  struct Result {
    std::vector<int64_t> rows;
    ScanMetrics metrics;
  };
  Result Scan(const std::string& filter, ScanOptions options = {},
              std::optional<int64_t> limit = {}) {
    auto dataset = Dataset::Open({directory_.path()}).ValueOrDie();
    ScanRequest request;
    request.limit = limit;
    if (!filter.empty()) request.filter = ParseFilter(filter).ValueOrDie();
    auto stream = dataset->Scan(request, options).ValueOrDie();
    Result result;
    while (auto batch = stream->Next().ValueOrDie()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < values.length(); ++i) result.rows.push_back(values.Value(i));
    }
    result.metrics = stream->metrics();
    return result;
  }
  static std::vector<int64_t> Range(int64_t begin, int64_t end) {
    std::vector<int64_t> out(end - begin);
    std::iota(out.begin(), out.end(), begin);
    return out;
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(FileUnits, SmallRowGroupsAreReadByFewRequests) {
  Write("a.parquet", 2000, 10);
  const auto result = Scan("");
  EXPECT_EQ(result.rows, Range(0, 2000));
  EXPECT_EQ(result.metrics.row_groups_read, 200);
  EXPECT_EQ(result.metrics.batches_returned, 1);
  // The footer, which the schema took first, is not read again; the data lies in one stretch.
  EXPECT_LE(result.metrics.requests, 2);
}

TEST_F(FileUnits, RowGroupsThatTheFilterSettlesAreStillReadInOrder) {
  Write("a.parquet", 2000, 10);
  // Row groups 10 to 12 are true as a whole, 9 and 13 are judged row by row, the others are pruned.
  const auto result = Scan("x >= 95 and x < 135");
  EXPECT_EQ(result.rows, Range(95, 135));
  EXPECT_EQ(result.metrics.row_groups_read, 5);
  EXPECT_EQ(result.metrics.rows_decoded, 50);
}

TEST_F(FileUnits, ALimitReadsNoRowGroupsBeyondIt) {
  for (const char* name : {"a.parquet", "b.parquet", "c.parquet"}) Write(name, 100000, 10000);
  ScanOptions options;
  options.batch_rows = 20000;
  const auto few = Scan("", options, 10);
  EXPECT_EQ(few.rows, Range(0, 10));
  EXPECT_EQ(few.metrics.row_groups_read, 1);
  const auto more = Scan("", options, 15000);
  EXPECT_EQ(more.rows, Range(0, 15000));
  EXPECT_EQ(more.metrics.row_groups_read, 2);
  const auto beyond = Scan("", options, 100001);
  EXPECT_EQ(beyond.rows.size(), 100001u);
  EXPECT_EQ(beyond.rows.back(), 0);
}

TEST_F(FileUnits, ALimitReadsOnlyTheBeginningOfALargeRowGroup) {
  Write("a.parquet", 1000000, 1000000, Properties().disable_dictionary()->build());
  const auto result = Scan("", {}, 10);
  EXPECT_EQ(result.rows, Range(0, 10));
  // 8 MB of numbers, in pages of 1 MB at most.
  EXPECT_LT(result.metrics.bytes_read, 3 << 20);
}

TEST_F(FileUnits, ASkippedFileOfWhichRowsWereReturnedSaysSo) {
  Write("a.parquet", 300, 100, Properties().disable_dictionary()->enable_page_checksum()->build());
  Write("b.parquet", 100, 100);
  std::fstream file(directory_.path() / "a.parquet",
                    std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(2200);  // numbers of the third row group
  file.put('\xff');
  file.close();
  ScanOptions options;
  options.batch_rows = 100;
  options.on_corrupt = OnBadFile::kSkip;
  options.workers = 0;
  const auto result = Scan("", options);
  auto expected = Range(0, 200);
  const auto second = Range(0, 100);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(result.rows, expected);
  ASSERT_EQ(result.metrics.skipped.size(), 1u);
  const std::string& said = result.metrics.skipped[0];
  for (const char* part : {"a.parquet", "row group 2", "rows before that were returned"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in: " << said;
  }
}

TEST_F(FileUnits, PiecesEndWhereABatchIsFull) {
  Write("a.parquet", 1000, 100);
  for (int64_t batch_rows : {1, 99, 100, 101, 250, 1000, 5000}) {
    ScanOptions options;
    options.batch_rows = batch_rows;
    const auto result = Scan("", options);
    EXPECT_EQ(result.rows, Range(0, 1000)) << batch_rows;
    EXPECT_GE(result.metrics.batches_returned, 1000 / batch_rows) << batch_rows;
    // A batch that is half full already is handed on.
    EXPECT_LE(result.metrics.batches_returned, 2 * (1000 / batch_rows) + 1) << batch_rows;
  }
}

}  // namespace
}  // namespace shoal::read
