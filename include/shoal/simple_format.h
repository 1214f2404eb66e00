// SimpleFormat: a file format of one's own in two functions, for formats that have a reader
// already.
//
// FileFormat asks a format to say which bytes it needs before it gets them. A reader of one's own
// usually wants a file instead. MakeFileFormat makes a FileFormat of such a reader: the pieces of a
// file are fetched whole, under the scan's budget, and the reader finds them in memory.
// examples/format has one in full; RunFileFormatConformance (shoal/testing) tests it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/file_format.h>

namespace shoal {

/// Thread rule: const methods are called from many threads at once, each with a file of its own.
/// Errors need not name the file: that is added.
class SimpleFormat {
 public:
  /// A part of a file that can be read alone: a row group.
  struct Piece {
    int64_t offset = 0;
    int64_t length = 0;
    Precision<int64_t> rows;
  };
  struct Facts {
    std::shared_ptr<arrow::Schema> schema;
    /// In the order of their rows. Empty: the whole file is one piece of unknown length.
    std::vector<Piece> pieces;
  };
  using File = std::shared_ptr<arrow::io::RandomAccessFile>;

  virtual ~SimpleFormat() = default;

  /// See FileFormat.
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> extensions() const = 0;
  virtual bool MatchesMagic(std::string_view head) const { return false; }

  /// What the metadata of a file says. Where it reads what has not been fetched yet, the read
  /// fails, with an error that must be handed on, and Inspect is called again once it has been.
  virtual arrow::Result<Facts> Inspect(const File& file) const = 0;
  /// The rows of a piece: batches with those columns (ascending numbers of Facts::schema's), of any
  /// size. Only the piece's bytes can be read, and what Inspect read. A reader that cannot leave
  /// out columns returns all of them.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(
      const File& file, const Facts& facts, int piece, const std::vector<int>& columns,
      arrow::MemoryPool* pool) const = 0;
};

std::shared_ptr<const FileFormat> MakeFileFormat(std::shared_ptr<const SimpleFormat> format);

}  // namespace shoal
