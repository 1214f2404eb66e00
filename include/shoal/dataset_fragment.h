// Fragments to scan one by one: the files of a dataset, and their row groups.
//
//   ARROW_ASSIGN_OR_RAISE(auto fragments, shoal::FragmentsOf(flights, filter));
//   for (const auto& file : fragments) {
//     ARROW_ASSIGN_OR_RAISE(auto groups, file.SplitByRowGroup(filter));
//     for (const auto& group : groups) { ARROW_ASSIGN_OR_RAISE(auto stream, group.Scan({})); ... }
//   }
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <shoal/dataset.h>

namespace shoal {

/// A row group, by what its file tells of it.
struct RowGroupInfo {
  int id = 0;  // its place in the file
  Precision<int64_t> num_rows;
  int64_t num_bytes = 0;  // in the file, compressed; 0: unknown
};

/// A file of a dataset, or some of its row groups, with the columns of the table. A value; its
/// methods are safe to call from any thread. Those that need what the file tells of itself open it,
/// unless the dataset knows it already; all others touch nothing.
class DatasetFragment {
 public:
  const Fragment& fragment() const { return fragment_; }
  const std::string& path() const { return fragment_.path; }
  const std::shared_ptr<const Dataset>& dataset() const { return dataset_; }
  /// What `fragment().partition_values` are of.
  const std::shared_ptr<arrow::Schema>& partition_schema() const { return partition_schema_; }

  /// The file's own columns. Of a format of text they have the table's types.
  arrow::Result<std::shared_ptr<arrow::Schema>> physical_schema() const;
  /// Those that the fragment has. A format without row groups has one. Of an empty file: none.
  arrow::Result<std::vector<RowGroupInfo>> RowGroups() const;

  /// A fragment for each row group that has rows which may pass the filter.
  arrow::Result<std::vector<DatasetFragment>> SplitByRowGroup(
      const arrow::compute::Expression& filter = arrow::compute::literal(true)) const;
  /// The row groups of this fragment that have rows which may pass the filter; there may be none.
  arrow::Result<DatasetFragment> Subset(const arrow::compute::Expression& filter) const;
  /// Those row groups, in that order, by their places in the file. IndexError: the fragment does
  /// not have one of them.
  arrow::Result<DatasetFragment> Subset(std::vector<int> row_groups) const;

  arrow::Result<ScanPlan> Plan(const ScanRequest& request) const;
  arrow::Result<std::unique_ptr<BatchStream>> Scan(const ScanRequest& request,
                                                   const ScanOptions& options = {}) const;
  arrow::Result<int64_t> Count(
      const arrow::compute::Expression& filter = arrow::compute::literal(true),
      const ScanOptions& options = {}) const;

 private:
  friend arrow::Result<std::vector<DatasetFragment>> FragmentsOf(
      const std::shared_ptr<const Dataset>& dataset, const arrow::compute::Expression& filter);
  DatasetFragment(std::shared_ptr<const Dataset> dataset, Fragment fragment,
                  std::shared_ptr<arrow::Schema> partition_schema);
  DatasetFragment With(std::vector<int> row_groups) const;
  arrow::Result<std::vector<int>> Matching(const arrow::compute::Expression& filter) const;

  std::shared_ptr<const Dataset> dataset_;
  Fragment fragment_;
  std::shared_ptr<arrow::Schema> partition_schema_;
};

/// One for each file that the filter does not rule out by its path, in dataset order. Lists, and
/// opens nothing. NotImplemented: the dataset has no files of its own.
arrow::Result<std::vector<DatasetFragment>> FragmentsOf(
    const std::shared_ptr<const Dataset>& dataset,
    const arrow::compute::Expression& filter = arrow::compute::literal(true));

/// Of the row groups of a fragment (by default all of its file) those that have rows which may pass
/// the filter, by what the file and the path tell. See Dataset::PlanFragments.
arrow::Result<std::vector<int>> RowGroupsThatMatch(const Dataset& dataset, Fragment fragment,
                                                   const arrow::Schema& keys,
                                                   const arrow::compute::Expression& filter);

}  // namespace shoal
