#include "list/snapshot_reader.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/fork_mutex.h"
#include "list/name_order.h"

namespace shoal::list {

namespace {

constexpr int64_t kMostBytes = int64_t{4} << 20;
/// Where directories cannot be read alone, a sample reads all there is, and reading that again
/// costs more than keeping it.
constexpr int64_t kMostTreeBytes = int64_t{64} << 20;

int64_t BytesOf(const std::string& prefix, const RawListing& listing) {
  return static_cast<int64_t>(prefix.size() + listing.names.size() +
                              listing.entries.size() * sizeof(RawEntry));
}

}  // namespace

class SnapshotDirectories {
 public:
  std::shared_ptr<const RawListing> Get(const std::string& prefix) const {
    std::lock_guard lock(mutex_);
    const auto it = by_prefix_.find(prefix);
    return it == by_prefix_.end() ? nullptr : it->second;
  }

  void Put(const std::string& prefix, const RawListing& listing) {
    const int64_t bytes = BytesOf(prefix, listing);
    std::lock_guard lock(mutex_);
    if (bytes > kMostBytes - bytes_) return;
    auto copy = std::make_shared<RawListing>(listing);
    copy->cached = true;
    if (by_prefix_.emplace(prefix, std::move(copy)).second) bytes_ += bytes;
  }

  std::shared_ptr<const RawTree> GetTree(const std::string& prefix) const {
    std::lock_guard lock(mutex_);
    const auto it = trees_.find(prefix);
    return it == trees_.end() ? nullptr : it->second;
  }

  void PutTree(const std::string& prefix, const RawTree& tree) {
    int64_t bytes = 0;
    for (const auto& [directory, listing] : tree) bytes += BytesOf(directory, listing);
    std::lock_guard lock(mutex_);
    if (bytes > kMostTreeBytes - tree_bytes_) return;
    auto copy = std::make_shared<RawTree>(tree);
    for (auto& [directory, listing] : *copy) listing.cached = true;
    if (trees_.emplace(prefix, std::move(copy)).second) tree_bytes_ += bytes;
  }

 private:
  mutable base::ForkMutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const RawListing>> by_prefix_;
  std::unordered_map<std::string, std::shared_ptr<const RawTree>> trees_;
  int64_t bytes_ = 0, tree_bytes_ = 0;
};

namespace {

class SnapshotReader final : public DirectoryReader {
 public:
  SnapshotReader(std::shared_ptr<const DirectoryReader> reader,
                 std::shared_ptr<SnapshotDirectories> known, bool record)
      : reader_(std::move(reader)), known_(std::move(known)), record_(record) {}

  arrow::Result<RawListing> Read(const std::string& prefix, bool missing_ok) const override {
    if (const auto known = known_->Get(prefix)) return *known;
    ARROW_ASSIGN_OR_RAISE(RawListing listing, reader_->Read(prefix, missing_ok));
    // Nothing may be what is said of a directory that does not exist.
    if (record_ && !listing.entries.empty()) {
      // Once instead of each time that it is asked for.
      SortByName(
          &listing.entries, [&](const RawEntry& entry) { return listing.name(entry); },
          [](const RawEntry& entry) { return entry.info.type == EntryType::kDirectory; });
      known_->Put(prefix, listing);
    }
    return listing;
  }

  arrow::Result<RawTree> ReadRecursive(const std::string& prefix) const override {
    if (const auto known = known_->GetTree(prefix)) return *known;
    ARROW_ASSIGN_OR_RAISE(RawTree tree, reader_->ReadRecursive(prefix));
    if (record_ && (tree.size() > 1 || !tree.at(prefix).entries.empty()))
      known_->PutTree(prefix, tree);
    return tree;
  }
  arrow::Result<PathInfo> Look(const std::string& path, bool* dangling) const override {
    return reader_->Look(path, dangling);
  }
  bool is_local() const override { return reader_->is_local(); }
  bool is_object_store() const override { return reader_->is_object_store(); }
  std::string NameOf(const std::string& path) const override { return reader_->NameOf(path); }
  bool prefers_recursive() const override { return reader_->prefers_recursive(); }
  bool requires_recursive() const override { return reader_->requires_recursive(); }
  arrow::Result<bool> ClosesLoop(const std::string& root, const std::string& path) const override {
    return reader_->ClosesLoop(root, path);
  }

 private:
  const std::shared_ptr<const DirectoryReader> reader_;
  const std::shared_ptr<SnapshotDirectories> known_;
  const bool record_;
};

}  // namespace

std::shared_ptr<SnapshotDirectories> MakeSnapshotDirectories() {
  return std::make_shared<SnapshotDirectories>();
}

std::shared_ptr<const DirectoryReader> MakeSnapshotReader(
    std::shared_ptr<const DirectoryReader> reader, std::shared_ptr<SnapshotDirectories> known,
    bool record) {
  return std::make_shared<SnapshotReader>(std::move(reader), std::move(known), record);
}

}  // namespace shoal::list
