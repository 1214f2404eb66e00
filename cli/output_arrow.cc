// Arrow IPC: the stream format, or the file format with its footer.
#include <map>
#include <utility>
#include <vector>

#include <arrow/ipc/options.h>
#include <arrow/ipc/writer.h>

#include "growing_dictionary.h"
#include "output_format.h"

namespace shoal::cli {

namespace {

class StreamWriter : public BatchWriter {
 public:
  explicit StreamWriter(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : writer_(std::move(writer)) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return writer_->WriteRecordBatch(*batch);
  }
  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

class FileWriter : public BatchWriter {
 public:
  explicit FileWriter(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : writer_(std::move(writer)) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    auto columns = batch->columns();
    for (int i = 0; i < batch->num_columns(); ++i) {
      if (columns[i]->type_id() != arrow::Type::DICTIONARY) continue;
      auto adopted =
          dictionaries_[i].Adopt(std::static_pointer_cast<arrow::DictionaryArray>(columns[i]));
      if (!adopted.ok()) {
        return adopted.status().WithMessage(
            "The values of dictionary column '", batch->column_name(i),
            "' can't be joined: ", adopted.status().message(),
            "; write it with --to parquet, or an Arrow stream with --output -");
      }
      columns[i] = *std::move(adopted);
    }
    return writer_->WriteRecordBatch(
        *arrow::RecordBatch::Make(batch->schema(), batch->num_rows(), std::move(columns)));
  }
  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  std::map<int, GrowingDictionary> dictionaries_;  // by column
};

}  // namespace

arrow::Result<std::unique_ptr<BatchWriter>> MakeArrowWriter(
    const std::shared_ptr<arrow::Schema>& schema, bool file, arrow::io::OutputStream* sink) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  if (!file) {
    ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(sink, schema, options));
    return std::make_unique<StreamWriter>(std::move(writer));
  }
  options.emit_dictionary_deltas = true;
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeFileWriter(sink, schema, options));
  return std::make_unique<FileWriter>(std::move(writer));
}

}  // namespace shoal::cli
