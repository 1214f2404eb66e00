// A serialised footer, read as far as needed.
//
// Parsing all of a footer is what opening a Parquet file costs: a file of 400 row groups and 16
// columns has 6,400 column chunks, of which a scan of one column in ten row groups needs ten. The
// outline of a footer (where its parts lie, rows and bytes of its row groups) costs a tenth of
// that, and libparquet is then given a footer with only what it must see.
//
// FileMetaData, RowGroup, ColumnChunk and ColumnMetaData are defined in parquet.thrift of the
// Parquet format specification; the encoding is Thrift's compact protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <parquet/metadata.h>

namespace shoal::formats::parquet {

/// Immutable; safe to use from any thread.
class Footer {
 public:
  /// Walks over `bytes`, a serialised FileMetaData (bytes that follow it are left out). Invalid,
  /// saying what is wrong, if it is not well-formed or claims what cannot be.
  static arrow::Result<Footer> Parse(std::string bytes);

  int num_row_groups() const { return static_cast<int>(row_groups_.size()); }
  int64_t rows(int row_group) const { return row_groups_[row_group].rows; }
  /// Compressed, over all columns.
  int64_t compressed_bytes(int row_group) const { return row_groups_[row_group].compressed_bytes; }
  int num_columns(int row_group) const { return row_groups_[row_group].num_columns; }
  /// Values in a column chunk: as many as there are rows where nothing repeats.
  int64_t num_values(int row_group, int column) const {
    return chunk_values_[row_groups_[row_group].first_chunk + column];
  }
  /// What the file says of all its row groups together; -1 if it does not.
  int64_t total_rows() const { return total_rows_; }
  /// The file that a row group is in, as its first column chunk says; empty: this one, or it has no
  /// column.
  std::string_view file_path(int row_group) const { return View(row_groups_[row_group].file_path); }
  /// The footer with only those row groups, as one of a file that has no others.
  arrow::Result<Footer> Select(const std::vector<int>& row_groups) const;
  /// What the schema is made of, serialised: files with equal bytes have equal schemas.
  std::string_view schema_bytes() const { return View(schema_); }
  std::string_view key_value_bytes() const { return View(key_values_); }
  /// The columns by which the rows of each row group are said to be sorted (RowGroup's
  /// sorting_columns); empty unless all row groups say the same.
  struct SortingColumn {
    int column = 0;
    bool descending = false;
    bool nulls_first = false;
    friend bool operator==(const SortingColumn&, const SortingColumn&) = default;
  };
  std::vector<SortingColumn> sorting_columns() const;

  /// The footer with only those row groups (in that order), of which only the given leaves
  /// (ascending) can be asked for. The schema is whole, and so columns keep their numbers. Throws
  /// what libparquet throws.
  std::shared_ptr<::parquet::FileMetaData> Narrow(const std::vector<int>& row_groups,
                                                  const std::vector<int>& leaves) const;

  /// The bytes in two parts: `common` holds what files of one writer share (the schema, and all
  /// that follows the row groups), `own` the rest. Restore puts them together again; Invalid if
  /// they do not fit each other.
  void Save(std::string* common, std::string* own) const;
  static arrow::Result<Footer> Restore(std::string_view common, std::string_view own);

  /// Bytes of memory.
  int64_t memory_size() const;

 private:
  struct Extent {
    uint32_t begin = 0, end = 0;
  };
  struct RowGroup {
    Extent all;
    Extent columns;    // the chunks, without the list's header
    Extent file_path;  // empty: the file itself
    int64_t rows = 0;
    int64_t compressed_bytes = 0;
    int num_columns = 0;
    size_t first_chunk = 0;  // index into chunk_ends_
  };
  class Parser;

  std::string_view View(Extent e) const {
    return std::string_view(bytes_).substr(e.begin, e.end - e.begin);
  }

  std::string bytes_;
  Extent schema_, key_values_;
  Extent row_group_list_;  // with its header; empty if the field is missing
  Extent sorting_;         // of all row groups; empty if they differ
  std::vector<RowGroup> row_groups_;
  std::vector<uint32_t> chunk_ends_;  // of all row groups
  std::vector<int64_t> chunk_values_;
  int64_t total_rows_ = -1;
};

}  // namespace shoal::formats::parquet
