// Facts of files that were read before: in memory, and on disk if a store is given.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <arrow/filesystem/type_fwd.h>

#include <shoal/file_format.h>

#include "base/fork_mutex.h"
#include "plan/facts_store.h"
#include "plan/summary_source.h"

namespace shoal::plan {

/// Least recently used under a byte limit. An entry answers only for the version it was read
/// with, so a replaced file is never answered for. Small facts are kept in the form that their
/// format saves them in, which takes a fraction of the memory: of a hundred thousand small files
/// all are remembered. Thread-safe.
class FactsCache {
 public:
  explicit FactsCache(int64_t byte_limit) : byte_limit_(byte_limit) {}

  /// From now on facts are of this format, and of files of this filesystem. Once only: later calls
  /// do nothing. Until then facts are kept as they are.
  void UseFormat(std::shared_ptr<const FileFormat> format,
                 std::shared_ptr<arrow::fs::FileSystem> filesystem);
  /// From now on also asks and feeds the store. Once only: later calls do nothing.
  void UseStore(std::shared_ptr<FactsStore> store);
  /// The store, or nullptr.
  std::shared_ptr<FactsStore> store() const;
  /// What a summary says of files is believed, except where they are read: set before anything is
  /// asked. May be null.
  void UseSummary(std::shared_ptr<const SummarySource> summary) { summary_ = std::move(summary); }
  const std::shared_ptr<const SummarySource>& summary() const { return summary_; }
  /// At the end of a question: lets the store write what it has learned.
  void Persist();

  /// Whether something is known of the path, be it out of date.
  bool MayHave(const std::string& path) const;
  /// Whether this cache itself holds something of the path, not only the store.
  bool HasRead(const std::string& path) const;
  /// nullptr if not known, or known of another version of the file.
  std::shared_ptr<const FileFacts> Get(const std::string& path, const FileVersion& version);
  /// Does nothing where mtime is not known: the entry could not be told from a later file of the
  /// same size.
  void Put(const std::string& path, const FileVersion& version,
           std::shared_ptr<const FileFacts> facts);

 private:
  /// What saved facts share, and by how many entries.
  using Commons = std::unordered_map<std::string, int64_t>;
  struct Entry {
    std::string path;
    FileVersion version;
    int64_t bytes;
    std::shared_ptr<const FileFacts> facts;  // null: they are saved
    Commons::pointer common;                 // in commons_, or null
    std::string own;
  };
  void Keep(const std::string& path, const FileVersion& version,
            std::shared_ptr<const FileFacts> facts);
  void EraseLocked(std::list<Entry>::iterator entry);

  const int64_t byte_limit_;
  mutable base::ForkMutex mutex_;
  std::list<Entry> entries_;                                                  // most recent first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_path_;  // of the entries
  Commons commons_;
  int64_t bytes_ = 0;
  std::shared_ptr<const FileFormat> format_;
  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  std::shared_ptr<FactsStore> store_;
  std::shared_ptr<const SummarySource> summary_;
};

}  // namespace shoal::plan
