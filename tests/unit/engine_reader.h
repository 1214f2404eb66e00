// Reads fragments the way an engine with a Parquet reader of its own does.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <shoal/file_scan.h>

namespace shoal::oracle {

/// What is read of a file: just the leaves that the adapter names, or everything.
enum class Reads { kLeaves, kColumns, kAll };

/// Batches of config.scan_schema: parquet::arrow reads, the adapter adapts.
arrow::Result<arrow::RecordBatchVector> ReadAsEngine(const FileScanConfig& config,
                                                     const Fragment& fragment, Reads reads,
                                                     int64_t batch_rows = 1000);

}  // namespace shoal::oracle
