// JSON lines: one object a row.
#include <vector>

#include "json_text.h"
#include "output_format.h"

namespace shoal::cli {

namespace {

constexpr size_t kFlushBytes = size_t{1} << 20;

class JsonLinesWriter : public BatchWriter {
 public:
  JsonLinesWriter(const arrow::Schema& schema, arrow::io::OutputStream* sink) : sink_(sink) {
    for (const auto& field : schema.fields()) {
      std::string prefix = prefixes_.empty() ? "{" : ",";
      AppendJsonString(field->name(), &prefix);
      prefixes_.push_back(prefix + ":");
    }
  }

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      if (prefixes_.empty()) text_ += '{';
      for (size_t c = 0; c < prefixes_.size(); ++c) {
        text_ += prefixes_[c];
        const int column = static_cast<int>(c);
        const arrow::Status status = AppendJson(*batch->column(column), row, &text_);
        if (!status.ok()) {
          return status.WithMessage("Column '", batch->column_name(column), "' ", status.message(),
                                    "; write it with --to arrow");
        }
      }
      text_ += "}\n";
      if (text_.size() >= kFlushBytes) ARROW_RETURN_NOT_OK(Flush());
    }
    return Flush();
  }

  arrow::Status Finish() override { return Flush(); }

 private:
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(sink_->Write(text_));
    text_.clear();
    return arrow::Status::OK();
  }

  arrow::io::OutputStream* const sink_;
  std::vector<std::string> prefixes_;  // of each column: what stands before its value
  std::string text_;
};

}  // namespace

arrow::Result<std::unique_ptr<BatchWriter>> MakeJsonLinesWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink) {
  for (const auto& field : schema->fields()) {
    ARROW_RETURN_NOT_OK(CheckJsonType(field->name(), *field->type()));
  }
  return std::make_unique<JsonLinesWriter>(*schema, sink);
}

}  // namespace shoal::cli
