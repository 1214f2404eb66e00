// The formats that a scan can be written in.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::cli {

enum class OutputFormat { kArrowFile, kArrowStream, kCsv, kJsonLines, kParquet };

/// Writes batches of one schema to a stream. Nothing is complete before Finish().
class BatchWriter {
 public:
  virtual ~BatchWriter() = default;
  virtual arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;
  virtual arrow::Status Finish() = 0;
};

/// The format that `--to name` means for that output, a path or `-`. An empty name: by the
/// extension of the path; JSON lines for standard output.
arrow::Result<OutputFormat> FormatOfOutput(std::string_view name, std::string_view output);

/// Whether people can read the format.
bool IsText(OutputFormat format);

/// A writer of that format. Writes to `sink` only after it is sure that the format can hold the
/// schema; errors name the column that it can't hold. `sink` outlives the writer.
arrow::Result<std::unique_ptr<BatchWriter>> MakeBatchWriter(
    OutputFormat format, const std::shared_ptr<arrow::Schema>& schema,
    arrow::io::OutputStream* sink);

// One for each file output_*.cc.
arrow::Result<std::unique_ptr<BatchWriter>> MakeArrowWriter(
    const std::shared_ptr<arrow::Schema>& schema, bool file, arrow::io::OutputStream* sink);
arrow::Result<std::unique_ptr<BatchWriter>> MakeCsvWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink);
arrow::Result<std::unique_ptr<BatchWriter>> MakeJsonLinesWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink);
arrow::Result<std::unique_ptr<BatchWriter>> MakeParquetWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink);

}  // namespace shoal::cli
