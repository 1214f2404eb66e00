// What the metadata of an Arrow IPC file tells.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <shoal/file_format.h>

#include "formats/ipc/batch_loader.h"
#include "formats/ipc/layout.h"
#include "formats/ipc/messages.h"

namespace shoal::formats::ipc {

/// Dictionaries of a file, which the units that read it share as long as there are any.
/// Thread-safe.
class SharedDictionaries {
 public:
  /// Whether all of `ids` are known; then `out` has them.
  bool Get(const std::vector<int64_t>& ids, Dictionaries* out) const;
  void Put(const Dictionaries& dictionaries);

 private:
  mutable std::mutex mutex_;
  Dictionaries known_;
};

/// Of a file, its record batches are the row groups. A stream has no index of them: it is one row
/// group, whose rows are known where all of it was in the first read.
class IpcFacts final : public FileFacts {
 public:
  /// Of a file. `metadata`: of each batch, or none at all where that would be much.
  IpcFacts(std::shared_ptr<arrow::Schema> schema, SchemaLayout layout, int64_t file_size,
           Footer footer, std::vector<int64_t> dictionary_ids, std::vector<int64_t> rows,
           std::vector<std::shared_ptr<arrow::Buffer>> metadata);
  /// Of a stream, whose messages after the schema begin at `messages`.
  IpcFacts(std::shared_ptr<arrow::Schema> schema, SchemaLayout layout, int64_t file_size,
           int64_t messages, Precision<int64_t> rows);

  int num_row_groups() const override {
    return is_stream_ ? 1 : static_cast<int>(footer_.batches.size());
  }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return is_stream_ ? stream_rows_ : Precision<int64_t>::Exact(rows_[row_group]);
  }
  int64_t row_group_bytes(int row_group) const override;
  /// Arrow files tell none.
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  using FileFacts::Bounds;
  int64_t memory_size() const override;

  const SchemaLayout& layout() const { return layout_; }
  int64_t file_size() const { return file_size_; }
  bool is_stream() const { return is_stream_; }
  int64_t messages() const { return messages_; }
  const Footer& footer() const { return footer_; }
  /// Of the dictionary batches in the footer.
  const std::vector<int64_t>& dictionary_ids() const { return dictionary_ids_; }
  /// Null: to be read.
  std::shared_ptr<arrow::Buffer> metadata(int row_group) const {
    return metadata_.empty() ? nullptr : metadata_[row_group];
  }
  std::shared_ptr<SharedDictionaries> dictionaries() const;

 private:
  const SchemaLayout layout_;
  const int64_t file_size_;
  const bool is_stream_;
  const int64_t messages_ = 0;
  const Precision<int64_t> stream_rows_;
  const Footer footer_;
  const std::vector<int64_t> dictionary_ids_, rows_;
  const std::vector<std::shared_ptr<arrow::Buffer>> metadata_;
  mutable std::mutex mutex_;
  mutable std::weak_ptr<SharedDictionaries> dictionaries_;
};

/// The footer, then the metadata of each message, of which a read of the last 64 KiB often has all.
/// Of a stream, the schema, in two reads.
std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file);

}  // namespace shoal::formats::ipc
