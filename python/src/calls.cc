#include "calls.h"

#include <utility>

#include <arrow/compute/cast.h>
#include <arrow/filesystem/filesystem.h>

#include "interruptible.h"

namespace shoal::python {

namespace {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;
using OpenStream = Stream::Opener;

OpenStream Opener(DatasetPtr dataset, ScanRequest request, ScanOptions options) {
  return [dataset = std::move(dataset), request = std::move(request),
          options](arrow::StopToken stop) mutable {
    options.stop = std::move(stop);
    return dataset->Scan(request, options);
  };
}

OpenStream Opener(std::shared_ptr<ScanPlan> plan, ScanOptions options) {
  return [plan = std::move(plan), options](arrow::StopToken stop) mutable {
    options.stop = std::move(stop);
    return BatchStream::Make(*plan, options);
  };
}

arrow::Result<TableRead> ReadAll(OpenStream open) {
  return Interruptible<TableRead>([open](arrow::StopToken stop) -> arrow::Result<TableRead> {
    ARROW_ASSIGN_OR_RAISE(auto stream, open(std::move(stop)));
    Batches batches;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
      if (!batch) break;
      batches.push_back(std::move(batch));
    }
    TableRead out;
    ARROW_ASSIGN_OR_RAISE(out.table, arrow::Table::FromRecordBatches(stream->schema(), batches));
    out.metrics = stream->metrics();
    return out;
  });
}

}  // namespace

arrow::Result<DatasetPtr> Open(std::vector<std::string> sources, OpenOptions options) {
  // S3 may look up the region of a bucket.
  return Interruptible<DatasetPtr>(
      [sources = std::move(sources), options = std::move(options)](const arrow::StopToken&) {
        return Dataset::Open(sources, options);
      });
}

arrow::Result<arrow::fs::FileType> Look(std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                        std::string path) {
  using Result = arrow::Result<arrow::fs::FileType>;
  return Interruptible<arrow::fs::FileType>([filesystem, path](const arrow::StopToken&) -> Result {
    ARROW_ASSIGN_OR_RAISE(auto info, filesystem->GetFileInfo(path));
    return info.type();
  });
}

arrow::Result<DatasetPtr> Refresh(DatasetPtr dataset) {
  return Interruptible<DatasetPtr>(
      [dataset](const arrow::StopToken&) { return dataset->Refresh(); });
}

arrow::Result<std::shared_ptr<arrow::Schema>> Schema(DatasetPtr dataset) {
  return Interruptible<std::shared_ptr<arrow::Schema>>(
      [dataset](const arrow::StopToken&) { return dataset->schema(); });
}

arrow::Result<std::shared_ptr<arrow::Schema>> PartitionSchema(DatasetPtr dataset) {
  return Interruptible<std::shared_ptr<arrow::Schema>>(
      [dataset](const arrow::StopToken&) { return dataset->partition_schema(); });
}

arrow::Result<std::shared_ptr<const FileFormat>> Format(DatasetPtr dataset) {
  return Interruptible<std::shared_ptr<const FileFormat>>(
      [dataset](const arrow::StopToken&) { return dataset->format(); });
}

arrow::Result<std::shared_ptr<const FileTable>> Files(DatasetPtr dataset) {
  return Interruptible<std::shared_ptr<const FileTable>>(
      [dataset](const arrow::StopToken&) { return dataset->files(); });
}

arrow::Result<std::shared_ptr<ListingReport>> Report(DatasetPtr dataset) {
  using Result = arrow::Result<std::shared_ptr<ListingReport>>;
  return Interruptible<std::shared_ptr<ListingReport>>(
      [dataset](const arrow::StopToken&) -> Result {
        ARROW_ASSIGN_OR_RAISE(auto report, dataset->listing_report());
        return std::make_shared<ListingReport>(std::move(report));
      });
}

arrow::Result<int64_t> Count(DatasetPtr dataset, arrow::compute::Expression filter,
                             ScanOptions options) {
  return Interruptible<int64_t>([dataset, filter, options](arrow::StopToken stop) mutable {
    options.stop = std::move(stop);
    return dataset->Count(filter, options);
  });
}

arrow::Result<std::shared_ptr<TableStatistics>> Statistics(DatasetPtr dataset,
                                                           arrow::compute::Expression filter) {
  using Result = arrow::Result<std::shared_ptr<TableStatistics>>;
  return Interruptible<std::shared_ptr<TableStatistics>>(
      [dataset, filter](arrow::StopToken stop) mutable -> Result {
        PlanOptions options;
        options.stop = std::move(stop);
        ARROW_ASSIGN_OR_RAISE(auto statistics, dataset->Statistics(filter, options));
        return std::make_shared<TableStatistics>(std::move(statistics));
      });
}

arrow::Result<std::shared_ptr<ScanPlan>> Plan(DatasetPtr dataset, ScanRequest request,
                                              PlanOptions options) {
  using Result = arrow::Result<std::shared_ptr<ScanPlan>>;
  return Interruptible<std::shared_ptr<ScanPlan>>(
      [dataset, request, options](arrow::StopToken stop) mutable -> Result {
        options.stop = std::move(stop);
        ARROW_ASSIGN_OR_RAISE(auto plan, dataset->Plan(request, options));
        return std::make_shared<ScanPlan>(std::move(plan));
      });
}

