// The source that walks over a filesystem.
#include <shoal/listing.h>

#include <algorithm>
#include <cerrno>

#include <arrow/filesystem/filesystem.h>

#include "base/location.h"
#include "base/path.h"
#include "base/status_context.h"
#include "list/directory_reader.h"
#include "list/listing_cache.h"
#include "list/sample.h"
#include "list/snapshot_reader.h"
#include "list/starts.h"
#include "list/strictness.h"
#include "list/tree.h"
#include "list/walk.h"
#include "store/access.h"

namespace shoal {

namespace {

constexpr int64_t kFilesPerPage = 4096;

// Files of several tables, each once and in order. Of two that have the same path, the one of the
// earlier table stays.
FileTable Merge(const std::vector<FileTable>& tables) {
  struct Row {
    std::string path;
    size_t table;
    int64_t row;
  };
  std::vector<Row> rows;
  for (size_t t = 0; t < tables.size(); ++t) {
    for (int64_t i = 0; i < tables[t].num_files(); ++i) rows.push_back({tables[t].path(i), t, i});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.path < b.path; });
  FileTable out;
  int32_t directory = -1;
  const std::string* prefix = nullptr;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].path == rows[i - 1].path) continue;
    const FileTable& from = tables[rows[i].table];
    const int64_t row = rows[i].row;
    if (prefix == nullptr || *prefix != from.directory(row)) {
      prefix = &from.directory(row);
      directory = out.AddDirectory(*prefix);
    }
    out.AddFile(directory, from.name(row), from.version(row), from.KeysOf(row));
  }
  return out;
}

class WalkSource final : public ListingSource {
 public:
  WalkSource(std::vector<std::string> sources, base::Locations locations,
             const std::shared_ptr<const list::DirectoryReader>& reader)
      : sources_(std::move(sources)),
        locations_(std::move(locations)),
        access_(store::Access::Of(locations_.filesystem)),
        known_(list::MakeSnapshotDirectories()),
        reader_(list::MakeSnapshotReader(reader, known_, /*record=*/false)),
        recorder_(list::MakeSnapshotReader(reader, known_, /*record=*/true)) {}

  std::string Describe() const override {
    std::string out;
    constexpr size_t kShown = 5;
    for (size_t i = 0; i < std::min(sources_.size(), kShown); ++i)
      out += (i == 0 ? "" : ", ") + sources_[i];
    if (sources_.size() > kShown) out += ", … (" + std::to_string(sources_.size()) + " sources)";
    return out;
  }

  const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const override {
    return locations_.filesystem;
  }

