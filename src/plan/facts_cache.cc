#include "plan/facts_cache.h"

namespace shoal::plan {

namespace {

/// Smaller facts are made again from the store as fast as they are found in memory.
constexpr int64_t kWorthKeeping = 16 << 10;

}  // namespace

void FactsCache::UseStore(std::shared_ptr<FactsStore> store) {
  std::lock_guard lock(mutex_);
  if (!store_) store_ = std::move(store);
}

std::shared_ptr<FactsStore> FactsCache::store() const {
  std::lock_guard lock(mutex_);
  return store_;
}

void FactsCache::Persist() {
  if (auto store = this->store()) store->Persist();
}

bool FactsCache::MayHave(const std::string& path) const {
  std::shared_ptr<FactsStore> store;
  {
    std::lock_guard lock(mutex_);
    if (by_path_.contains(path)) return true;
    store = store_;
  }
  return store && store->MayHave(path);
}

bool FactsCache::HasRead(const std::string& path) const {
  std::lock_guard lock(mutex_);
  return by_path_.contains(path);
}

std::shared_ptr<const FileFacts> FactsCache::Get(const std::string& path, int64_t size,
                                                 int64_t mtime_ns) {
  std::shared_ptr<FactsStore> store;
  {
    std::lock_guard lock(mutex_);
    if (auto it = by_path_.find(path); it != by_path_.end()) {
      const Entry& entry = *it->second;
      if (entry.size == size && entry.mtime_ns == mtime_ns) {
        entries_.splice(entries_.begin(), entries_, it->second);
        return entry.facts;
      }
    }
    store = store_;
  }
  if (!store) return nullptr;
  auto facts = store->Get(path, size, mtime_ns);
  if (facts && facts->memory_size() > kWorthKeeping) Keep(path, size, mtime_ns, facts);
  return facts;
}

void FactsCache::Put(const std::string& path, int64_t size, int64_t mtime_ns,
                     std::shared_ptr<const FileFacts> facts) {
  if (mtime_ns == SourceFile::kUnknown) return;
  if (auto store = this->store()) store->Add(path, size, mtime_ns, *facts);
  Keep(path, size, mtime_ns, std::move(facts));
}

void FactsCache::Keep(const std::string& path, int64_t size, int64_t mtime_ns,
                      std::shared_ptr<const FileFacts> facts) {
  const int64_t bytes =
      facts->memory_size() + static_cast<int64_t>(sizeof(Entry) + 2 * path.size());
  if (bytes > byte_limit_) return;
  std::lock_guard lock(mutex_);
  if (auto it = by_path_.find(path); it != by_path_.end()) EraseLocked(it->second);
  entries_.push_front({path, size, mtime_ns, bytes, std::move(facts)});
  by_path_[path] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > byte_limit_) EraseLocked(std::prev(entries_.end()));
}

void FactsCache::EraseLocked(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  by_path_.erase(entry->path);
  entries_.erase(entry);
}

}  // namespace shoal::plan