arrow::Result<std::shared_ptr<arrow::Schema>> OutputSchema(DatasetPtr dataset,
                                                           ScanRequest request) {
  using SchemaPtr = std::shared_ptr<arrow::Schema>;
  return Interruptible<SchemaPtr>([dataset, request](arrow::StopToken) -> arrow::Result<SchemaPtr> {
    return dataset->OutputSchema(request);
  });
}

arrow::Result<std::shared_ptr<Stream>> StartScan(DatasetPtr dataset, ScanRequest request,
                                                 ScanOptions options) {
  return Stream::Open(Opener(std::move(dataset), std::move(request), options));
}

arrow::Result<std::shared_ptr<Stream>> StartPlan(std::shared_ptr<ScanPlan> plan,
                                                 ScanOptions options) {
  return Stream::Open(Opener(std::move(plan), options));
}

arrow::Result<std::vector<std::shared_ptr<Stream>>> StartGroups(std::shared_ptr<ScanPlan> plan,
                                                                std::shared_ptr<FileGroups> groups,
                                                                ReadFileGroupsOptions options) {
  return Stream::OpenMany(
      [plan = std::move(plan), groups = std::move(groups), options](arrow::StopToken stop) mutable {
        options.scan.stop = std::move(stop);
        return ReadFileGroups(*plan, *groups, options);
      });
}

arrow::Result<TableRead> ReadScan(DatasetPtr dataset, ScanRequest request, ScanOptions options) {
  return ReadAll(Opener(std::move(dataset), std::move(request), options));
}

arrow::Result<TableRead> ReadPlan(std::shared_ptr<ScanPlan> plan, ScanOptions options) {
  return ReadAll(Opener(std::move(plan), options));
}

arrow::Result<int64_t> CountScan(DatasetPtr dataset, ScanRequest request, ScanOptions options) {
  if (options.on_corrupt != OnBadFile::kSkip) request.columns.emplace();  // see Dataset::Count
  auto open = Opener(std::move(dataset), std::move(request), options);
  return Interruptible<int64_t>([open](arrow::StopToken stop) -> arrow::Result<int64_t> {
    ARROW_ASSIGN_OR_RAISE(auto stream, open(std::move(stop)));
    int64_t rows = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
      if (!batch) return rows;
      rows += batch->num_rows();
    }
  });
}

arrow::Result<std::shared_ptr<ScanPlan>> PlanFragment(DatasetPtr dataset, ScanRequest request,
                                                      std::shared_ptr<ScanPlan> whole,
                                                      int64_t fragment,
                                                      std::optional<std::vector<int>> row_groups) {
  using Result = arrow::Result<std::shared_ptr<ScanPlan>>;
  return Interruptible<std::shared_ptr<ScanPlan>>([dataset, request, whole, fragment,
                                                   row_groups](const arrow::StopToken&) -> Result {
    Fragment piece = whole->fragments[fragment];
    if (row_groups) {
      piece.row_groups = row_groups;
      piece.row_group_sizes.clear();
      piece.num_rows = piece.num_bytes = {};
      piece.ordering.clear();
    }
    ARROW_ASSIGN_OR_RAISE(
        auto plan, dataset->PlanFragments(request, {std::move(piece)}, *whole->partition_schema));
    return std::make_shared<ScanPlan>(std::move(plan));
  });
}

arrow::Result<std::vector<int>> MatchingRowGroups(DatasetPtr dataset,
                                                  std::shared_ptr<ScanPlan> whole, int64_t fragment,
                                                  std::optional<std::vector<int>> row_groups,
                                                  arrow::compute::Expression filter) {
  using Result = arrow::Result<std::vector<int>>;
  return Interruptible<std::vector<int>>(
      [dataset, whole, fragment, row_groups, filter](const arrow::StopToken&) -> Result {
        Fragment piece = whole->fragments[fragment];
        if (row_groups) piece.row_groups = row_groups;
        return RowGroupsThatMatch(*dataset, std::move(piece), *whole->partition_schema, filter);
      });
}

arrow::Result<std::vector<FilterSupport>> SupportsFilters(
    DatasetPtr dataset, std::vector<arrow::compute::Expression> filters, ReadMode mode) {
  return Interruptible<std::vector<FilterSupport>>(
      [dataset, filters = std::move(filters), mode](const arrow::StopToken&) {
        return dataset->SupportsFilters(filters, mode);
      });
}

arrow::Result<std::shared_ptr<FileScanConfig>> FileScan(DatasetPtr dataset, ScanArguments arguments,
                                                        FileScanOptions options) {
  using Result = arrow::Result<std::shared_ptr<FileScanConfig>>;
  return Interruptible<std::shared_ptr<FileScanConfig>>(
      [dataset, arguments = std::move(arguments),
       options](arrow::StopToken stop) mutable -> Result {
        options.stop = std::move(stop);
        ARROW_ASSIGN_OR_RAISE(auto scan, dataset->FileScan(arguments, options));
        return std::make_shared<FileScanConfig>(std::move(scan));
      });
}

arrow::Result<std::shared_ptr<SchemaAdapter>> MakeAdapter(const FileScanConfig& scan,
                                                          size_t fragment,
                                                          const arrow::Schema& file_schema) {
  ARROW_ASSIGN_OR_RAISE(auto adapter,
                        scan.MakeAdapter(scan.plan->fragments[fragment], file_schema));
  return std::shared_ptr<SchemaAdapter>(std::move(adapter));
}

}  // namespace shoal::python
