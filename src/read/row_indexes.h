// Where in its file each row is that a unit hands out.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include <shoal/file_format.h>

namespace shoal::read {

/// Counts on, batch by batch. One thread at a time.
class RowIndexes {
 public:
  /// Of the rows of these row groups, read in that order. NotImplemented, naming the file: row
  /// groups before one of them do not tell how many rows they have, and are not read.
  static arrow::Result<RowIndexes> Make(const FileFacts& facts, const std::vector<int>& row_groups,
                                        const std::string& path);

  /// Of the next `rows` rows. An error if the file has more rows than it told.
  arrow::Result<std::shared_ptr<arrow::Array>> Next(int64_t rows, arrow::MemoryPool* pool);

 private:
  struct Run {
    int64_t begin = 0;
    int64_t rows = std::numeric_limits<int64_t>::max();
  };
  std::vector<Run> runs_;
  size_t run_ = 0;
};

}  // namespace shoal::read
