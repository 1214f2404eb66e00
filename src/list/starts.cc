#include "list/starts.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/path.h"
#include "base/status_context.h"
#include "base/text.h"
#include "list/concurrency.h"
#include "runtime/parallel.h"

namespace shoal::list {

namespace {

arrow::Status DoesNotExist(const DirectoryReader& reader, const std::string& path) {
  // Arrow's listings do not tell a missing bucket from a missing folder.
  return base::ErrnoError(ENOENT, "The path '", reader.NameOf(path),
                          "' does not exist; check its spelling",
                          reader.is_object_store() ? ", the bucket's too" : "");
}

// Looks at sources, one at a time; owns all that it uses.
class Prober {
 public:
  explicit Prober(std::shared_ptr<const DirectoryReader> reader) : reader_(std::move(reader)) {}

  arrow::Result<Start> Probe(std::string path, bool ends_with_slash) const {
    if (!base::IsUtf8(path)) {
      return arrow::Status::Invalid("The path '", base::EscapeForMessage(path),
                                    "' (percent-encoded here) is not UTF-8; rename it");
    }
    Start start;
    const bool is_local = reader_->is_local();
    const bool may_be_glob = base::HasGlobCharacters(path);
    if (is_local) path = ResolveParents(path);
    // Elsewhere than on local disks a look costs as much as the listing that has to follow, and the
    // listing tells as well what the path is.
    if (!is_local && may_be_glob) return ProbeRemoteGlob(path);
    start.path = path;
    arrow::Status not_listed;
    if (!is_local && (ends_with_slash || !base::HasExtension(path))) {
      const auto found = ReadAhead(&start);
      if (found.ok() && *found) return start;
      // File systems may refuse to list a file; stores list what is below any name.
      if (reader_->is_object_store()) ARROW_RETURN_NOT_OK(found);
      not_listed = found.status();
    }

    bool dangling = false;
    ++start.cost.stat_calls;
    ARROW_ASSIGN_OR_RAISE(start.info, reader_->Look(path, &dangling));
    start.cost.store_requests += CostOfLook(*reader_, start.info);
    switch (start.info.type) {
      case EntryType::kFile:
        start.is_file = true;
        start.read_ahead = nullptr;
        if (ends_with_slash && !may_be_glob && is_local) {
          return base::ErrnoError(ENOTDIR, "The path '", path,
                                  "/' is a file, not a directory; drop the slash");
        }
        return start;
      case EntryType::kDirectory:
        ARROW_RETURN_NOT_OK(not_listed);
        return start;
      case EntryType::kSpecial:
      case EntryType::kUnresolved:
        return arrow::Status::Invalid(
            "The path '", path, "' is neither a file nor a directory; copy its data to a file.");
      case EntryType::kNotFound:
        break;
    }
    if (dangling) {
      return base::ErrnoError(ENOENT, "The link '", path, "' leads to nothing; remove or mend it");
    }
    if (!may_be_glob) return DoesNotExist(*reader_, path);
    ARROW_ASSIGN_OR_RAISE(base::Glob glob, base::Glob::Parse(path));
    start.path = glob.base();
    ++start.cost.stat_calls;
    ARROW_ASSIGN_OR_RAISE(const PathInfo base_info, reader_->Look(start.path, nullptr));
    start.cost.store_requests += CostOfLook(*reader_, base_info);
    if (base_info.type != EntryType::kDirectory) {
      return base::ErrnoError(ENOENT, "No file matches the pattern '", path,
                              "': there is no directory '", start.path, "'");
    }
    start.glob = std::make_shared<base::Glob>(std::move(glob));
    return start;
  }

 private:
  // The directory that a glob starts from has to be listed anyway. It tells whether the path could
  // exist literally, so that a look at that is only paid for where it could.
  arrow::Result<Start> ProbeRemoteGlob(const std::string& path) const {
    Start start;
    ARROW_ASSIGN_OR_RAISE(base::Glob glob, base::Glob::Parse(path));
    start.path = glob.base();
    ARROW_ASSIGN_OR_RAISE(const bool found, ReadAhead(&start));
    if (!found) {
      return base::ErrnoError(ENOENT, "No file matches the pattern '", reader_->NameOf(path),
                              "': there is nothing in '", reader_->NameOf(start.path), "'");
    }
    const RawListing& listing = start.read_ahead->at(base::AsPrefix(start.path));
    const bool may_be_literal = std::any_of(
        listing.entries.begin(), listing.entries.end(),
        [&](const RawEntry& entry) { return listing.name(entry) == glob.first_wild_segment(); });
    if (may_be_literal) {
      ++start.cost.stat_calls;
      ARROW_ASSIGN_OR_RAISE(start.info, reader_->Look(path, nullptr));
      start.cost.store_requests += CostOfLook(*reader_, start.info);
      if (start.info.type != EntryType::kNotFound) {
        start.path = path;
        start.is_file = start.info.type == EntryType::kFile;
        start.read_ahead = nullptr;
        return start;
      }
    }
    start.glob = std::make_shared<base::Glob>(std::move(glob));
    return start;
  }

