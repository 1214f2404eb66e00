// Reading ranges of one file, whatever store it lies on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/unit.h>

#include "runtime/counters.h"

namespace shoal::storage {

/// The error of a file that is no longer what was listed, or read before. `how`: in what it
/// differs.
arrow::Status FileChanged(const std::string& path, const std::string& how);

/// Whether an error says that a file is no longer the one that was listed.
bool IsFileChanged(const arrow::Status& status);

/// The version of the file at this moment without opening it: on local disks by one stat, with the
/// errors of OpenFile::Open; elsewhere as the listing told it. Not set where only opening can tell.
arrow::Result<std::optional<FileVersion>> Identify(const SourceFile& file);

/// Requests made again so far, on this filesystem.
int64_t RetriesOn(const std::shared_ptr<arrow::fs::FileSystem>& filesystem);

/// An open file. Thread-safe; closes when the last owner lets go. On local disks it reads with
/// pread and knows the version from the open descriptor; elsewhere it goes through the
/// filesystem, without a request where the listing told the size.
class OpenFile {
 public:
  virtual ~OpenFile() = default;

  /// Fails if the file is not there, is not a file, or is no longer the one that was listed (its
  /// version differs). Buffers of local reads come from `pool`; `stop` ends waiting for a store.
  static arrow::Result<std::shared_ptr<OpenFile>> Open(
      std::shared_ptr<const SourceFile> file, std::shared_ptr<runtime::Counters> counters,
      arrow::MemoryPool* pool = arrow::default_memory_pool(),
      arrow::StopToken stop = arrow::StopToken::Unstoppable());

  int64_t size() const { return version_.size; }
  const FileVersion& version() const { return version_; }
  const SourceFile& source() const { return *file_; }

  /// Blocking. Exactly the range (a suffix range is cut to the file); a file that ends earlier is
  /// an error.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) const;
  /// The range in absolute terms.
  ByteRange Resolve(ByteRange range) const;

 protected:
  OpenFile(std::shared_ptr<const SourceFile> file, std::shared_ptr<runtime::Counters> counters)
      : file_(std::move(file)), counters_(std::move(counters)) {}
  virtual arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t offset,
                                                               int64_t length) const = 0;
  runtime::Counters& counters() const { return *counters_; }
  /// REQUIRES: called once, by Open. Compares what was found with what was listed.
  arrow::Status SetVersion(const FileVersion& version);

 private:
  std::shared_ptr<const SourceFile> file_;
  std::shared_ptr<runtime::Counters> counters_;
  FileVersion version_;
};

}  // namespace shoal::storage
