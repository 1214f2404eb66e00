#include "formats/parquet/facts.h"

#include <cstring>

#include <arrow/util/bit_util.h>
#include <arrow/util/endian.h>
#include <parquet/arrow/schema.h>
#include <parquet/properties.h>

#include "base/text.h"
#include "formats/parquet/guard.h"

namespace shoal::formats::parquet {

namespace {

constexpr int64_t kTailBytes = 64 << 10;
constexpr int64_t kFooterEnd = 8;  // footer length, then the magic
constexpr size_t kKnownSchemas = 16;

class ParquetFactsReader final : public FactsReader {
 public:
  ParquetFactsReader(std::shared_ptr<const SourceFile> file,
                     std::shared_ptr<SchemaConverter> converter)
      : file_(std::move(file)), converter_(std::move(converter)) {}

  arrow::Result<Step> Next(Resident got) override {
    if (got.buffers.empty()) return NeedBytes{{ByteRange::Suffix(kTailBytes)}};
    const arrow::Buffer& tail = *got.buffers[0];
    if (tail.size() < kFooterEnd + 4) {
      return Error("is ", got.version.size, got.version.size == 1 ? " byte" : " bytes",
                   " long, too short for a Parquet file");
    }
    const uint8_t* end = tail.data() + tail.size();
    if (std::memcmp(end - 4, "PARE", 4) == 0) {
      return arrow::Status::NotImplemented("'", file_->path,
                                           "' has an encrypted footer, and no keys were given");
    }
    if (std::memcmp(end - 4, "PAR1", 4) != 0) {
      return Error(
          "is not a Parquet file: it does not end in PAR1 (it is of another format, or truncated)");
    }
    uint32_t raw_length;
    std::memcpy(&raw_length, end - kFooterEnd, 4);
    int64_t length = arrow::bit_util::FromLittleEndian(raw_length);
    if (length == 0 || length > got.version.size - kFooterEnd - 4) {
      return Error("is corrupt: its footer claims ", length, " bytes in a file of ",
                   got.version.size);
    }
    if (length + kFooterEnd > tail.size())
      return NeedBytes{{ByteRange::Suffix(length + kFooterEnd)}};
    auto footer = Footer::Parse(
        {reinterpret_cast<const char*>(end - kFooterEnd - length), static_cast<size_t>(length)});
    if (!footer.ok())
      return footer.status().WithMessage("'", file_->path, "': ", footer.status().message());
    ARROW_ASSIGN_OR_RAISE(
        auto facts, MakeFacts(*file_, *std::move(footer), got.version.size, converter_.get()));
    return Step(std::move(facts));
  }

 private:
  template <typename... Args>
  arrow::Status Error(Args&&... args) const {
    return arrow::Status::Invalid("'", file_->path, "' ", std::forward<Args>(args)...);
  }

  std::shared_ptr<const SourceFile> file_;
  std::shared_ptr<SchemaConverter> converter_;
};

/// Parquet and Arrow define names as UTF-8; elsewhere, and by then without the file's name, others
/// would fail at them.
arrow::Status CheckNames(const arrow::FieldVector& fields) {
  for (const auto& field : fields) {
    if (!base::IsUtf8(field->name())) {
      return arrow::Status::Invalid("the name of column '", base::EscapeForMessage(field->name()),
                                    "' is not UTF-8 (bytes beyond ASCII are shown as %XX)");
    }
    ARROW_RETURN_NOT_OK(CheckNames(field->type()->fields()));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<SchemaConverter::Schema> SchemaConverter::Convert(const Footer& footer) {
  const std::string_view schema = footer.schema_bytes(), key_values = footer.key_value_bytes();
  {
    std::lock_guard lock(mutex_);
    for (auto it = known_.rbegin(); it != known_.rend(); ++it) {
      if (it->schema_bytes == schema && it->key_value_bytes == key_values) return it->schema;
    }
  }
  const auto metadata = footer.Narrow({}, {});
  Schema converted;
  converted.num_columns = metadata->num_columns();
  for (int c = 0; c < converted.num_columns; ++c) {
    converted.repeats.push_back(metadata->schema()->Column(c)->max_repetition_level() > 0);
  }
  ARROW_RETURN_NOT_OK(::parquet::arrow::FromParquetSchema(
      metadata->schema(), ::parquet::default_arrow_reader_properties(),
      metadata->key_value_metadata(), &converted.arrow));
  ARROW_RETURN_NOT_OK(CheckNames(converted.arrow->fields()));
  if (NumLeaves(*converted.arrow) != converted.num_columns) {
    return arrow::Status::NotImplemented("it has ", converted.num_columns,
                                         " Parquet columns that read as ",
                                         NumLeaves(*converted.arrow), " Arrow columns");
  }
  std::lock_guard lock(mutex_);
  if (known_.size() >= kKnownSchemas) known_.erase(known_.begin());
  known_.push_back({std::string(schema), std::string(key_values), converted});
  return converted;
}

namespace {

/// Rows are counted, and left out, by what the footer says of them: it must agree with itself.
arrow::Status CheckRows(const SourceFile& file, const Footer& footer,
                        const SchemaConverter::Schema& schema) {
  auto corrupt = [&](auto&&... how) {
    return arrow::Status::Invalid("'", file.path, "' is corrupt: ", how...);
  };
  int64_t total = 0;
  for (int i = 0; i < footer.num_row_groups(); ++i) {
    if (footer.num_columns(i) != schema.num_columns) {
      return corrupt("row group ", i, " has ", footer.num_columns(i),
                     footer.num_columns(i) == 1 ? " column" : " columns", ", the schema has ",
                     schema.num_columns);
    }
    total += footer.rows(i);
    for (int c = 0; c < schema.num_columns; ++c) {
      const int64_t values = footer.num_values(i, c);
      if (schema.repeats[c] ? values >= footer.rows(i) : values == footer.rows(i)) continue;
      return corrupt("row group ", i, " claims ", footer.rows(i),
                     footer.rows(i) == 1 ? " row" : " rows", ", but column ", c, " has ", values,
                     values == 1 ? " value" : " values");
    }
  }
  if (footer.total_rows() >= 0 && footer.total_rows() != total) {
    return corrupt("it claims ", footer.total_rows(), footer.total_rows() == 1 ? " row" : " rows",
                   ", and its row groups ", total);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::shared_ptr<const FileFacts>> MakeFacts(const SourceFile& file, Footer footer,
                                                          int64_t file_size,
                                                          SchemaConverter* converter) {
  using Facts = arrow::Result<std::shared_ptr<const FileFacts>>;
  return Guard(file.path, [&]() -> Facts {
    auto schema = converter->Convert(footer);
    if (!schema.ok())
      return schema.status().WithMessage("'", file.path, "': ", schema.status().message());
    ARROW_RETURN_NOT_OK(CheckRows(file, footer, *schema));
    return std::make_shared<const ParquetFacts>(file.path, schema->arrow, std::move(footer),
                                                file_size);
  });
}

std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file,
                                             std::shared_ptr<SchemaConverter> converter) {
  return std::make_unique<ParquetFactsReader>(std::move(file), std::move(converter));
}

ParquetFacts::ParquetFacts(std::string path, std::shared_ptr<arrow::Schema> schema, Footer footer,
                           int64_t file_size)
    : FileFacts(std::move(schema)),
      path_(std::move(path)),
      footer_(std::move(footer)),
      file_size_(file_size) {}

int64_t ParquetFacts::memory_size() const {
  return static_cast<int64_t>(sizeof(*this) - sizeof(footer_)) + footer_.memory_size();
}

}  // namespace shoal::formats::parquet
