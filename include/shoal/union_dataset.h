// Several datasets as one table, whatever their formats, filesystems and layouts are.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type_fwd.h>

#include <shoal/dataset.h>

namespace shoal {

/// The rows of the children, one child after the other. Without a schema, its columns are those of
/// all children, in order of first appearance, each of the type that holds what all have; a column
/// that a child lacks is null in its rows. Filters, projections and limits reach the children: keys
/// and statistics prune in each.
///
/// What only makes sense for files of one kind (format(), filesystem(), files(), plans and file
/// scans) is NotImplemented: ask the children().
class UnionDataset final : public Dataset {
 public:
  /// Looks at no file. Invalid: there are no children.
  static arrow::Result<std::shared_ptr<UnionDataset>> Make(
      std::vector<std::shared_ptr<Dataset>> children,
      std::shared_ptr<arrow::Schema> schema = nullptr);
  ~UnionDataset() override;

  const std::vector<std::shared_ptr<Dataset>>& children() const { return children_; }

  arrow::Result<std::shared_ptr<arrow::Schema>> schema() const override;
  arrow::Result<std::shared_ptr<arrow::Schema>> partition_schema() const override;
  arrow::Result<std::shared_ptr<const FileFormat>> format() const override;
  arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> filesystem() const override;
  arrow::Result<std::shared_ptr<const FileTable>> files() const override;
  /// Of all children.
  arrow::Result<ListingReport> listing_report() const override;
  /// Of none.
  CacheReport cache_report() const override;
  /// Of all children: names are compared without case, and types promoted, where one of them asks
  /// for it.
  SchemaRules schema_rules() const override;
  arrow::Result<std::shared_ptr<arrow::Schema>> OutputSchema(
      const ScanRequest& request) const override;
  arrow::Result<ScanPlan> Plan(const ScanRequest& request,
                               const PlanOptions& options = {}) const override;
  /// One child is read at a time, and with the whole memory budget. Always in the children's order.
  arrow::Result<std::unique_ptr<BatchStream>> Scan(const ScanRequest& request,
                                                   const ScanOptions& options = {}) const override;
  arrow::Result<std::vector<FilterSupport>> SupportsFilters(
      const std::vector<arrow::compute::Expression>& filters,
      ReadMode mode = ReadMode::kShoalReads) const override;
  arrow::Result<FileScanConfig> FileScan(const ScanArguments& arguments,
                                         const FileScanOptions& options = {}) const override;
  arrow::Result<int64_t> Count(
      const arrow::compute::Expression& filter = arrow::compute::literal(true),
      const ScanOptions& options = {}, ScanMetrics* metrics = nullptr) const override;
  arrow::Result<TableStatistics> Statistics(
      const arrow::compute::Expression& filter = arrow::compute::literal(true),
      const PlanOptions& options = {}) const override;
  arrow::Result<ScanPlan> PlanFragments(const ScanRequest& request, std::vector<Fragment> fragments,
                                        const arrow::Schema& keys) const override;
  arrow::Result<std::shared_ptr<const FileFacts>> Facts(
      const Fragment& fragment,
      const arrow::StopToken& stop = arrow::StopToken::Unstoppable()) const override;
  arrow::Result<std::unique_ptr<BatchStream>> ScanPlanned(
      const ScanPlan& plan, const ScanOptions& options = {}) const override;
  arrow::Result<int64_t> CountPlanned(const ScanPlan& plan,
                                      const ScanOptions& options = {}) const override;
  arrow::Result<std::shared_ptr<Dataset>> Refresh() const override;
  arrow::Result<std::shared_ptr<Dataset>> WithSchema(
      std::shared_ptr<arrow::Schema> schema, std::optional<SchemaRules> rules = {}) const override;

 private:
  struct State;
  struct Found;
  UnionDataset(std::vector<std::shared_ptr<Dataset>> children,
               std::shared_ptr<arrow::Schema> schema, std::optional<SchemaRules> rules);
  /// The schema, and the children with it; found on first need.
  arrow::Result<std::shared_ptr<const State>> state() const;

  const std::vector<std::shared_ptr<Dataset>> children_;
  const std::shared_ptr<arrow::Schema> declared_;
  const std::optional<SchemaRules> rules_;  // not set: the children's
  const std::unique_ptr<Found> found_;
};

/// A table in memory as a dataset, whose row groups are the table's chunks. Scans copy nothing that
/// they need not. A plan of it can't be sent elsewhere.
arrow::Result<std::shared_ptr<Dataset>> OpenTable(std::shared_ptr<arrow::Table> table);

}  // namespace shoal
