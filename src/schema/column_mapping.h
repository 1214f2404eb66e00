// How the columns of one file become the columns of a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <shoal/file_format.h>

#include "schema/cast.h"

namespace shoal::schema {

/// What batches of a file have.
enum class BatchColumns {
  kLeaves,  // just the leaves that are read
  kAll,     // all columns of the schema
};

/// A column of the read schema (by its index) that has one value in the whole file: a partition
/// key. What the file itself has under that name is not read.
struct Constant {
  int field;
  std::shared_ptr<arrow::Scalar> value;
};

/// For one file: which of its leaves to read, and how a batch of them becomes a batch of the *read
/// schema* (columns of the table, perhaps structs with fewer fields). Columns and fields of structs
/// are matched by name; what a file lacks is null. Immutable; safe to use from any thread.
class ColumnMapping {
 public:
  /// Where the values of a field of the read schema (a column, or a field inside structs) come
  /// from.
  struct Source {
    enum Kind {
      kLeaf,      // a leaf of the file
      kConstant,  // one value
      kNull,      // all null: the file lacks it
      kNested,    // more than one leaf, or part of a constant
    };
    Kind kind = kNested;
    int leaf = -1;                            // kLeaf: counted over the file's schema
    std::shared_ptr<arrow::DataType> type;    // kLeaf: in the file
    std::shared_ptr<arrow::Scalar> constant;  // kConstant: of the read schema's type
  };

  /// Errors name the file, the column and both types; `path` is for them.
  static arrow::Result<ColumnMapping> Make(const arrow::Schema& file_schema,
                                           const arrow::Schema& read_schema,
                                           const std::vector<Constant>& constants, std::string path,
                                           CastPolicy policy = CastPolicy::kWidening,
                                           BatchColumns batches = BatchColumns::kLeaves);
  ~ColumnMapping();
  ColumnMapping(ColumnMapping&&) noexcept;
  ColumnMapping& operator=(ColumnMapping&&) noexcept;

  const std::shared_ptr<arrow::Schema>& read_schema() const { return read_schema_; }
  /// The leaves of the file to read, ascending: see UnitRequest::leaves.
  const std::vector<int>& leaves() const { return leaves_; }
  /// REQUIRES: `path` is one of the read schema.
  Source Find(const arrow::FieldPath& path) const;

  /// `batch` has the schema ProjectLeaves(file_schema, leaves()), or file_schema itself if the
  /// mapping is for all columns; the result has read_schema().
  /// Columns that differ in nothing are shared. Errors name the file and the column.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Adapt(const arrow::RecordBatch& batch,
                                                           arrow::MemoryPool* pool) const;

 private:
  struct Node;
  class Builder;
  ColumnMapping();
  std::shared_ptr<arrow::Schema> read_schema_;
  std::string path_;
  std::vector<int> leaves_;
  std::vector<Node> columns_;
};

}  // namespace shoal::schema
