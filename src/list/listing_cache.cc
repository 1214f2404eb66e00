#include "list/listing_cache.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/filesystem/filesystem.h>

#include "base/path.h"

namespace shoal::list {

namespace {

using Clock = std::chrono::steady_clock;
using SharedListing = std::shared_ptr<const RawListing>;

constexpr int64_t kDefaultBytes = int64_t{64} << 20;

/// One for the process, never destroyed: filesystems that it holds may be of libraries that are
/// shut down before static objects go. A child of fork() begins with an empty one: the lock may be
/// taken in it, by a thread that waits for Python. Least recently used under a byte limit.
/// Thread-safe.
class ListingCache {
 public:
  static ListingCache& Instance() {
    static std::atomic<ListingCache*> cache = [] {
      ::pthread_atfork(nullptr, nullptr, [] { cache = new ListingCache(cache.load()->limit_); });
      return new ListingCache(kDefaultBytes);
    }();
    return *cache;
  }

  /// nullptr if the directory is not known, or was listed before `since`.
  SharedListing Get(const arrow::fs::FileSystem& filesystem, const std::string& prefix,
                    Clock::time_point since) {
    std::lock_guard lock(mutex_);
    Store* store = Find(filesystem);
    if (store == nullptr) return nullptr;
    const auto it = store->by_prefix.find(prefix);
    if (it == store->by_prefix.end() || it->second->listed < since) return nullptr;
    entries_.splice(entries_.begin(), entries_, it->second);
    return it->second->listing;
  }

  void Put(const std::shared_ptr<arrow::fs::FileSystem>& filesystem, const std::string& prefix,
           Clock::time_point listed, Clock::time_point until, SharedListing listing) {
    const int64_t bytes =
        static_cast<int64_t>(sizeof(Entry) + 2 * prefix.size() + listing->names.size() +
                             listing->entries.size() * sizeof(RawEntry));
    std::lock_guard lock(mutex_);
    Store* store = Find(*filesystem);
    if (store == nullptr) {
      stores_.push_back(std::make_unique<Store>(Store{filesystem, {}}));
      store = stores_.back().get();
    }
    if (const auto it = store->by_prefix.find(prefix); it != store->by_prefix.end())
      Erase(it->second);
    entries_.push_front({store, prefix, listed, until, bytes, std::move(listing)});
    store->by_prefix[prefix] = entries_.begin();
    bytes_ += bytes;
    Shrink();
  }

  void Forget(std::string_view path) {
    const std::string prefix = base::AsPrefix(path);
    std::lock_guard lock(mutex_);
    for (auto it = entries_.begin(); it != entries_.end();) {
      const auto entry = it++;
      if (path.empty() || entry->prefix.starts_with(prefix)) Erase(entry);
    }
    DropEmptyStores();
  }

  void SetLimit(int64_t bytes) {
    std::lock_guard lock(mutex_);
    limit_ = bytes;
    Shrink();
  }

 private:
  struct Store;
  struct Entry {
    Store* store;
    std::string prefix;
    Clock::time_point listed, until;
    int64_t bytes;
    SharedListing listing;
  };
  struct Store {
    std::shared_ptr<arrow::fs::FileSystem> filesystem;
    std::unordered_map<std::string, std::list<Entry>::iterator> by_prefix;
  };

  Store* Find(const arrow::fs::FileSystem& filesystem) {
    for (const auto& store : stores_) {
      if (store->filesystem.get() == &filesystem || store->filesystem->Equals(filesystem))
        return store.get();
    }
    return nullptr;
  }
  void Erase(std::list<Entry>::iterator entry) {
    bytes_ -= entry->bytes;
    entry->store->by_prefix.erase(entry->prefix);
    entries_.erase(entry);
  }
  /// Those at the end whose time is over, and those there is no room for.
  void Shrink() {
    const auto now = Clock::now();
    while (!entries_.empty() && (bytes_ > limit_ || entries_.back().until < now))
      Erase(std::prev(entries_.end()));
    DropEmptyStores();
  }
  void DropEmptyStores() {
    std::erase_if(stores_, [](const auto& store) { return store->by_prefix.empty(); });
  }

  explicit ListingCache(int64_t limit) : limit_(limit) {}

