// Parquet files in memory, for tests.
#pragma once

#include <memory>
#include <string>

#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <arrow/table.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

namespace shoal::formats::parquet {

using Properties = ::parquet::WriterProperties::Builder;

inline std::string WriteFile(const arrow::Table& table, int64_t row_group_rows,
                             const std::shared_ptr<::parquet::WriterProperties>& properties,
                             bool store_schema = true) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ::parquet::ArrowWriterProperties::Builder arrow_properties;
  if (store_schema) arrow_properties.store_schema();
  arrow::Status written =
      ::parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, row_group_rows,
                                   properties, arrow_properties.build());
  if (!written.ok()) written.Abort();
  return sink->Finish().ValueOrDie()->ToString();
}

inline std::shared_ptr<arrow::ChunkedArray> Column(const std::shared_ptr<arrow::DataType>& type,
                                                   const std::string& json) {
  return std::make_shared<arrow::ChunkedArray>(
      arrow::json::ArrayFromJSONString(type, json).ValueOrDie());
}

inline std::shared_ptr<arrow::Table> OneColumn(const std::shared_ptr<arrow::ChunkedArray>& values) {
  return arrow::Table::Make(arrow::schema({arrow::field("x", values->type())}), {values});
}

inline std::shared_ptr<::parquet::WriterProperties> Default() { return Properties().build(); }

/// The numbers first, first + 1, ...
inline std::shared_ptr<arrow::ChunkedArray> Numbers(int64_t first, int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) {
    if (arrow::Status appended = builder.Append(first + i); !appended.ok()) appended.Abort();
  }
  return std::make_shared<arrow::ChunkedArray>(builder.Finish().ValueOrDie());
}

}  // namespace shoal::formats::parquet
