// Facts of files that were read before: in memory, and on disk if a store is given.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <shoal/file_format.h>

#include "plan/facts_store.h"

namespace shoal::plan {

/// Least recently used under a byte limit. An entry answers only for the size and mtime it was read
/// with, so a replaced file is never answered for. Thread-safe.
class FactsCache {
 public:
  explicit FactsCache(int64_t byte_limit) : byte_limit_(byte_limit) {}

  /// From now on also asks and feeds the store. Once only: later calls do nothing.
  void UseStore(std::shared_ptr<FactsStore> store);
  /// The store, or nullptr.
  std::shared_ptr<FactsStore> store() const;
  /// At the end of a question: lets the store write what it has learned.
  void Persist();

  /// Whether something is known of the path, be it out of date.
  bool MayHave(const std::string& path) const;
  /// Whether this cache itself holds something of the path, not only the store.
  bool HasRead(const std::string& path) const;
  /// nullptr if not known, or known of another version of the file.
  std::shared_ptr<const FileFacts> Get(const std::string& path, int64_t size, int64_t mtime_ns);
  /// Does nothing where mtime is not known: the entry could not be told from a later file of the
  /// same size.
  void Put(const std::string& path, int64_t size, int64_t mtime_ns,
           std::shared_ptr<const FileFacts> facts);

 private:
  struct Entry {
    std::string path;
    int64_t size, mtime_ns, bytes;
    std::shared_ptr<const FileFacts> facts;
  };
  void Keep(const std::string& path, int64_t size, int64_t mtime_ns,
            std::shared_ptr<const FileFacts> facts);
  void EraseLocked(std::list<Entry>::iterator entry);

  const int64_t byte_limit_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_path_;
  int64_t bytes_ = 0;
  std::shared_ptr<FactsStore> store_;
};

}  // namespace shoal::plan
