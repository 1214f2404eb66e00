// What is found out about a CSV file before its rows are read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <shoal/csv.h>
#include <shoal/file_format.h>

#include "formats/csv/records.h"
#include "formats/csv/typing.h"
#include "formats/text/rest_of_file.h"

namespace shoal::formats::csv {

/// A format's options, as the reading needs them.
struct Settings {
  explicit Settings(CsvOptions given);
  Dialect DialectOf(const std::string& path) const;

  CsvOptions options;
  ValueOptions values;
  int64_t piece = 0;  // see text::TextFile
};

/// The beginning of a file.
struct Head {
  std::vector<std::string> names;
  int64_t names_line = 1;
  text::Place data;  // where the records begin, after the names
};

/// How a file of so many columns is cut into records and parsed.
struct Layout {
  Dialect dialect;
  int columns = 0;
  bool blank_is_row = false;
};

class CsvFacts final : public FileFacts {
 public:
  /// What inspection saw of the columns' values.
  struct Seen {
    std::vector<TypeSet> types;
    bool all = false;  // nothing else is in the file
  };

  CsvFacts(std::shared_ptr<arrow::Schema> schema, Head head, Layout layout, int64_t file_size,
           Seen seen, Precision<int64_t> rows, bool declared);

  int num_row_groups() const override { return 1; }
  Precision<int64_t> row_group_rows(int) const override { return rows_; }
  int64_t row_group_bytes(int) const override { return file_size_; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  using FileFacts::Bounds;
  int64_t memory_size() const override;

  const Head& head() const { return head_; }
  const Layout& layout() const { return layout_; }
  int64_t file_size() const { return file_size_; }
  /// Empty where only the names were read.
  const Seen& seen() const { return seen_; }
  Precision<int64_t> rows() const { return rows_; }
  /// Whether the columns' types were declared, not found.
  bool declared() const { return declared_; }

 private:
  Head head_;
  Layout layout_;
  int64_t file_size_;
  Seen seen_;
  Precision<int64_t> rows_;
  bool declared_;
};

/// Names, and the types of the values that it samples.
std::unique_ptr<FactsReader> MakeSampler(std::shared_ptr<const Settings> settings,
                                         std::shared_ptr<const SourceFile> file);
/// Names only; types are the table's.
std::unique_ptr<FactsReader> MakeHeadReader(std::shared_ptr<const Settings> settings,
                                            std::shared_ptr<const SourceFile> file,
                                            TableTypes table);
arrow::Result<std::shared_ptr<const FileFacts>> Retype(const Settings& settings,
                                                       const FactsOf& file,
                                                       const TableTypes& table);
arrow::Result<std::shared_ptr<arrow::Schema>> Union(const std::vector<FactsOf>& files);
std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(const std::vector<FactsOf>& files,
                                                         const std::string& column);

}  // namespace shoal::formats::csv
