// The row groups of one file as containers.
#pragma once

#include <map>
#include <memory>

#include <shoal/file_format.h>

#include "prune/pruner.h"
#include "schema/column_mapping.h"

namespace shoal::prune {

/// Knowledge of the columns of a mapping's read schema in each row group of a file: partition keys
/// and columns that the file lacks are constants, the rest has the file's bounds. `row_index`: the
/// column that counts the rows of the file, or -1. Holds references: `facts` and `mapping` must
/// outlive it.
class RowGroupContainers : public Containers {
 public:
  RowGroupContainers(const FileFacts& facts, const schema::ColumnMapping& mapping,
                     const arrow::Schema& read_schema, int row_index = -1)
      : facts_(facts), mapping_(mapping), read_schema_(read_schema), row_index_(row_index) {}

  int64_t size() const override { return facts_.num_row_groups(); }
  int64_t num_rows(int64_t i) const override;
  arrow::Result<std::shared_ptr<const ColumnKnowledge>> Column(
      const arrow::FieldPath& path) const override;

 private:
  arrow::Result<std::shared_ptr<const ColumnKnowledge>> RowIndex() const;

  const FileFacts& facts_;
  const schema::ColumnMapping& mapping_;
  const arrow::Schema& read_schema_;
  const int row_index_;
  // Of all leaves that are read, found with the first that is asked for: one call for each would
  // parse the file's metadata as often as there are columns.
  mutable std::map<int, ColumnBounds> bounds_;
};

/// Bounds in the type of a file's leaf as bounds in the type the table gives it. Where the
/// conversion does not keep the order, or a bound does not fit, only the null counts remain.
ColumnBounds CastBounds(ColumnBounds bounds, const std::shared_ptr<arrow::DataType>& type);

}  // namespace shoal::prune