  // Whether there is anything in the directory.
  arrow::Result<bool> ReadAhead(Start* start) const {
    const std::string prefix = base::AsPrefix(start->path);
    RawTree tree;
    if (reader_->requires_recursive()) {
      ARROW_ASSIGN_OR_RAISE(tree, reader_->ReadRecursive(prefix));
    } else {
      ARROW_ASSIGN_OR_RAISE(tree[prefix], reader_->Read(prefix, /*missing_ok=*/true));
    }
    const RawListing& root = tree.at(prefix);
    ++(root.cached ? start->cost.directories_cached : start->cost.directories_listed);
    if (!root.cached) start->cost.store_requests.list += root.requests;
    start->read_ahead = std::make_shared<RawTree>(std::move(tree));
    return !start->read_ahead->at(prefix).entries.empty();
  }

  const std::shared_ptr<const DirectoryReader> reader_;
};

// Whether a walk over the whole tree `outer` hands out all files of `inner`.
bool Covers(const Start& outer, const Start& inner, const ListOptions& options) {
  if (outer.is_file || outer.glob != nullptr || options.ignore_subdirectory) return false;
  // A pattern can spell out names that are otherwise hidden.
  if (inner.glob != nullptr || !base::IsWithin(inner.path, outer.path)) return false;
  if (inner.path == outer.path) return !inner.is_file;
  const std::string_view below =
      std::string_view(inner.path).substr(base::AsPrefix(outer.path).size());
  std::vector<std::string_view> directories = base::SplitPath(below);
  if (inner.is_file) {
    const std::string_view name = base::NameOf(inner.path);
    if (HidingPrefix(options, name) != nullptr || !HasWantedExtension(options, name)) return false;
    if (!directories.empty()) directories.pop_back();
  }
  return std::all_of(directories.begin(), directories.end(), [&](std::string_view name) {
    return HidingPrefix(options, name) == nullptr || options.partitioning->NamesKey(name);
  });
}

bool IsSame(const Start& a, const Start& b) {
  if (a.is_file != b.is_file || a.path != b.path) return false;
  if (a.glob == nullptr || b.glob == nullptr) return a.glob == b.glob;
  return a.glob->pattern() == b.glob->pattern();
}

}  // namespace

std::string ResolveParents(const std::string& path) {
  const size_t parent = (path + "/").rfind("/../");
  if (parent == std::string::npos) return path;
  const size_t end = parent + 3;
  const std::unique_ptr<char, decltype(&std::free)> real(
      realpath(path.substr(0, end).c_str(), nullptr), &std::free);
  if (real == nullptr) return path;
  return base::JoinPath(real.get(),
                        base::NormalizePath(path.substr(std::min(end + 1, path.size()))));
}

std::string Start::Prefix() const { return is_file ? path : base::AsPrefix(path); }

arrow::Result<std::vector<StartGroup>> FindStarts(
    const std::shared_ptr<const DirectoryReader>& reader, const base::Locations& locations,
    const ListOptions& options) {
  const size_t n = locations.paths.size();
  std::vector<Start> starts(n);
  const int concurrency = ReadConcurrency(*reader, options);
  if (reader->is_local()) {
    const Prober prober(reader);
    ARROW_RETURN_NOT_OK(runtime::ParallelFor(
        static_cast<int64_t>(n), concurrency, options.stop,
        [&](int64_t i) {
          return prober.Probe(locations.paths[i], locations.ends_with_slash[i]).Value(&starts[i]);
        },
        kLocalReadsPerThread));
  } else {
    const auto probe = [prober = Prober(reader), paths = locations.paths,
                        slashes = locations.ends_with_slash](size_t i) {
      return prober.Probe(paths[i], slashes[i]);
    };
    ARROW_ASSIGN_OR_RAISE(starts, FetchAll<Start>(n, concurrency, options.stop, probe));
  }

  // In the order of the paths, wider trees first.
  std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    const std::string x = a.Prefix(), y = b.Prefix();
    if (x != y) return x < y;
    return (a.glob == nullptr) > (b.glob == nullptr);
  });
  std::vector<StartGroup> groups;
  std::string shared;  // prefix of the group's first start, if that is a tree
  bool is_tree = false;
  for (Start& start : starts) {
    const std::string prefix = start.Prefix();
    if (groups.empty() ||
        !(is_tree ? prefix.starts_with(shared) : IsSame(groups.back().front(), start))) {
      is_tree = !start.is_file;
      shared = prefix;
      groups.emplace_back();
    }
    StartGroup& group = groups.back();
    const bool known = std::any_of(group.begin(), group.end(), [&](const Start& other) {
      return IsSame(other, start) || Covers(other, start, options);
    });
    if (known) {
      group.front().cost.Merge(start.cost);
    } else {
      group.push_back(std::move(start));
    }
  }
  return groups;
}

}  // namespace shoal::list
