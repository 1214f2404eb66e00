// CSV with a header. Columns that the Arrow writer has no text for are cast to types that it has.
#include <utility>
#include <vector>

#include <arrow/compute/cast.h>
#include <arrow/csv/writer.h>
#include <arrow/extension_type.h>
#include <arrow/ipc/writer.h>

#include "output_format.h"

namespace shoal::cli {

namespace {

using arrow::Type;

/// The type to write a column as; null if CSV can't hold it.
std::shared_ptr<arrow::DataType> WrittenType(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case Type::NA:
    case Type::BOOL:
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIME32:
    case Type::TIME64:
    case Type::DURATION:
      return type;
    case Type::HALF_FLOAT:
      return arrow::float32();
    case Type::STRING_VIEW:
      return arrow::large_utf8();
    case Type::TIMESTAMP: {
      // Instants are written in UTC, whatever zone they are shown in.
      const auto& timestamp = static_cast<const arrow::TimestampType&>(*type);
      return timestamp.timezone().empty() ? type : arrow::timestamp(timestamp.unit(), "UTC");
    }
    case Type::DICTIONARY:
      return WrittenType(static_cast<const arrow::DictionaryType&>(*type).value_type());
    case Type::EXTENSION:
      return WrittenType(static_cast<const arrow::ExtensionType&>(*type).storage_type());
    default:
      return nullptr;
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> AsWritten(
    std::shared_ptr<arrow::Array> column, const std::shared_ptr<arrow::DataType>& type) {
  if (column->type_id() == Type::EXTENSION) {
    return AsWritten(static_cast<const arrow::ExtensionArray&>(*column).storage(), type);
  }
  if (column->type_id() == Type::DICTIONARY) {
    const auto& value_type =
        static_cast<const arrow::DictionaryType&>(*column->type()).value_type();
    ARROW_ASSIGN_OR_RAISE(column, arrow::compute::Cast(*column, value_type));
    return AsWritten(std::move(column), type);
  }
  if (column->type()->Equals(*type)) return column;
  return arrow::compute::Cast(*column, type);
}

class CsvWriter : public BatchWriter {
 public:
  CsvWriter(std::shared_ptr<arrow::Schema> written,
            std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : written_(std::move(written)), writer_(std::move(writer)) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < batch->num_columns(); ++i) {
      auto column = AsWritten(batch->column(i), written_->field(i)->type());
      if (!column.ok()) {
        return column.status().WithMessage(
            "Column '", batch->column_name(i),
            "' can't be written as CSV: ", column.status().message());
      }
      columns.push_back(*std::move(column));
    }
    return writer_->WriteRecordBatch(
        *arrow::RecordBatch::Make(written_, batch->num_rows(), std::move(columns)));
  }

  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::Schema> written_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

arrow::Result<std::unique_ptr<BatchWriter>> MakeCsvWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink) {
  if (schema->num_fields() == 0) {
    return arrow::Status::Invalid(
        "CSV can't hold rows without columns; name some with --columns, or add --to jsonl or "
        "arrow");
  }
  arrow::FieldVector fields;
  for (const auto& field : schema->fields()) {
    auto type = WrittenType(field->type());
    if (!type) {
      return arrow::Status::NotImplemented(
          "CSV can't hold column '", field->name(), "' of type ", field->type()->ToString(),
          "; leave it out with --columns, or write with --to jsonl, arrow or parquet");
    }
    fields.push_back(field->WithType(std::move(type)));
  }
  auto written = arrow::schema(std::move(fields));
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::csv::MakeCSVWriter(sink, written));
  return std::make_unique<CsvWriter>(std::move(written), std::move(writer));
}

}  // namespace shoal::cli
