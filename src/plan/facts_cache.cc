#include "plan/facts_cache.h"

namespace shoal::plan {

bool FactsCache::MayHave(const std::string& path) const {
  std::lock_guard lock(mutex_);
  return by_path_.contains(path);
}

std::shared_ptr<const FileFacts> FactsCache::Get(const std::string& path, int64_t size,
                                                 int64_t mtime_ns) {
  std::lock_guard lock(mutex_);
  auto it = by_path_.find(path);
  if (it == by_path_.end()) return nullptr;
  const Entry& entry = *it->second;
  if (entry.size != size || entry.mtime_ns != mtime_ns) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return entry.facts;
}

void FactsCache::Put(const std::string& path, int64_t size, int64_t mtime_ns,
                     std::shared_ptr<const FileFacts> facts) {
  if (mtime_ns == SourceFile::kUnknown) return;
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
