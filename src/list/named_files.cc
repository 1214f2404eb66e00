#include "list/named_files.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/location.h"
#include "base/path.h"
#include "base/status_context.h"
#include "list/directory_reader.h"
#include "list/strictness.h"
#include "list/tree.h"

namespace shoal::list {

namespace {

constexpr int64_t kFilesPerPage = 4096;

arrow::Result<std::string> PartitionBase(const ListOptions& options, const std::string& root,
                                         const std::shared_ptr<arrow::fs::FileSystem>& filesystem) {
  if (options.partition_base_dir.empty()) return root;
  ARROW_ASSIGN_OR_RAISE(auto base,
                        base::ResolveLocations({options.partition_base_dir}, filesystem));
  if (base::IsWithin(root, base.paths[0]) || base::IsWithin(base.paths[0], root))
    return base.paths[0];
  return arrow::Status::Invalid("partition_base_dir '", options.partition_base_dir,
                                "' is not above or in '", root, "', where the files are");
}

}  // namespace

arrow::Result<ListingReport> ListNamedFiles(
    const std::shared_ptr<arrow::fs::FileSystem>& filesystem, const std::string& root,
    std::vector<std::string> paths, const ListOptions& options, const PageSink& sink) {
  ARROW_ASSIGN_OR_RAISE(const std::string base, PartitionBase(options, root, filesystem));
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  const auto reader = options.need_size ? MakeDirectoryReader(filesystem) : nullptr;
  const Partitioning& partitioning = *options.partitioning;
  ListingReport report;
  FileTable page;
  bool more = true;
  const auto flush = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(FileTable kept, FilterPage(options, std::exchange(page, {}), &report));
    if (kept.num_files() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(more, sink(std::move(kept)));
    return arrow::Status::OK();
  };
  std::string directory;
  int32_t in_page = -1;
  BaseKeys of_directory;
  for (size_t i = 0; i < paths.size() && more; ++i) {
    if (options.stop.IsStopRequested()) return options.stop.Poll();
    const std::string& path = paths[i];
    const std::string parent(base::ParentOf(path));
    if (i == 0 || parent != directory) {
      ARROW_ASSIGN_OR_RAISE(of_directory, ParseBelowBase(partitioning, base, parent));
      directory = parent;
      in_page = -1;
    }
    std::vector<PartitionKey> keys;
    if (of_directory.depth >= 0) {
      ARROW_ASSIGN_OR_RAISE(keys, partitioning.ParseFileName(base::NameOf(path)));
    }
    if (!partitioning.required_keys().empty()) {
      ARROW_ASSIGN_OR_RAISE(auto all, JoinKeys(of_directory.keys, keys, path));
      if (!MissingKeys(partitioning, all).empty()) {
        report.Add(ListingIssue::kMisfit, path);
        ARROW_RETURN_NOT_OK(CheckStrict(report, options.strict));
        continue;
      }
    }
    PathInfo info;
    if (reader) {
      bool dangling = false;
      ARROW_ASSIGN_OR_RAISE(info, reader->Look(path, &dangling));
      ++report.stat_calls;
      report.store_requests += CostOfLook(*reader, info);
      if (info.type != EntryType::kFile) {
        return base::ErrnoError(ENOENT, "'", path, "' is named as a file of the table and is none");
      }
    }
    if (page.num_files() >= kFilesPerPage) {
      ARROW_RETURN_NOT_OK(flush());
      in_page = -1;
    }
    if (in_page < 0) in_page = page.AddDirectory(base::AsPrefix(parent), of_directory.keys);
    page.AddFile(in_page, base::NameOf(path), info.version, keys);
  }
  if (more) {
    ARROW_RETURN_NOT_OK(flush());
  } else {
    report.complete = false;
  }
  return report;
}

}  // namespace shoal::list
