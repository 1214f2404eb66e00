// Arrow IPC files in memory, for tests.
#pragma once

#include <memory>
#include <string>

#include <arrow/io/memory.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/json/from_string.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>

namespace shoal::formats::ipc {

enum class Layout { kFile, kStream };

inline std::string WriteBatches(const arrow::RecordBatchVector& batches,
                                const std::shared_ptr<arrow::Schema>& schema, Layout layout,
                                const arrow::ipc::IpcWriteOptions& options = {}) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer = layout == Layout::kFile ? arrow::ipc::MakeFileWriter(sink, schema, options)
                                        : arrow::ipc::MakeStreamWriter(sink, schema, options);
  arrow::Status status = writer.status();
  for (size_t i = 0; i < batches.size() && status.ok(); ++i)
    status = (*writer)->WriteRecordBatch(*batches[i]);
  if (status.ok()) status = (*writer)->Close();
  if (!status.ok()) status.Abort();
  return sink->Finish().ValueOrDie()->ToString();
}

inline std::string WriteTable(const arrow::Table& table, int64_t batch_rows, Layout layout,
                              const arrow::ipc::IpcWriteOptions& options = {}) {
  arrow::TableBatchReader reader(table);
  reader.set_chunksize(batch_rows);
  return WriteBatches(reader.ToRecordBatches().ValueOrDie(), table.schema(), layout, options);
}

inline arrow::ipc::IpcWriteOptions Compressed(arrow::Compression::type compression) {
  arrow::ipc::IpcWriteOptions options;
  options.codec = arrow::util::Codec::Create(compression).ValueOrDie();
  return options;
}

inline std::shared_ptr<arrow::Array> Values(const std::shared_ptr<arrow::DataType>& type,
                                            const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

}  // namespace shoal::formats::ipc
