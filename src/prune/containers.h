// Containers made from plain vectors.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "prune/pruner.h"

namespace shoal::prune {

/// Knowledge of columns by their paths. A path that was not set is one of which nothing is known.
class ContainerTable : public Containers {
 public:
  /// -1: unknown.
  explicit ContainerTable(std::vector<int64_t> rows) : rows_(std::move(rows)) {}
  static ContainerTable OfUnknownRows(int64_t n) {
    return ContainerTable(std::vector<int64_t>(n, -1));
  }

  void Set(const arrow::FieldPath& path, ColumnKnowledge knowledge);
  /// One value per container: a partition key.
  void SetConstants(const arrow::FieldPath& path, std::shared_ptr<arrow::Array> values);
  void SetBounds(const arrow::FieldPath& path, ColumnBounds bounds);

  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  int64_t num_rows(int64_t i) const override { return rows_[i]; }
  arrow::Result<std::shared_ptr<const ColumnKnowledge>> Column(
      const arrow::FieldPath& path) const override;

 private:
  std::vector<int64_t> rows_;
  std::unordered_map<arrow::FieldPath, std::shared_ptr<const ColumnKnowledge>,
                     arrow::FieldPath::Hash>
      columns_;
};

}  // namespace shoal::prune
