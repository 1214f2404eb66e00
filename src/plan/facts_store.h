// Facts of files that were read before, on disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

#include <arrow/filesystem/type_fwd.h>

#include <shoal/file_format.h>

#include "base/fork_mutex.h"
#include "plan/facts_file.h"

namespace shoal::plan {

struct FactsStoreOptions {
  std::string folder;
  int64_t byte_limit = 0;  // of the folder
  /// What tells one dataset from another: each has a file of its own in the folder.
  std::string dataset;
};

/// One dataset's file in a cache folder. An entry answers only for the path and version it was read
/// with. Nothing here fails: what cannot be read or written is as good as unknown, and
/// `problem` says why. Thread-safe; other processes may use the folder at the same time: readers
/// see one whole file or another, of two writers at one moment the later one wins.
class FactsStore {
 public:
  FactsStore(FactsStoreOptions options, std::shared_ptr<const FileFormat> format,
             std::shared_ptr<arrow::fs::FileSystem> filesystem);
  ~FactsStore();

  /// Whether something is known of the path, be it out of date.
  bool MayHave(const std::string& path) const;
  /// nullptr if not known, or known of another version of the file.
  std::shared_ptr<const FileFacts> Get(const std::string& path, const FileVersion& version);
  /// Takes in what was read just now. Leaves out files that were changed a moment ago: another
  /// change in the same tick of the clock could not be told from this one.
  void Add(const std::string& path, const FileVersion& version, const FileFacts& facts);
  /// Writes what was added, if it is enough to be worth writing the whole file anew. Also done when
  /// much was added, and by the destructor.
  void Persist();

  struct Report {
    std::string path;
    int64_t known = 0, used = 0, added = 0;
    std::string problem;
  };
  Report report() const;

 private:
  struct Pending {
    FileVersion version;
    const std::string* common;  // in commons_
    std::string own;
  };
  using PendingByPath = std::map<std::string, Pending>;

  std::shared_ptr<const FactsFile> file() const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Merge(const FactsFile* old,
                                                      const PendingByPath& added) const;
  arrow::Status Write(const arrow::Buffer& bytes) const;
  void KeepToLimit() const;
  void SetProblem(std::string problem);

  const FactsStoreOptions options_;
  const std::shared_ptr<const FileFormat> format_;
  const std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  const int process_;
  std::string subject_, path_;
  std::atomic<int64_t> used_{0};
  std::mutex persist_mutex_;               // one writer at a time; children do not write
  mutable base::ForkMutex mutex_;          // guards what follows
  std::shared_ptr<const FactsFile> file_;  // may be null
  PendingByPath pending_;
  std::unordered_set<std::string> commons_;
  int64_t pending_bytes_ = 0;
  int64_t added_ = 0;
  std::string problem_;
};

}  // namespace shoal::plan