  arrow::Result<ListingReport> List(const ListOptions& options,
                                    const PageSink& sink) const override {
    const int64_t retries = access_->retries();
    ARROW_ASSIGN_OR_RAISE(const std::string partition_base, PartitionBase(options));
    ARROW_ASSIGN_OR_RAISE(auto groups, list::FindStarts(Reader(options), locations_, options));
    ListingReport report;
    FileTable files;  // sources that are files, side by side
    bool more = true;
    const auto flush = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(FileTable page, list::FilterPage(options, std::move(files), &report));
      files = {};
      if (page.num_files() == 0) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(more, sink(std::move(page)));
      return arrow::Status::OK();
    };
    size_t group = 0;
    for (; group < groups.size() && more; ++group) {
      for (const list::Start& start : groups[group]) {
        report.Merge(start.cost);
      }
      if (groups[group].size() == 1 && groups[group][0].is_file) {
        ARROW_RETURN_NOT_OK(AddFile(groups[group][0], partition_base, options, &files, &report));
        if (files.num_files() >= kFilesPerPage) ARROW_RETURN_NOT_OK(flush());
        continue;
      }
      ARROW_RETURN_NOT_OK(flush());
      if (!more) break;
      if (groups[group].size() == 1) {
        ARROW_ASSIGN_OR_RAISE(more,
                              ListTree(groups[group][0], partition_base, options, sink, &report));
        continue;
      }
      // Sources that share files but may give them different keys: a filter over keys can only
      // judge a file when it is known which keys it has.
      ListOptions unfiltered = options;
      unfiltered.directory_filter = nullptr;
      unfiltered.file_filter = nullptr;
      unfiltered.key_values.clear();
      std::vector<FileTable> tables;
      ListingReport found;
      for (const list::Start& start : groups[group]) {
        FileTable& table = tables.emplace_back();
        if (start.is_file) {
          ARROW_RETURN_NOT_OK(AddFile(start, partition_base, options, &table, &found));
        } else {
          const auto collect = [&](FileTable page) -> arrow::Result<bool> {
            table.Append(page);
            return true;
          };
          ARROW_RETURN_NOT_OK(
              ListTree(start, partition_base, unfiltered, collect, &found).status());
        }
      }
      found.files = 0;
      report.Merge(found);
      files = Merge(tables);
      ARROW_RETURN_NOT_OK(flush());
    }
    if (more) {
      ARROW_RETURN_NOT_OK(flush());
    } else if (group < groups.size()) {
      report.complete = false;
    }
    report.store_requests.retries = access_->retries() - retries;
    return report;
  }

  arrow::Result<FileSample> Sample(const ListOptions& options, int64_t n) const override {
    n = std::max<int64_t>(n, 1);
    const int64_t retries = access_->retries();
    ARROW_ASSIGN_OR_RAISE(const std::string partition_base, PartitionBase(options));
    base::Locations some{locations_.filesystem, {}, {}};
    for (const size_t i : list::EvenlySpaced(locations_.paths.size(), n)) {
      some.paths.push_back(locations_.paths[i]);
      some.ends_with_slash.push_back(locations_.ends_with_slash[i]);
    }
    ARROW_ASSIGN_OR_RAISE(auto groups, list::FindStarts(recorder_, some, options));
    std::vector<list::Start> starts;
    for (auto& group : groups) std::move(group.begin(), group.end(), std::back_inserter(starts));
    const auto count = static_cast<int64_t>(starts.size());

    std::vector<FileSample> samples(starts.size());
    int64_t files = 0;
    // An equal share for each; where some have less than that, the rest is offered to the others.
    const int64_t equal_share = count == 0 ? n : n / count + (n % count != 0);
    for (const int64_t share : {equal_share, n}) {
      files = 0;
      bool complete = true;
      for (size_t i = 0; i < starts.size(); ++i) {
        if (!samples[i].complete) {
          ARROW_ASSIGN_OR_RAISE(samples[i], SampleStart(starts[i], partition_base, options, share));
        }
        files += samples[i].files.num_files();
        complete = complete && samples[i].complete;
      }
      if (complete || files >= n) break;
    }

    FileSample out;
    out.complete = some.paths.size() == locations_.paths.size();
    std::vector<FileTable> tables;
    for (size_t i = 0; i < samples.size(); ++i) {
      out.complete = out.complete && samples[i].complete;
      samples[i].report.Merge(starts[i].cost);
      out.report.Merge(samples[i].report);
      tables.push_back(std::move(samples[i].files));
    }
    out.files = tables.size() == 1 ? std::move(tables[0]) : Merge(tables);
    if (out.files.num_files() > n) {
      out.files = list::SelectEvenly(out.files, n);
      out.complete = false;
    }
    out.report.files = out.files.num_files();
    out.report.complete = out.complete;
    out.report.store_requests.retries = access_->retries() - retries;
    return out;
  }

 private:
  const std::shared_ptr<const list::DirectoryReader>& Reader(const ListOptions& options) const {
    return options.remember ? recorder_ : reader_;
  }

  arrow::Result<std::string> PartitionBase(const ListOptions& options) const {
    if (options.partition_base_dir.empty()) return std::string();
    ARROW_ASSIGN_OR_RAISE(
        auto base, base::ResolveLocations({options.partition_base_dir}, locations_.filesystem));
    if (reader_->is_local()) base.paths[0] = list::ResolveParents(base.paths[0]);
    bool above_all = true;
    for (const std::string& given : locations_.paths) {
      const std::string path = reader_->is_local() ? list::ResolveParents(given) : given;
      const bool above = base::IsWithin(path, base.paths[0]);
      above_all = above_all && above;
      if (!above && !base::IsWithin(base.paths[0], path)) {
        return arrow::Status::Invalid("partition_base_dir '", options.partition_base_dir,
                                      "' is not above the source '", reader_->NameOf(path),
                                      "'; give a directory above all sources.");
      }
    }
    // Paths that are not below it have no keys: then it should be where somebody meant it to be.
    if (!above_all) {
      ARROW_ASSIGN_OR_RAISE(const auto found, reader_->Look(base.paths[0], nullptr));
      if (found.type != list::EntryType::kDirectory) {
        return arrow::Status::Invalid("partition_base_dir '", options.partition_base_dir,
                                      "' is no directory; give one above the sources.");
      }
    }
    return base.paths[0];
  }

  arrow::Status AddFile(const list::Start& start, const std::string& partition_base,
                        const ListOptions& options, FileTable* files, ListingReport* report) const {
    if (start.info.version.size == 0) {
      ListingReport empty;
      empty.Add(ListingIssue::kZeroByte, start.path);
      ARROW_RETURN_NOT_OK(list::CheckStrict(empty, options.strict));
      report->Merge(empty);
      return arrow::Status::OK();
    }
    const std::string directory(base::ParentOf(start.path));
    const std::string_view name = base::NameOf(start.path);
    ARROW_ASSIGN_OR_RAISE(
        list::BaseKeys base,
        list::ParseBelowBase(*options.partitioning,
                             partition_base.empty() ? directory : partition_base, directory));
    if (base.depth >= 0) {
      ARROW_ASSIGN_OR_RAISE(auto more, options.partitioning->ParseFileName(name));
      ARROW_ASSIGN_OR_RAISE(base.keys,
                            list::JoinKeys(std::move(base.keys), std::move(more), start.path));
    }
    const std::string prefix = base::AsPrefix(directory);
    const bool same_directory =
        files->num_files() > 0 && files->directory(files->num_files() - 1) == prefix;
    const int32_t at = same_directory ? files->num_directories() - 1 : files->AddDirectory(prefix);
    // What only a look told: see ListOptions::need_size.
    const bool told = !reader_->is_local() || options.need_size;
    files->AddFile(at, name, told ? start.info.version : FileVersion{}, base.keys);
    return arrow::Status::OK();
  }

  static list::TreeRoot RootOf(const list::Start& start, const std::string& partition_base) {
    return {start.path, partition_base.empty() ? start.path : partition_base, start.glob};
  }

  static arrow::Result<std::shared_ptr<list::Directory>> Begin(const list::Start& start,
                                                               list::Tree* tree) {
    ARROW_ASSIGN_OR_RAISE(auto root, tree->Root());
    // A copy: several listings may use one look.
    if (start.read_ahead != nullptr)
      root->read_ahead = std::make_shared<list::RawTree>(*start.read_ahead);
    return root;
  }

  arrow::Result<bool> ListTree(const list::Start& start, const std::string& partition_base,
                               const ListOptions& options, const PageSink& sink,
                               ListingReport* report) const {
    list::Tree tree(Reader(options), options, RootOf(start, partition_base));
    ARROW_ASSIGN_OR_RAISE(auto root, Begin(start, &tree));
    ARROW_ASSIGN_OR_RAISE(const bool more, list::Walk(&tree, std::move(root), sink));
    const ListingReport& found = tree.report();
    report->Merge(found);
    if (start.glob == nullptr) return more;
    const bool matched =
        found.files + found.files_pruned + found.directories_pruned > 0 ||
        std::any_of(found.issues.begin(), found.issues.end(),
                    [](const ListingReport::Entry& entry) { return entry.count > 0; });
    if (!matched)
      return base::ErrnoError(ENOENT, "No file matches the pattern '", start.glob->pattern(), "'");
    return more;
  }

  arrow::Result<FileSample> SampleStart(const list::Start& start, const std::string& partition_base,
                                        const ListOptions& options, int64_t n) const {
    if (start.is_file) {
      FileSample sample;
      ARROW_RETURN_NOT_OK(AddFile(start, partition_base, options, &sample.files, &sample.report));
      ARROW_ASSIGN_OR_RAISE(sample.files,
                            list::FilterPage(options, std::move(sample.files), &sample.report));
      sample.complete = true;
      return sample;
    }
    list::Tree tree(recorder_, options, RootOf(start, partition_base));
    ARROW_ASSIGN_OR_RAISE(auto root, Begin(start, &tree));
    return list::SampleTree(&tree, std::move(root), n);
  }

  const std::vector<std::string> sources_;
  const base::Locations locations_;
  const std::shared_ptr<const store::Access> access_;
  // What samples have read, and listings that were to be remembered, is not read again: one source,
  // one snapshot.
  const std::shared_ptr<list::SnapshotDirectories> known_;
  const std::shared_ptr<const list::DirectoryReader> reader_, recorder_;
};

}  // namespace

