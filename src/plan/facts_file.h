// One file of kept facts: its form, and how to look something up in it.
//
// A header (magic, version, length, checksum) and an Arrow IPC file, compressed: one row a data
// file, in the order of the paths, in blocks of up to 1,024 rows or about 1 MiB.
// docs/adr/0004-facts-cache.md says why. Whatever the bytes are, reading them does not crash.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <shoal/unit.h>

#include "base/fork_mutex.h"

namespace shoal::plan {

/// What is kept of one data file. Views into a block, or into whatever the maker owns.
struct KeptFacts {
  std::string_view path;
  FileVersion version = {};
  int64_t used = 0;  // when it was last of use, in seconds since the epoch
  std::string_view common;
  std::string_view own;

  /// Bytes, not compressed; about.
  int64_t bytes() const { return static_cast<int64_t>(path.size() + own.size()) + 32; }
};

/// Thread-safe. Holds the compressed bytes and the few blocks used last.
class FactsFile {
 public:
  /// `subject` is what the rows are about. Invalid where the file is damaged, of another version or
  /// about something else; the detail of errno where it cannot be read. `max_bytes`: a larger one
  /// is not read.
  static arrow::Result<std::shared_ptr<const FactsFile>> Open(const std::string& path,
                                                              const std::string& subject,
                                                              int64_t max_bytes);

  int64_t num_rows() const { return num_rows_; }
  /// Tells two files of different content apart.
  uint64_t checksum() const { return checksum_; }

  /// Calls `found` with the row of that path, if there is one; whether there is.
  bool Find(std::string_view path,
            const std::function<void(const KeptFacts&, int64_t row)>& found) const;
  /// All rows in order.
  arrow::Status ForEach(
      const std::function<arrow::Status(const KeptFacts&, int64_t row)>& visit) const;

  /// Rows that were of use. Const, since it changes no answer.
  void MarkUsed(int64_t row) const { used_[row].store(1, std::memory_order_relaxed); }
  bool IsUsed(int64_t row) const { return used_[row].load(std::memory_order_relaxed) != 0; }

 private:
  struct Block;
  FactsFile() = default;
  arrow::Result<std::shared_ptr<const Block>> GetBlock(int number) const;

  uint64_t checksum_ = 0;
  int64_t num_rows_ = 0;
  std::vector<std::string> first_paths_;  // of the blocks
  std::vector<int64_t> first_rows_;       // of the blocks, and the end
  std::unique_ptr<std::atomic<uint8_t>[]> used_;
  mutable base::ForkMutex mutex_;  // guards what follows
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  mutable std::vector<std::pair<int, std::shared_ptr<const Block>>> recent_;  // latest last
};

/// The bytes of a facts file. `rows` hands its rows to the visitor, in the order of their paths,
/// the same ones each time it is called: once for the index and once for the blocks.
using FactsRows =
    std::function<arrow::Status(const std::function<arrow::Status(const KeptFacts&)>& visit)>;
arrow::Result<std::shared_ptr<arrow::Buffer>> WriteFactsFile(const std::string& subject,
                                                             const FactsRows& rows);

}  // namespace shoal::plan
