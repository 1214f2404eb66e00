// Parquet, with Snappy compression and the Arrow schema kept beside the Parquet one.
#include <utility>

#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include "output_format.h"

namespace shoal::cli {

namespace {

/// Runs `call`, which returns a Status and may throw as libparquet does.
template <typename Call>
arrow::Status Guarded(Call&& call) {
  BEGIN_PARQUET_CATCH_EXCEPTIONS
  return call();
  END_PARQUET_CATCH_EXCEPTIONS
}

std::shared_ptr<parquet::ArrowWriterProperties> ArrowProperties() {
  return parquet::ArrowWriterProperties::Builder().store_schema()->build();
}

class ParquetWriter : public BatchWriter {
 public:
  explicit ParquetWriter(std::unique_ptr<parquet::arrow::FileWriter> writer)
      : writer_(std::move(writer)) {}

  // Batches are gathered into row groups of the default number of rows.
  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return Guarded([&] { return writer_->WriteRecordBatch(*batch); });
  }

  arrow::Status Finish() override {
    return Guarded([&] { return writer_->Close(); });
  }

 private:
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

/// Types that Parquet has no place for, found before anything is written.
arrow::Status CheckColumn(const std::shared_ptr<arrow::Field>& field,
                          const parquet::WriterProperties& properties) {
  const arrow::Status status = Guarded([&] {
    std::shared_ptr<parquet::SchemaDescriptor> unused;
    return parquet::arrow::ToParquetSchema(arrow::schema({field}).get(), properties,
                                           *ArrowProperties(), &unused);
  });
  if (status.ok()) return status;
  return arrow::Status::NotImplemented(
      "Parquet can't hold column '", field->name(), "' of type ", field->type()->ToString(),
      "; leave it out with --columns, or write with --to jsonl or arrow");
}

}  // namespace

arrow::Result<std::unique_ptr<BatchWriter>> MakeParquetWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink) {
  if (schema->num_fields() == 0) {
    return arrow::Status::Invalid(
        "Parquet can't hold rows without columns; name some with --columns, or add --to jsonl or "
        "arrow");
  }
  auto properties =
      parquet::WriterProperties::Builder().compression(parquet::Compression::SNAPPY)->build();
  for (const auto& field : schema->fields()) ARROW_RETURN_NOT_OK(CheckColumn(field, *properties));
  // The writer wants to own its sink; this one belongs to the caller.
  std::shared_ptr<arrow::io::OutputStream> shared(sink, [](arrow::io::OutputStream*) {});
  std::unique_ptr<parquet::arrow::FileWriter> writer;
  ARROW_RETURN_NOT_OK(Guarded([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(
        writer, parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), shared,
                                                 properties, ArrowProperties()));
    return arrow::Status::OK();
  }));
  return std::make_unique<ParquetWriter>(std::move(writer));
}

}  // namespace shoal::cli
