#include "plan/facts_cache.h"

#include <mutex>
#include <optional>
#include <utility>

namespace shoal::plan {

namespace {

/// Smaller facts are made again from what is saved of them about as fast as they are found.
constexpr int64_t kWorthKeeping = 16 << 10;

/// What the list and the map take for an entry besides it.
constexpr int64_t kNodeBytes = 80;

}  // namespace

void FactsCache::UseFormat(std::shared_ptr<const FileFormat> format,
                           std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  std::lock_guard lock(mutex_);
  if (format_) return;
  format_ = std::move(format);
  filesystem_ = std::move(filesystem);
}

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

std::shared_ptr<const FileFacts> FactsCache::Get(const std::string& path,
                                                 const FileVersion& version) {
  std::shared_ptr<FactsStore> store;
  SavedFacts saved;
  bool is_saved = false;
  {
    std::lock_guard lock(mutex_);
    if (auto it = by_path_.find(path); it != by_path_.end()) {
      const Entry& entry = *it->second;
      if (entry.version == version) {
        entries_.splice(entries_.begin(), entries_, it->second);
        if (entry.facts) return entry.facts;
        is_saved = true;
        saved = {entry.common->first, entry.own};
      }
    }
    store = store_;
  }
  if (is_saved) {
    auto restored = format_->RestoreFacts(
        saved.common, saved.own,
        std::make_shared<const SourceFile>(SourceFile{filesystem_, path, version}));
    if (restored.ok()) return *std::move(restored);
  }
  if (!store) return nullptr;
  auto facts = store->Get(path, version);
  if (facts && facts->memory_size() > kWorthKeeping) Keep(path, version, facts);
  return facts;
}

void FactsCache::Put(const std::string& path, const FileVersion& version,
                     std::shared_ptr<const FileFacts> facts) {
  if (version.mtime_ns == FileVersion::kUnknown) return;
  if (auto store = this->store()) store->Add(path, version, *facts);
  Keep(path, version, std::move(facts));
}

void FactsCache::Keep(const std::string& path, const FileVersion& version,
                      std::shared_ptr<const FileFacts> facts) {
  std::shared_ptr<const FileFormat> format;
  {
    std::lock_guard lock(mutex_);
    format = format_;
  }
  const int64_t facts_bytes = facts->memory_size();
  std::optional<SavedFacts> saved;
  if (format && facts_bytes <= kWorthKeeping) saved = format->SaveFacts(*facts);
  const int64_t bytes = (saved ? static_cast<int64_t>(saved->own.size()) : facts_bytes) +
                        static_cast<int64_t>(sizeof(Entry) + path.size()) + kNodeBytes;
  if (bytes > byte_limit_) return;
  std::lock_guard lock(mutex_);
  if (auto it = by_path_.find(path); it != by_path_.end()) EraseLocked(it->second);
  Commons::pointer common = nullptr;
  if (saved) {
    auto [it, is_new] = commons_.try_emplace(std::move(saved->common), 0);
    if (is_new) bytes_ += static_cast<int64_t>(it->first.size());
    ++it->second;
    common = &*it;
    saved->own.shrink_to_fit();
  }
  entries_.push_front({path, version, bytes, saved ? nullptr : std::move(facts), common,
                       saved ? std::move(saved->own) : std::string()});
  by_path_[entries_.front().path] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > byte_limit_) EraseLocked(std::prev(entries_.end()));
}

void FactsCache::EraseLocked(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  if (entry->common != nullptr && --entry->common->second == 0) {
    bytes_ -= static_cast<int64_t>(entry->common->first.size());
    commons_.erase(commons_.find(entry->common->first));
  }
  by_path_.erase(entry->path);
  entries_.erase(entry);
}

}  // namespace shoal::plan