  std::mutex mutex_;
  std::atomic<int64_t> limit_;
  int64_t bytes_ = 0;
  std::list<Entry> entries_;  // most recent first
  std::vector<std::unique_ptr<Store>> stores_;
};

class RememberingReader final : public DirectoryReader {
 public:
  RememberingReader(std::shared_ptr<const DirectoryReader> reader,
                    std::shared_ptr<arrow::fs::FileSystem> filesystem, ListingCacheUse use)
      : reader_(std::move(reader)), filesystem_(std::move(filesystem)), use_(use) {}

  arrow::Result<RawListing> Read(const std::string& prefix, bool missing_ok) const override {
    if (auto known = Known(prefix)) return Marked(*known);
    const auto now = Clock::now();
    ARROW_ASSIGN_OR_RAISE(RawListing listing, reader_->Read(prefix, missing_ok));
    // Nothing may be what is said of a directory that does not exist.
    if (!listing.entries.empty()) Remember(prefix, listing, now);
    return listing;
  }

  arrow::Result<RawTree> ReadRecursive(const std::string& prefix) const override {
    RawTree tree;
    if (Collect(prefix, &tree)) return tree;
    const auto now = Clock::now();
    ARROW_ASSIGN_OR_RAISE(tree, reader_->ReadRecursive(prefix));
    for (const auto& [directory, listing] : tree) {
      if (directory != prefix || !listing.entries.empty()) Remember(directory, listing, now);
    }
    return tree;
  }

  arrow::Result<PathInfo> Look(const std::string& path, bool* dangling) const override {
    // What is below a directory that is known is known too, but for links. What is not there may
    // be a link to nothing, or spelled in a way that only the filesystem understands.
    if (auto parent = Known(base::AsPrefix(base::ParentOf(path)))) {
      const std::string_view name = base::NameOf(path);
      for (const RawEntry& entry : parent->entries) {
        if (parent->name(entry) == name && (entry.info.type == EntryType::kDirectory ||
                                            (entry.info.type == EntryType::kFile &&
                                             entry.info.version.size != FileVersion::kUnknown))) {
          return entry.info;
        }
      }
    }
    if (Known(base::AsPrefix(path))) {
      PathInfo info;
      info.type = EntryType::kDirectory;
      return info;
    }
    return reader_->Look(path, dangling);
  }

  bool is_local() const override { return reader_->is_local(); }
  std::string NameOf(const std::string& path) const override { return reader_->NameOf(path); }
  bool is_object_store() const override { return reader_->is_object_store(); }
  bool prefers_recursive() const override { return reader_->prefers_recursive(); }
  bool requires_recursive() const override { return reader_->requires_recursive(); }
  arrow::Result<bool> ClosesLoop(const std::string& root, const std::string& path) const override {
    return reader_->ClosesLoop(root, path);
  }

 private:
  SharedListing Known(const std::string& prefix) const {
    const auto since = std::max(use_.since, Clock::now() - use_.ttl);
    return ListingCache::Instance().Get(*filesystem_, prefix, since);
  }

  static RawListing Marked(const RawListing& listing) {
    RawListing out = listing;
    out.cached = true;
    return out;
  }

  void Remember(const std::string& prefix, const RawListing& listing, Clock::time_point now) const {
    ListingCache::Instance().Put(filesystem_, prefix, now, now + use_.ttl,
                                 std::make_shared<const RawListing>(listing));
  }

  /// Whether the directory and all below it are known.
  bool Collect(const std::string& prefix, RawTree* tree) const {
    const SharedListing known = Known(prefix);
    if (!known) return false;
    (*tree)[prefix] = Marked(*known);
    return std::all_of(known->entries.begin(), known->entries.end(), [&](const RawEntry& entry) {
      return entry.info.type != EntryType::kDirectory ||
             Collect(prefix + std::string(known->name(entry)) + "/", tree);
    });
  }

  const std::shared_ptr<const DirectoryReader> reader_;
  const std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  const ListingCacheUse use_;
};

}  // namespace

std::shared_ptr<const DirectoryReader> MakeRememberingReader(
    std::shared_ptr<const DirectoryReader> reader,
    std::shared_ptr<arrow::fs::FileSystem> filesystem, ListingCacheUse use) {
  return std::make_shared<RememberingReader>(std::move(reader), std::move(filesystem), use);
}

}  // namespace shoal::list

namespace shoal {

void ForgetListings(std::string_view path) { list::ListingCache::Instance().Forget(path); }

void SetListingCacheLimit(int64_t bytes) { list::ListingCache::Instance().SetLimit(bytes); }

}  // namespace shoal
