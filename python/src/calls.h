// The library's blocking calls, each of which releases the GIL and can be interrupted by a signal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <shoal/dataset.h>
#include <shoal/dataset_fragment.h>
#include <shoal/file_groups.h>

#include "stream.h"

namespace shoal::python {

using DatasetPtr = std::shared_ptr<Dataset>;

arrow::Result<DatasetPtr> Open(std::vector<std::string> sources, OpenOptions options);
/// What is at the path.
arrow::Result<arrow::fs::FileType> Look(std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                        std::string path);

/// The dataset opened anew.
arrow::Result<DatasetPtr> Refresh(DatasetPtr dataset);

arrow::Result<std::shared_ptr<arrow::Schema>> Schema(DatasetPtr dataset);
arrow::Result<std::shared_ptr<arrow::Schema>> PartitionSchema(DatasetPtr dataset);
arrow::Result<std::shared_ptr<const FileFormat>> Format(DatasetPtr dataset);
arrow::Result<std::shared_ptr<const FileTable>> Files(DatasetPtr dataset);
arrow::Result<std::shared_ptr<ListingReport>> Report(DatasetPtr dataset);
arrow::Result<int64_t> Count(DatasetPtr dataset, arrow::compute::Expression filter,
                             ScanOptions options);
arrow::Result<std::shared_ptr<TableStatistics>> Statistics(DatasetPtr dataset,
                                                           arrow::compute::Expression filter);
arrow::Result<std::shared_ptr<ScanPlan>> Plan(DatasetPtr dataset, ScanRequest request,
                                              PlanOptions options);

/// The schema of the request's output. Checks the request, and reads nothing once the dataset's
/// schema is known.
arrow::Result<std::shared_ptr<arrow::Schema>> OutputSchema(DatasetPtr dataset, ScanRequest request);

arrow::Result<std::shared_ptr<Stream>> StartScan(DatasetPtr dataset, ScanRequest request,
                                                 ScanOptions options);
arrow::Result<std::shared_ptr<Stream>> StartPlan(std::shared_ptr<ScanPlan> plan,
                                                 ScanOptions options);

/// A stream for each group; the plan and the groups are used until this returns.
arrow::Result<std::vector<std::shared_ptr<Stream>>> StartGroups(std::shared_ptr<ScanPlan> plan,
                                                                std::shared_ptr<FileGroups> groups,
                                                                ReadFileGroupsOptions options);

/// A whole scan as a table, and what it did.
struct TableRead {
  std::shared_ptr<arrow::Table> table;
  ScanMetrics metrics;
};
arrow::Result<TableRead> ReadScan(DatasetPtr dataset, ScanRequest request, ScanOptions options);
arrow::Result<TableRead> ReadPlan(std::shared_ptr<ScanPlan> plan, ScanOptions options);

/// The rows of a scan, counted by reading it; for requests that Count() does not answer.
arrow::Result<int64_t> CountScan(DatasetPtr dataset, ScanRequest request, ScanOptions options);

/// A plan that reads one fragment of another plan, or some of its row groups: see
/// Dataset::PlanFragments.
arrow::Result<std::shared_ptr<ScanPlan>> PlanFragment(DatasetPtr dataset, ScanRequest request,
                                                      std::shared_ptr<ScanPlan> whole,
                                                      int64_t fragment,
                                                      std::optional<std::vector<int>> row_groups);
/// Of the row groups of that fragment those that have rows which may pass the filter.
arrow::Result<std::vector<int>> MatchingRowGroups(DatasetPtr dataset,
                                                  std::shared_ptr<ScanPlan> whole, int64_t fragment,
                                                  std::optional<std::vector<int>> row_groups,
                                                  arrow::compute::Expression filter);

arrow::Result<std::vector<FilterSupport>> SupportsFilters(
    DatasetPtr dataset, std::vector<arrow::compute::Expression> filters, ReadMode mode);
arrow::Result<std::shared_ptr<FileScanConfig>> FileScan(DatasetPtr dataset, ScanArguments arguments,
                                                        FileScanOptions options);
/// For batches of the plan's fragment of that number.
arrow::Result<std::shared_ptr<SchemaAdapter>> MakeAdapter(const FileScanConfig& scan,
                                                          size_t fragment,
                                                          const arrow::Schema& file_schema);

}  // namespace shoal::python
