// What is found out about a file of JSON lines before its rows are read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <shoal/file_format.h>
#include <shoal/json.h>

#include "formats/json/shape.h"

namespace shoal::formats::json {

class JsonFacts final : public FileFacts {
 public:
  JsonFacts(std::shared_ptr<arrow::Schema> schema, Shape shape, int64_t file_size,
            Precision<int64_t> rows, bool declared)
      : FileFacts(std::move(schema)),
        shape_(std::move(shape)),
        file_size_(file_size),
        rows_(rows),
        declared_(declared) {}

  int num_row_groups() const override { return 1; }
  Precision<int64_t> row_group_rows(int) const override { return rows_; }
  int64_t row_group_bytes(int) const override { return file_size_; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  using FileFacts::Bounds;
  int64_t memory_size() const override { return 1000 + shape_.memory_size(); }

  /// Of the lines that inspection saw.
  const Shape& shape() const { return shape_; }
  int64_t file_size() const { return file_size_; }
  Precision<int64_t> rows() const { return rows_; }
  /// Whether the columns' types were declared, not found.
  bool declared() const { return declared_; }

 private:
  Shape shape_;
  int64_t file_size_;
  Precision<int64_t> rows_;
  bool declared_;
};

std::unique_ptr<FactsReader> MakeSampler(JsonOptions options,
                                         std::shared_ptr<const SourceFile> file);
/// Of a file whose columns are those of the table, since its lines may lack any key.
std::unique_ptr<FactsReader> MakeTypedReader(std::shared_ptr<const SourceFile> file,
                                             TableTypes table);
std::shared_ptr<const FileFacts> Retype(const JsonFacts& facts, const TableTypes& table);
arrow::Result<std::shared_ptr<arrow::Schema>> Union(const std::vector<FactsOf>& files);
std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(const std::vector<FactsOf>& files,
                                                         const std::string& column);

/// "'PATH', line N: ..."
arrow::Status ErrorAt(const std::string& path, int64_t line, const std::string& message);
/// Whether there is nothing but blanks in it.
bool IsBlank(std::string_view line);
/// The first line, without its end; both are taken off the text.
std::string_view TakeLine(std::string_view* text);
std::string_view WithoutByteOrderMark(std::string_view text);

}  // namespace shoal::formats::json
