// Directories of any arrow::fs::FileSystem.
#include "list/directory_reader.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include <arrow/filesystem/filesystem.h>
#include <arrow/util/future.h>
#include <arrow/util/iterator.h>

#include "base/location.h"
#include "base/path.h"
#include "base/status_context.h"
#include "runtime/aside.h"
#include "store/access.h"

namespace shoal::list {

namespace {

/// Names in a page, as the services give them and Arrow leaves it.
constexpr int64_t kGcsPage = 1000, kAzurePage = 5000;

PathInfo ToPathInfo(const arrow::fs::FileInfo& info) {
  PathInfo out;
  switch (info.type()) {
    case arrow::fs::FileType::NotFound:
      return out;
    case arrow::fs::FileType::Unknown:
      out.type = EntryType::kSpecial;
      break;
    case arrow::fs::FileType::File:
      out.type = EntryType::kFile;
      if (info.size() != arrow::fs::kNoSize) out.version.size = info.size();
      break;
    case arrow::fs::FileType::Directory:
      out.type = EntryType::kDirectory;
      break;
  }
  if (info.mtime() != arrow::fs::kNoTime) {
    out.version.mtime_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(info.mtime().time_since_epoch())
            .count();
  }
  return out;
}

class FileSystemReader final : public DirectoryReader {
 public:
  explicit FileSystemReader(std::shared_ptr<arrow::fs::FileSystem> filesystem)
      : filesystem_(std::move(filesystem)), access_(store::Access::Of(filesystem_)) {
    const std::string type = store::KindOf(*filesystem_);
    is_object_store_ = type == "s3" || type == "abfs" || type == "gcs";
    // Arrow walks over Azure's folders itself, one request after another (docs/adr/0005).
    prefers_recursive_ = is_object_store_ && type != "abfs";
    // Folders without a marker object are missing from its plain listings.
    requires_recursive_ = type == "gcs";
  }

  arrow::Result<RawListing> Read(const std::string& prefix, bool missing_ok) const override {
    RawListing listing;
    ARROW_ASSIGN_OR_RAISE(auto answer, Request(prefix, missing_ok, /*recursive=*/false));
    listing.requests = answer.requests;
    for (const arrow::fs::FileInfo& info : answer.infos) {
      const std::string_view path = Below(prefix, info);
      // An object that is called like the directory itself stands for it.
      listing.Add(path.empty() ? "/" : path, ToPathInfo(info));
    }
    return listing;
  }

  arrow::Result<RawTree> ReadRecursive(const std::string& prefix) const override {
    ARROW_ASSIGN_OR_RAISE(auto answer, Request(prefix, /*missing_ok=*/true, /*recursive=*/true));
    RawTree tree;
    tree[prefix].requests = answer.requests;
    std::unordered_set<std::string> known;  // directories that their parents already list
    const auto add_directory = [&](std::string_view path, auto& self) -> void {
      if (!known.emplace(path).second) return;
      const size_t slash = path.rfind('/');
      if (slash != std::string_view::npos) self(path.substr(0, slash), self);
      PathInfo info;
      info.type = EntryType::kDirectory;
      tree[prefix + std::string(path.substr(0, slash + 1))].Add(path.substr(slash + 1), info);
      tree[prefix + std::string(path) + "/"];
    };
    for (const arrow::fs::FileInfo& info : answer.infos) {
      const std::string_view path = Below(prefix, info);
      const PathInfo entry = ToPathInfo(info);
      if (entry.type == EntryType::kDirectory) {
        if (!path.empty())
          add_directory(path.ends_with('/') ? path.substr(0, path.size() - 1) : path,
                        add_directory);
        continue;
      }
      // A marker keeps the slash at its end as its name.
      const size_t slash = path.empty() ? path.npos : path.substr(0, path.size() - 1).rfind('/');
      const std::string_view parent =
          slash == path.npos ? std::string_view() : path.substr(0, slash);
      if (!parent.empty()) add_directory(parent, add_directory);
      const std::string_view name =
          path.empty() ? "/" : path.substr(slash == path.npos ? 0 : slash + 1);
      tree[prefix + (parent.empty() ? "" : std::string(parent) + "/")].Add(name, entry);
    }
    return tree;
  }

