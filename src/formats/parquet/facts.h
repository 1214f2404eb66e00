// What a Parquet footer tells.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <parquet/metadata.h>

#include <shoal/file_format.h>

namespace shoal::formats::parquet {

class ParquetFacts final : public FileFacts {
 public:
  ParquetFacts(std::string path, std::shared_ptr<arrow::Schema> schema,
               std::shared_ptr<::parquet::FileMetaData> metadata, int64_t file_size,
               std::vector<int64_t> row_group_rows);

  int num_row_groups() const override { return static_cast<int>(row_group_rows_.size()); }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return Precision<int64_t>::Exact(row_group_rows_[row_group]);
  }
  int64_t row_group_bytes(int row_group) const override;
  /// From the column chunk statistics that libparquet holds trustworthy for the writer and the column's order; see
  /// "Statistics" and "Column Orders" in the Parquet format specification.
  arrow::Result<ColumnBounds> Bounds(int leaf) const override;
  int64_t memory_size() const override;

  const std::shared_ptr<::parquet::FileMetaData>& metadata() const { return metadata_; }
  int64_t file_size() const { return file_size_; }

 private:
  std::string path_;  // for errors
  std::shared_ptr<::parquet::FileMetaData> metadata_;
  int64_t file_size_;
  std::vector<int64_t> row_group_rows_;
};

/// Arrow schemas of Parquet schemas. Files of one dataset nearly always share theirs, and converting one costs more
/// than parsing a small footer. Thread-safe.
class SchemaConverter {
 public:
  arrow::Result<std::shared_ptr<arrow::Schema>> Convert(const ::parquet::FileMetaData& metadata);

 private:
  struct Known {
    std::shared_ptr<const ::parquet::FileMetaData> metadata;
    std::shared_ptr<arrow::Schema> schema;
  };
  std::mutex mutex_;
  std::vector<Known> known_;  // most recent last
};

/// Footer in one read of the last 64 KiB, or two when it is longer.
std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file,
                                             std::shared_ptr<SchemaConverter> converter);

}  // namespace shoal::formats::parquet
