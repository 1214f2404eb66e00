#include "plan/summary_source.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/location.h"
#include "base/path.h"
#include "base/text.h"
#include "list/named_files.h"
#include "plan/facts_loader.h"
#include "runtime/counters.h"

namespace shoal::plan {

namespace {

constexpr std::string_view kMetadata = "_metadata", kCommonMetadata = "_common_metadata";

}  // namespace

bool SummarySource::IsSummary(std::string_view path) {
  const std::string_view name = base::NameOf(path);
  return name == kMetadata || name == kCommonMetadata;
}

std::shared_ptr<const SummarySource> SummarySource::Of(
    const std::string& path, std::shared_ptr<arrow::fs::FileSystem> filesystem,
    std::shared_ptr<const FileFormat> format, std::shared_ptr<const ListingSource> walk) {
  if (!IsSummary(path)) return nullptr;
  std::shared_ptr<SummarySource> out(new SummarySource());
  out->path_ = path;
  out->root_ = base::ParentOf(path);
  out->filesystem_ = std::move(filesystem);
  out->format_ = std::move(format);
  out->walk_ = std::move(walk);
  out->names_files_ = base::NameOf(path) == kMetadata;
  return out;
}

arrow::Result<std::string> SummarySource::PathOf(const std::string& named) const {
  const auto bad = [&](const char* why) {
    return arrow::Status::Invalid("'", path_, "' names the file '", base::EscapeForMessage(named),
                                  "', ", why);
  };
  // Who wrote the summary says what is read: nothing but what lies in its folder.
  if (!base::IsUtf8(named)) return bad("whose name is not UTF-8");
  if (named.find('\0') != named.npos) return bad("which no file can be called");
  if (named.starts_with('/') || base::IsUri(named)) return bad("which is not a path in its folder");
  for (size_t begin = 0; begin <= named.size();) {
    const size_t end = std::min(named.find('/', begin), named.size());
    if (named.substr(begin, end - begin) == "..") return bad("which leads out of its folder");
    begin = end + 1;
  }
  const std::string relative = base::NormalizePath(named);
  if (relative.empty()) return bad("which is no path");
  return base::AsPrefix(root_) + relative;
}

arrow::Result<std::shared_ptr<const SummarySource::Summary>> SummarySource::Load(
    const arrow::StopToken& stop) const {
  std::lock_guard lock(mutex_);
  if (summary_) return summary_;
  auto file = std::make_shared<const SourceFile>(SourceFile{filesystem_, path_});
  ARROW_ASSIGN_OR_RAISE(
      auto loaded, LoadFacts(*format_, file, nullptr, std::make_shared<runtime::Counters>(), stop));
  if (!loaded.facts) {
    return arrow::Status::Invalid("'", path_, "' is empty: it tells nothing of a table");
  }
  auto out = std::make_shared<Summary>();
  out->facts = std::move(loaded.facts);
  if (names_files_) {
    ARROW_ASSIGN_OR_RAISE(auto files, format_->SummarizedFiles(*out->facts));
    for (int group = 0; group < static_cast<int>(files.size()); ++group) {
      const std::string& named = files[static_cast<size_t>(group)];
      if (named.empty()) {
        return arrow::Status::Invalid("'", path_, "' does not say which file its row group ", group,
                                      " is in: it is no summary of a folder");
      }
      ARROW_ASSIGN_OR_RAISE(const std::string path, PathOf(named));
      out->row_groups[path].push_back(group);
    }
  }
  return summary_ = std::move(out);
}

arrow::Result<std::shared_ptr<arrow::Schema>> SummarySource::Columns(
    const arrow::StopToken& stop) const {
  ARROW_ASSIGN_OR_RAISE(auto summary, Load(stop));
  return summary->facts->schema();
}

arrow::Result<std::shared_ptr<const FileFacts>> SummarySource::FactsOf(
    const std::string& path) const {
  if (!names_files_) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto summary, Load(arrow::StopToken::Unstoppable()));
  const auto found = summary->row_groups.find(path);
  if (found == summary->row_groups.end()) return nullptr;
  return format_->FactsOfSummarized(*summary->facts, found->second, {filesystem_, path});
}

arrow::Status SummarySource::CheckSame(const std::string& path, const FileFacts& read) const {
  ARROW_ASSIGN_OR_RAISE(auto told, FactsOf(path));
  if (!told) return arrow::Status::OK();
  std::string how;
  const int groups = told->num_row_groups();
  if (read.num_row_groups() != groups) {
    how = "has " + base::Count(read.num_row_groups(), "row group", "row groups") + ", not " +
          std::to_string(groups);
  }
  for (int g = 0; g < groups && how.empty(); ++g) {
    if (read.row_group_rows(g).exact_value() != told->row_group_rows(g).exact_value() ||
        read.row_group_bytes(g) != told->row_group_bytes(g)) {
      how = "has another row group " + std::to_string(g);
    }
  }
  if (how.empty() && !read.schema()->Equals(*told->schema(), /*check_metadata=*/false)) {
    how = "has other columns";
  }
  if (how.empty()) return arrow::Status::OK();
  return arrow::Status::IOError("'", path, "' ", how, ": '", path_,
                                "' tells of an older or another file. Write the summary anew, or "
                                "open the folder '",
                                root_, "' instead");
}

arrow::Result<ListingReport> SummarySource::List(const ListOptions& options,
                                                 const PageSink& sink) const {
  if (!names_files_) return walk_->List(options, sink);
  ARROW_ASSIGN_OR_RAISE(auto summary, Load(options.stop));
  std::vector<std::string> paths;
  for (const auto& [path, groups] : summary->row_groups) paths.push_back(path);
  return list::ListNamedFiles(filesystem_, root_, std::move(paths), options, sink);
}

arrow::Result<FileSample> SummarySource::Sample(const ListOptions& options, int64_t n) const {
  return names_files_ ? ListingSource::Sample(options, n) : walk_->Sample(options, n);
}

}  // namespace shoal::plan
