// What the tail of an ORC file tells.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <shoal/file_format.h>

#include "formats/orc/tail.h"

namespace shoal::formats::orc {

/// Stripes are the row groups. Their statistics are in the file, but Arrow does not tell them.
class OrcFacts final : public FileFacts {
 public:
  OrcFacts(std::shared_ptr<arrow::Schema> schema, Tail tail)
      : FileFacts(std::move(schema)), tail_(std::move(tail)) {}

  int num_row_groups() const override { return static_cast<int>(tail_.stripes.size()); }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return Precision<int64_t>::Exact(tail_.stripes[row_group].rows);
  }
  int64_t row_group_bytes(int row_group) const override {
    return tail_.stripes[row_group].length();
  }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  using FileFacts::Bounds;
  int64_t memory_size() const override;

  const Tail& tail() const { return tail_; }

 private:
  const Tail tail_;
};

/// The file as liborc is to see it: ranges of it that are resident, and Tail::bytes as its end.
/// What precedes these within the bytes that liborc reads at once is zeros, unless a range has it.
std::shared_ptr<arrow::io::RandomAccessFile> FileOf(
    const SourceFile& file, const Tail& tail, std::vector<ByteRange> ranges,
    std::vector<std::shared_ptr<arrow::Buffer>> buffers);

/// In one read of the last 64 KiB, or two when the footer is longer.
std::unique_ptr<FactsReader> MakeFactsReader(std::shared_ptr<const SourceFile> file);

}  // namespace shoal::formats::orc
