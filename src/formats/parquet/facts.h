// What a Parquet footer tells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <shoal/file_format.h>

#include "base/fork_mutex.h"
#include "formats/parquet/footer.h"

namespace shoal::formats::parquet {

class ParquetFacts final : public FileFacts {
 public:
  ParquetFacts(std::string path, std::shared_ptr<arrow::Schema> schema, Footer footer,
               int64_t file_size);

  int num_row_groups() const override { return footer_.num_row_groups(); }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return Precision<int64_t>::Exact(footer_.rows(row_group));
  }
  int64_t row_group_bytes(int row_group) const override {
    return footer_.compressed_bytes(row_group);
  }
  /// From the column chunk statistics that libparquet holds trustworthy for the writer and the
  /// column's order; see "Statistics" and "Column Orders" in the Parquet format specification.
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override;
  using FileFacts::Bounds;
  /// From the sorting columns of the row groups; see "SortingColumn" in parquet.thrift.
  arrow::Result<std::vector<SortedLeaf>> DeclaredOrder() const override;
  int64_t memory_size() const override;

  const Footer& footer() const { return footer_; }
  int64_t file_size() const { return file_size_; }

 private:
  std::string path_;  // for errors
  Footer footer_;
  int64_t file_size_;
};

/// The type that a leaf of a file's schema is read as.
std::shared_ptr<arrow::DataType> LeafType(const arrow::Schema& schema, int leaf);

/// Arrow schemas of Parquet schemas. Files of one dataset nearly always share theirs, and
/// converting one costs more than all else about a small footer. Thread-safe.
class SchemaConverter {
 public:
  struct Schema {
    std::shared_ptr<arrow::Schema> arrow;
    int num_columns = 0;        // of Parquet, which are the leaves of Arrow's
    std::vector<bool> repeats;  // each, whether a row may have several values of it
  };
  /// Throws what libparquet throws.
  arrow::Result<Schema> Convert(const Footer& footer);

 private:
  struct Known {
    std::string schema_bytes, key_value_bytes;
    Schema schema;
  };
  base::ForkMutex mutex_;
  std::vector<Known> known_;  // most recent last
};

/// The facts of the file whose footer that is. Invalid if the footer contradicts itself.
arrow::Result<std::shared_ptr<const FileFacts>> MakeFacts(const SourceFile& file, Footer footer,
                                                          int64_t file_size,
                                                          SchemaConverter* converter);

/// Footer in one read of the last 64 KiB, or two when it is longer.
std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file,
                                             std::shared_ptr<SchemaConverter> converter);

}  // namespace shoal::formats::parquet