  arrow::Result<PathInfo> Look(const std::string& path, bool* dangling) const override {
    auto info = access_->Call<arrow::fs::FileInfo>(
        filesystem_, arrow::StopToken::Unstoppable(),
        [path](arrow::fs::FileSystem& filesystem) { return filesystem.GetFileInfo(path); });
    if (!info.ok())
      return base::WithContext(info.status(), "Cannot look at '" + access_->Name(path) + "'");
    return ToPathInfo(*info);
  }

  bool is_local() const override { return false; }
  std::string NameOf(const std::string& path) const override { return access_->Name(path); }
  bool is_object_store() const override { return is_object_store_; }
  bool prefers_recursive() const override { return prefers_recursive_; }
  bool requires_recursive() const override { return requires_recursive_; }

 private:
  struct Answer {
    arrow::fs::FileInfoVector infos;
    int64_t requests = 0;
  };

  arrow::Result<Answer> Request(const std::string& prefix, bool missing_ok, bool recursive) const {
    arrow::fs::FileSelector selector;
    selector.base_dir = prefix.size() > 1 ? prefix.substr(0, prefix.size() - 1) : prefix;
    selector.allow_not_found = missing_ok;
    selector.recursive = recursive;
    // Whoever asks leaves a request behind when it is stopped.
    auto answer = access_->Call<Answer>(
        filesystem_, arrow::StopToken::Unstoppable(),
        [selector](arrow::fs::FileSystem& filesystem) { return ByPages(filesystem, selector); },
        store::Access::Answer::kMany);
    if (!answer.ok()) {
      return base::WithContext(answer.status(),
                               "Cannot list the directory '" + access_->Name(prefix) + "'");
    }
    return answer;
  }

  // Each page is a sign that the listing gets on. (Azure's and Google's listings show no pages in
  // Arrow, but are taken apart in the thread that asks.)
  static arrow::Result<Answer> ByPages(arrow::fs::FileSystem& filesystem,
                                       const arrow::fs::FileSelector& selector) {
    Answer answer;
    if (filesystem.type_name() != "s3") {
      ARROW_ASSIGN_OR_RAISE(answer.infos, filesystem.GetFileInfo(selector));
      const int64_t page = filesystem.type_name() == "gcs"    ? kGcsPage
                           : filesystem.type_name() == "abfs" ? kAzurePage
                                                              : answer.infos.max_size();
      const auto n = static_cast<int64_t>(answer.infos.size());
      answer.requests = std::max<int64_t>(1, n / page + (n % page != 0));
      return answer;
    }
    const auto pages = filesystem.GetFileInfoGenerator(selector);
    while (true) {
      auto future = pages();
      ARROW_ASSIGN_OR_RAISE(auto page, future.MoveResult());
      if (arrow::IsIterationEnd(page)) {
        answer.requests = std::max<int64_t>(answer.requests, 1);
        return answer;
      }
      ++answer.requests;
      runtime::TellProgress();
      answer.infos.insert(answer.infos.end(), std::make_move_iterator(page.begin()),
                          std::make_move_iterator(page.end()));
    }
  }

  // Some filesystems answer with a leading slash that was not asked for.
  static std::string_view Below(const std::string& prefix, const arrow::fs::FileInfo& info) {
    std::string_view path = info.path();
    if (path.starts_with('/') && !prefix.starts_with('/')) path.remove_prefix(1);
    if (path.starts_with(prefix)) return path.substr(prefix.size());
    if (base::AsPrefix(path) == prefix) return {};
    return base::NameOf(path);
  }

  const std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  const std::shared_ptr<store::Access> access_;
  bool is_object_store_ = false, prefers_recursive_ = false, requires_recursive_ = false;
};

}  // namespace

StoreRequests CostOfLook(const DirectoryReader& reader, const PathInfo& info) {
  if (reader.is_local()) return {};
  return {.list = reader.is_object_store() && info.type != EntryType::kFile ? 1 : 0, .head = 1};
}

std::shared_ptr<const DirectoryReader> MakeDirectoryReader(
    std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  if (base::IsLocal(*filesystem)) return MakeLocalReader();
  return std::make_shared<FileSystemReader>(std::move(filesystem));
}

}  // namespace shoal::list