arrow::Result<FileSample> ListingSource::Sample(const ListOptions& options, int64_t n) const {
  FileSample sample;
  const auto collect = [&](FileTable page) -> arrow::Result<bool> {
    sample.files.Append(page);
    return true;
  };
  ARROW_ASSIGN_OR_RAISE(sample.report, List(options, collect));
  n = std::max<int64_t>(n, 1);
  sample.complete = sample.files.num_files() <= n;
  if (!sample.complete) sample.files = list::SelectEvenly(sample.files, n);
  return sample;
}

arrow::Result<std::shared_ptr<const ListingSource>> MakeListingSource(
    std::vector<std::string> sources, std::shared_ptr<arrow::fs::FileSystem> filesystem,
    ListingCacheUse remembered) {
  if (sources.empty())
    return arrow::Status::Invalid("No sources are given; give a path, a URI or a glob.");
  ARROW_ASSIGN_OR_RAISE(auto locations, base::ResolveLocations(sources, std::move(filesystem)));
  auto reader = list::MakeDirectoryReader(locations.filesystem);
  if (remembered.ttl.count() > 0)
    reader = list::MakeRememberingReader(std::move(reader), locations.filesystem, remembered);
  return std::make_shared<WalkSource>(std::move(sources), std::move(locations), reader);
}

}  // namespace shoal
