#include "list/tree.h"

#include <algorithm>
#include <thread>

#include "base/path.h"
#include "base/status_context.h"
#include "base/text.h"
#include "list/concurrency.h"
#include "list/name_order.h"
#include "list/strictness.h"
#include "runtime/parallel.h"

namespace shoal::list {

namespace {

// The name of objects by which Hadoop's S3 client marks folders.
constexpr std::string_view kFolderMarkerEnding = "_$folder$";

}  // namespace

const std::string* HidingPrefix(const ListOptions& options, std::string_view name) {
  for (const std::string& prefix : options.ignore_prefixes) {
    if (!prefix.empty() && name.starts_with(prefix)) return &prefix;
  }
  return nullptr;
}

bool HasWantedExtension(const ListOptions& options, std::string_view name) {
  if (options.extensions.empty()) return true;
  return std::any_of(
      options.extensions.begin(), options.extensions.end(),
      [&](const std::string& extension) { return base::EndsWithIgnoringCase(name, extension); });
}

arrow::Result<std::vector<PartitionKey>> JoinKeys(std::vector<PartitionKey> keys,
                                                  std::vector<PartitionKey> more,
                                                  const std::string& path) {
  for (PartitionKey& key : more) {
    for (const PartitionKey& known : keys) {
      if (known.name == key.name) {
        return arrow::Status::Invalid("The path '", path, "' has the partition key '", key.name,
                                      "' twice; rename one of the directories.");
      }
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

std::vector<std::string_view> MissingKeys(const Partitioning& partitioning,
                                          const std::vector<PartitionKey>& keys) {
  std::vector<std::string_view> missing;
  for (const std::string& name : partitioning.required_keys()) {
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const PartitionKey& key) { return key.name == name; })) {
      missing.push_back(name);
    }
  }
  return missing;
}

arrow::Result<BaseKeys> ParseBelowBase(const Partitioning& partitioning,
                                       const std::string& partition_base,
                                       const std::string& directory) {
  BaseKeys out;
  if (!base::IsWithin(directory, partition_base)) return out;
  out.depth = 0;
  const std::string_view below =
      std::string_view(directory).substr(std::min(partition_base.size(), directory.size()));
  for (std::string_view segment : base::SplitPath(below)) {
    ARROW_ASSIGN_OR_RAISE(auto keys, partitioning.ParseDirectory(out.depth++, segment));
    ARROW_ASSIGN_OR_RAISE(out.keys, JoinKeys(std::move(out.keys), std::move(keys), directory));
  }
  return out;
}

int ReadConcurrency(const DirectoryReader& reader, const ListOptions& options) {
  const int wanted = std::max(options.list_concurrency, 1);
  if (!reader.is_local()) return wanted;
  return std::min(wanted, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

Tree::Tree(std::shared_ptr<const DirectoryReader> reader, const ListOptions& options, TreeRoot root)
    : reader_(std::move(reader)), options_(options), root_(std::move(root)) {}

arrow::Result<std::shared_ptr<Directory>> Tree::Root() {
  auto directory = std::make_shared<Directory>();
  directory->prefix = base::AsPrefix(root_.directory);
  ARROW_ASSIGN_OR_RAISE(
      BaseKeys base, ParseBelowBase(*options_.partitioning, root_.partition_base, root_.directory));
  directory->key_depth = base.depth;
  directory->keys = std::move(base.keys);
  directory->has_required_keys = MissingKeys(*options_.partitioning, directory->keys).empty();
  if (root_.glob != nullptr) {
    directory->positions = root_.glob->Start();
    directory->whole = false;
  }
  return directory;
}

arrow::Status Tree::Read(const std::vector<std::shared_ptr<Directory>>& directories, bool recursive,
                         bool missing_ok) {
  const std::vector<std::shared_ptr<Directory>>& level = directories;
  std::vector<ListingReport> reports(level.size());
  if (reader_->is_local()) {
    ARROW_RETURN_NOT_OK(runtime::ParallelFor(
        static_cast<int64_t>(level.size()), ReadConcurrency(*reader_, options_), options_.stop,
        [&](int64_t i) {
          ARROW_ASSIGN_OR_RAISE(RawListing raw, reader_->Read(level[i]->prefix, missing_ok));
          ++(raw.cached ? reports[i].directories_cached : reports[i].directories_listed);
          return Classify(level[i].get(), std::move(raw), &reports[i]);
        },
        kLocalReadsPerThread));
  } else {
    std::vector<std::string> prefixes;
    std::vector<Directory*> unread;
    for (const auto& directory : level) {
      if (directory->read_ahead != nullptr) continue;
      prefixes.push_back(directory->prefix);
      unread.push_back(directory.get());
    }
    const auto fetch = [reader = reader_, prefixes = std::move(prefixes), recursive,
                        missing_ok](size_t i) -> arrow::Result<RawTree> {
      if (recursive) return reader->ReadRecursive(prefixes[i]);
      RawTree tree;
      ARROW_ASSIGN_OR_RAISE(tree[prefixes[i]], reader->Read(prefixes[i], missing_ok));
      return tree;
    };
    ARROW_ASSIGN_OR_RAISE(auto trees,
                          FetchAll<RawTree>(unread.size(), ReadConcurrency(*reader_, options_),
                                            options_.stop, fetch));
    for (size_t i = 0; i < trees.size(); ++i) {
      const auto root = trees[i].find(unread[i]->prefix);
      const bool cached = root != trees[i].end() && root->second.cached;
      ++(cached ? report_.directories_cached : report_.directories_listed);
      if (!cached && root != trees[i].end()) report_.store_requests.list += root->second.requests;
      report_.recursive = report_.recursive || (recursive && !cached);
      unread[i]->read_ahead = std::make_shared<RawTree>(std::move(trees[i]));
    }
    for (size_t i = 0; i < level.size(); ++i) {
      Directory& directory = *level[i];
      auto raw = directory.read_ahead->extract(directory.prefix);
      if (!recursive || directory.read_ahead->empty()) directory.read_ahead = nullptr;
      ARROW_RETURN_NOT_OK(
          Classify(&directory, raw.empty() ? RawListing{} : std::move(raw.mapped()), &reports[i]));
    }
  }
  for (const ListingReport& report : reports) {
    if (!options_.strict.empty()) ARROW_RETURN_NOT_OK(CheckStrict(report, options_.strict));
    report_.Merge(report);
  }
  ARROW_RETURN_NOT_OK(FilterDirectories(level));

  // What has been read ahead costs nothing more.
  std::vector<std::shared_ptr<Directory>> below;
  for (const auto& directory : level) {
    if (directory->read_ahead == nullptr) continue;
    for (Directory::Entry& entry : directory->entries) {
      if (!entry.is_directory) continue;
      ARROW_ASSIGN_OR_RAISE(auto child, Child(*directory, &entry));
      below.push_back(std::move(child));
    }
  }
  return below.empty() ? arrow::Status::OK() : Read(below, recursive);
}

arrow::Status Tree::GoToKnownKeys(const std::shared_ptr<Directory>& from) {
  if (options_.key_values.empty() || from->read_ahead != nullptr || !from->whole ||
      from->key_depth < 0 || reader_->requires_recursive())
    return arrow::Status::OK();
  std::vector<std::string> names;
  std::string prefix = from->prefix;
  while (true) {
    auto name = options_.partitioning->OnlyDirectory(
        from->key_depth + static_cast<int>(names.size()), options_.key_values);
    // A hidden directory is none of the table's, whatever is asked for.
    if (!name || !base::IsUtf8(*name) ||
        (HidingPrefix(options_, *name) && !options_.partitioning->NamesKey(*name)))
      break;
    const std::string path = prefix + *name;
    if (reader_->is_local()) {
      ARROW_ASSIGN_OR_RAISE(const PathInfo info, reader_->Look(path, nullptr));
      ++report_.stat_calls;
      if (info.type != EntryType::kDirectory) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(const bool loop, reader_->ClosesLoop(root_.directory, path));
      if (loop) return arrow::Status::OK();  // listing says what is wrong
    }
    prefix = path + "/";
    names.push_back(*std::move(name));
  }
  if (names.empty() || from->depth + static_cast<int>(names.size()) > options_.max_depth)
    return arrow::Status::OK();
  RawListing raw;
  if (reader_->is_local()) {
    ARROW_ASSIGN_OR_RAISE(raw, reader_->Read(prefix, /*missing_ok=*/true));
  } else {
    const auto fetch = [reader = reader_, prefix](size_t) {
      return reader->Read(prefix, /*missing_ok=*/true);
    };
    ARROW_ASSIGN_OR_RAISE(auto fetched, FetchAll<RawListing>(1, 1, options_.stop, fetch));
    raw = std::move(fetched[0]);
  }
  ++(raw.cached ? report_.directories_cached : report_.directories_listed);
  // Whether it is empty, or nothing of that is there, only listing tells.
  if (raw.entries.empty()) return arrow::Status::OK();
  report_.known_prefixes.push_back(prefix);
  std::shared_ptr<Directory> directory = from;
  for (const std::string& name : names) {
    directory->read = true;
    directory->names = name;
    directory->entries.push_back({0, static_cast<uint32_t>(name.size()), true, nullptr});
    ARROW_RETURN_NOT_OK(FilterDirectories({directory}));
    if (directory->entries.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(directory, Child(*directory, &directory->entries[0]));
  }
  ListingReport report;
  ARROW_RETURN_NOT_OK(Classify(directory.get(), std::move(raw), &report));
  if (!options_.strict.empty()) ARROW_RETURN_NOT_OK(CheckStrict(report, options_.strict));
  report_.Merge(report);
  return FilterDirectories({directory});
}

arrow::Status Tree::Classify(Directory* directory, RawListing raw, ListingReport* report) const {
  directory->read = true;
  directory->entries.reserve(raw.entries.size());
  // Object stores can have an object called like a folder, which stands for it.
  std::unordered_set<std::string_view> folders;
  if (!reader_->is_local()) {
    for (const RawEntry& entry : raw.entries) {
      if (entry.info.type == EntryType::kDirectory) folders.insert(raw.name(entry));
    }
  }
  for (const RawEntry& entry : raw.entries)
    ARROW_RETURN_NOT_OK(ClassifyEntry(directory, raw, entry, folders, report));
  directory->names = std::move(raw.names);
  const std::string_view names = directory->names;
  SortByName(
      &directory->entries,
      [&](const Directory::Entry& entry) { return names.substr(entry.offset, entry.length); },
      [](const Directory::Entry& entry) { return entry.is_directory; });
  return arrow::Status::OK();
}

arrow::Status Tree::ClassifyEntry(Directory* directory, const RawListing& raw,
                                  const RawEntry& entry,
                                  const std::unordered_set<std::string_view>& folders,
                                  ListingReport* report) const {
  const std::string_view name = raw.name(entry);
  const auto path = [&] { return directory->prefix + std::string(name); };
  if (name.ends_with('/')) {
    report->Add(ListingIssue::kDirectoryMarker, name == "/" ? directory->prefix : path());
    return arrow::Status::OK();
  }
  base::Glob::Positions positions;
  if (!directory->whole) {
    positions = root_.glob->Step(directory->positions, name);
    if (positions.empty()) return arrow::Status::OK();
  }
  if (!base::IsUtf8(name)) {
    report->Add(ListingIssue::kNotUtf8, base::EscapeForMessage(path()));
    return arrow::Status::OK();
  }
  const std::string* hiding = HidingPrefix(options_, name);
  if (hiding != nullptr && !directory->whole &&
      root_.glob->SpellsOut(directory->positions, name, *hiding)) {
    hiding = nullptr;
  }
  if (hiding != nullptr && !options_.partitioning->NamesKey(name)) {
    report->Add(ListingIssue::kHidden, path());
    return arrow::Status::OK();
  }

  PathInfo info = entry.info;
  const bool resolve = info.type == EntryType::kUnresolved;
  if (resolve) {
    bool dangling = false;
    ++report->stat_calls;
    ARROW_ASSIGN_OR_RAISE(info, reader_->Look(path(), &dangling));
    report->store_requests += CostOfLook(*reader_, info);
    if (info.type == EntryType::kNotFound) {
      if (!HasWantedExtension(options_, name)) {
        report->Add(ListingIssue::kExtension, path());
        return arrow::Status::OK();
      }
      return base::ErrnoError(
          ENOENT, dangling ? "The link '" : "The path '", path(),
          dangling ? "' leads to nothing; remove or mend it" : "' vanished while it was listed");
    }
  }

  if (info.type == EntryType::kDirectory) {
    if (directory->depth + 1 > options_.max_depth) {
      return arrow::Status::Invalid(
          "The directory '", path(), "' lies more than ", options_.max_depth,
          " levels deep; is there a loop of links? Raise max_depth if it is right.");
    }
    if (resolve) {
      ARROW_ASSIGN_OR_RAISE(const bool loop, reader_->ClosesLoop(root_.directory, path()));
      if (loop) {
        return arrow::Status::Invalid(
            "The link '", path(),
            "' leads to a directory that it lies in itself, so its files would be read again "
            "and again; remove it.");
      }
    }
    Directory::Entry found{entry.offset, entry.length, true, nullptr, info.version};
    if (!directory->whole) {
      ARROW_ASSIGN_OR_RAISE(found.child, MakeChild(*directory, name));
      found.child->whole = root_.glob->Accepts(positions);
      found.child->positions = std::move(positions);
    } else if (options_.ignore_subdirectory) {
      ARROW_ASSIGN_OR_RAISE(const auto keys, KeysOf(*directory, name));
      if (keys.size() == directory->keys.size()) {
        report->Add(ListingIssue::kSubdirectory, path());
        return arrow::Status::OK();
      }
    }
    directory->entries.push_back(std::move(found));
    return arrow::Status::OK();
  }

  if (!directory->whole && !root_.glob->Accepts(positions)) return arrow::Status::OK();
  const auto leave_out = [&](ListingIssue issue) {
    report->Add(issue, path());
    return arrow::Status::OK();
  };
  if (hiding != nullptr) return leave_out(ListingIssue::kHidden);
  if (info.type != EntryType::kFile) return leave_out(ListingIssue::kSpecialFile);
  if (name.ends_with(kFolderMarkerEnding)) return leave_out(ListingIssue::kDirectoryMarker);
  if (!HasWantedExtension(options_, name)) return leave_out(ListingIssue::kExtension);
  if (options_.need_size && info.version.size == FileVersion::kUnknown) {
    ++report->stat_calls;
    ARROW_ASSIGN_OR_RAISE(info, reader_->Look(path(), nullptr));
    report->store_requests += CostOfLook(*reader_, info);
    if (info.type != EntryType::kFile) {
      return base::ErrnoError(ENOENT, "The file '", path(), "' vanished while it was listed");
    }
  }
  if (info.version.size == 0) {
    return leave_out(folders.contains(name) ? ListingIssue::kDirectoryMarker
                                            : ListingIssue::kZeroByte);
  }
  // What only a look at a link told: see ListOptions::need_size.
  if (resolve && reader_->is_local() && !options_.need_size) info.version = {};
  directory->entries.push_back({entry.offset, entry.length, false, nullptr, info.version});
  return arrow::Status::OK();
}

arrow::Result<std::vector<PartitionKey>> Tree::KeysOf(const Directory& parent,
                                                      std::string_view name) const {
  if (parent.key_depth < 0) return parent.keys;
  ARROW_ASSIGN_OR_RAISE(auto keys, options_.partitioning->ParseDirectory(parent.key_depth, name));
  if (keys.empty()) return parent.keys;
  return JoinKeys(parent.keys, std::move(keys), parent.prefix + std::string(name));
}

arrow::Result<std::shared_ptr<Directory>> Tree::Child(const Directory& parent,
                                                      Directory::Entry* entry) const {
  if (entry->child == nullptr) {
    const std::string_view names = parent.names;
    ARROW_ASSIGN_OR_RAISE(entry->child,
                          MakeChild(parent, names.substr(entry->offset, entry->length)));
  }
  return entry->child;
}

arrow::Result<std::shared_ptr<Directory>> Tree::MakeChild(const Directory& parent,
                                                          std::string_view name) const {
  auto child = std::make_shared<Directory>();
  child->prefix.reserve(parent.prefix.size() + name.size() + 1);
  child->prefix += parent.prefix;
  child->prefix += name;
  child->depth = parent.depth + 1;
  child->read_ahead = parent.read_ahead;
  ARROW_ASSIGN_OR_RAISE(child->keys, KeysOf(parent, name));
  child->has_required_keys = child->keys.size() == parent.keys.size()
                                 ? parent.has_required_keys
                                 : MissingKeys(*options_.partitioning, child->keys).empty();
  if (parent.key_depth >= 0) {
    child->key_depth = parent.key_depth + 1;
  } else if (child->prefix == root_.partition_base) {
    child->key_depth = 0;
  }
  child->prefix += '/';
  return child;
}

arrow::Status Tree::FilterDirectories(const std::vector<std::shared_ptr<Directory>>& parents) {
  if (options_.directory_filter == nullptr) return arrow::Status::OK();
  KeyTableBuilder keys;
  for (const auto& parent : parents) {
    const std::string_view names = parent->names;
    for (const Directory::Entry& entry : parent->entries) {
      if (!entry.is_directory) continue;
      ARROW_ASSIGN_OR_RAISE(const auto of_entry,
                            KeysOf(*parent, names.substr(entry.offset, entry.length)));
      keys.Append(keys.Resolve(of_entry));
    }
  }
  if (keys.table().num_rows == 0) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const std::vector<bool> keep, options_.directory_filter(keys.table()));
  if (static_cast<int64_t>(keep.size()) != keys.table().num_rows) {
    return arrow::Status::Invalid("The directory filter judged ", keep.size(), " of ",
                                  keys.table().num_rows,
                                  " directories; it must give one answer for each.");
  }
  size_t row = 0;
  for (const auto& parent : parents) {
    report_.directories_pruned +=
        static_cast<int64_t>(std::erase_if(parent->entries, [&](const Directory::Entry& e) {
          return e.is_directory && !keep[row++];
        }));
  }
  return arrow::Status::OK();
}

arrow::Status Tree::AddFiles(const Directory& directory, size_t begin, size_t end,
                             FileTable* page) {
  const std::string_view names = directory.names;
  ListingReport incomplete;  // paths that lack keys
  int32_t in_page = -1;
  for (size_t i = begin; i < end; ++i) {
    const Directory::Entry& entry = directory.entries[i];
    const std::string_view name = names.substr(entry.offset, entry.length);
    std::vector<PartitionKey> keys;
    if (directory.key_depth >= 0) {
      ARROW_ASSIGN_OR_RAISE(keys, options_.partitioning->ParseFileName(name));
    }
    bool fits = directory.has_required_keys;
    if (!keys.empty() || (!fits && options_.partitioning->null_where_missing())) {
      const std::string path = directory.prefix + std::string(name);
      ARROW_ASSIGN_OR_RAISE(auto all, JoinKeys(directory.keys, keys, path));
      const auto missing = MissingKeys(*options_.partitioning, all);
      fits = missing.empty();
      if (!fits && options_.partitioning->null_where_missing()) {
        for (const std::string_view key : missing) keys.push_back({std::string(key), std::nullopt});
        incomplete.Add(ListingIssue::kMissingKey, path);
        fits = true;
      }
    }
    if (!fits) {
      incomplete.Add(ListingIssue::kMisfit, directory.prefix + std::string(name));
      continue;
    }
    if (in_page < 0) in_page = page->AddDirectory(directory.prefix, directory.keys);
    page->AddFile(in_page, name, entry.version, keys);
  }
  if (incomplete[ListingIssue::kMisfit].count + incomplete[ListingIssue::kMissingKey].count > 0) {
    ARROW_RETURN_NOT_OK(CheckStrict(incomplete, options_.strict));
    report_.Merge(incomplete);
  }
  return arrow::Status::OK();
}

arrow::Result<FileTable> FilterPage(const ListOptions& options, FileTable page,
                                    ListingReport* report) {
  if (options.file_filter != nullptr && page.num_files() > 0) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<bool> keep, options.file_filter(page.keys()));
    if (static_cast<int64_t>(keep.size()) != page.num_files()) {
      return arrow::Status::Invalid("The file filter judged ", keep.size(), " of ",
                                    page.num_files(), " files; it must give one answer for each.");
    }
    const auto kept = std::count(keep.begin(), keep.end(), true);
    report->files_pruned += page.num_files() - kept;
    if (kept < page.num_files()) page = page.Select(keep);
  }
  report->files += page.num_files();
  return page;
}

}  // namespace shoal::list
