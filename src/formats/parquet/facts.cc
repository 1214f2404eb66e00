#include "formats/parquet/facts.h"

#include <algorithm>
#include <cstring>

#include <arrow/util/endian.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/properties.h>

#include "formats/parquet/guard.h"

namespace shoal::formats::parquet {

namespace {

constexpr int64_t kTailBytes = 64 << 10;
constexpr int64_t kFooterEnd = 8;  // footer length, then the magic
constexpr size_t kKnownSchemas = 16;
constexpr int64_t kMaxRows = int64_t{1} << 48;  // of a file; rows of many files can be added up without a thought

bool SameKeyValues(const ::parquet::FileMetaData& a, const ::parquet::FileMetaData& b) {
  const auto& x = a.key_value_metadata();
  const auto& y = b.key_value_metadata();
  if (x == nullptr || y == nullptr) return x == y;
  return x->Equals(*y);
}

class ParquetFactsReader final : public FactsReader {
 public:
  ParquetFactsReader(std::shared_ptr<const SourceFile> file, std::shared_ptr<SchemaConverter> converter)
      : file_(std::move(file)), converter_(std::move(converter)) {}

  arrow::Result<Step> Next(Resident got) override {
    if (got.buffers.empty()) return NeedBytes{{ByteRange::Suffix(kTailBytes)}};
    const arrow::Buffer& tail = *got.buffers[0];
    if (tail.size() < kFooterEnd + 4) {
      return Error("is ", got.file_size, " bytes long, too short for a Parquet file");
    }
    const uint8_t* end = tail.data() + tail.size();
    if (std::memcmp(end - 4, "PARE", 4) == 0) {
      return arrow::Status::NotImplemented("'", file_->path, "' has an encrypted footer, and no keys were given");
    }
    if (std::memcmp(end - 4, "PAR1", 4) != 0) {
      return Error("is not a Parquet file: it does not end in PAR1 (it is of another format, or truncated)");
    }
    uint32_t raw_length;
    std::memcpy(&raw_length, end - kFooterEnd, 4);
    int64_t length = arrow::bit_util::FromLittleEndian(raw_length);
    if (length == 0 || length > got.file_size - kFooterEnd - 4) {
      return Error("is corrupt: its footer claims ", length, " bytes in a file of ", got.file_size);
    }
    if (length + kFooterEnd > tail.size()) return NeedBytes{{ByteRange::Suffix(length + kFooterEnd)}};
    return Guard(file_->path, [&]() -> arrow::Result<Step> {
      auto metadata = ::parquet::FileMetaData::Make(end - kFooterEnd - length, length);
      ARROW_ASSIGN_OR_RAISE(auto facts, MakeFacts(std::move(metadata), got.file_size));
      return Step(std::move(facts));
    });
  }

 private:
  template <typename... Args>
  arrow::Status Error(Args&&... args) const {
    return arrow::Status::Invalid("'", file_->path, "' ", std::forward<Args>(args)...);
  }

  arrow::Result<std::shared_ptr<const FileFacts>> MakeFacts(std::shared_ptr<::parquet::FileMetaData> metadata,
                                                            int64_t file_size) const {
    std::vector<int64_t> rows;
    int64_t total = 0;
    for (int i = 0; i < metadata->num_row_groups(); ++i) {
      auto group = metadata->RowGroup(i);
      if (group->num_rows() < 0 || group->num_rows() > kMaxRows - total) {
        return Error("is corrupt: row group ", i, " claims ", group->num_rows(), " rows");
      }
      total += group->num_rows();
      if (group->num_columns() != metadata->num_columns()) {
        return Error("is corrupt: row group ", i, " has ", group->num_columns(), " columns, the schema has ",
                     metadata->num_columns());
      }
      rows.push_back(group->num_rows());
    }
    auto schema = converter_->Convert(*metadata);
    if (!schema.ok()) return schema.status().WithMessage("'", file_->path, "': ", schema.status().message());
    if (NumLeaves(**schema) != metadata->num_columns()) {
      return arrow::Status::NotImplemented("'", file_->path, "' has ", metadata->num_columns(),
                                           " Parquet columns that read as ", NumLeaves(**schema), " Arrow columns");
    }
    return std::make_shared<const ParquetFacts>(file_->path, *std::move(schema), std::move(metadata), file_size,
                                                std::move(rows));
  }

  std::shared_ptr<const SourceFile> file_;
  std::shared_ptr<SchemaConverter> converter_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> SchemaConverter::Convert(const ::parquet::FileMetaData& metadata) {
  {
    std::lock_guard lock(mutex_);
    for (auto it = known_.rbegin(); it != known_.rend(); ++it) {
      if (it->metadata->schema()->Equals(*metadata.schema()) && SameKeyValues(*it->metadata, metadata)) {
        return it->schema;
      }
    }
  }
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(::parquet::arrow::FromParquetSchema(metadata.schema(), ::parquet::default_arrow_reader_properties(),
                                                          metadata.key_value_metadata(), &schema));
  std::lock_guard lock(mutex_);
  if (known_.size() >= kKnownSchemas) known_.erase(known_.begin());
  // A copy without row groups: the schema must not keep a large footer alive.
  known_.push_back({metadata.Subset({}), schema});
  return schema;
}

std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file,
                                             std::shared_ptr<SchemaConverter> converter) {
  return std::make_unique<ParquetFactsReader>(std::move(file), std::move(converter));
}

ParquetFacts::ParquetFacts(std::string path, std::shared_ptr<arrow::Schema> schema,
                           std::shared_ptr<::parquet::FileMetaData> metadata, int64_t file_size,
                           std::vector<int64_t> row_group_rows)
    : FileFacts(std::move(schema)),
      path_(std::move(path)),
      metadata_(std::move(metadata)),
      file_size_(file_size),
      row_group_rows_(std::move(row_group_rows)) {}

int64_t ParquetFacts::row_group_bytes(int row_group) const {
  auto bytes = Guard(path_, [&]() -> arrow::Result<int64_t> {
    auto group = metadata_->RowGroup(row_group);
    int64_t total = 0;
    for (int i = 0; i < group->num_columns(); ++i) {
      // A lying length is an error when the chunk is read; until then it must not spoil the sum.
      total += std::clamp<int64_t>(group->ColumnChunk(i)->total_compressed_size(), 0, file_size_);
    }
    return total;
  });
  return bytes.ValueOr(0);
}

int64_t ParquetFacts::memory_size() const {
  // The parsed thrift structure is several times its serialised form.
  return static_cast<int64_t>(sizeof(*this)) + 6 * metadata_->size();
}

}  // namespace shoal::formats::parquet
