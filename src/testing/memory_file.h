// A file in memory that a format is driven over, one step after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <shoal/file_format.h>

namespace shoal::testing {

/// Answers exactly what is asked for, each range as a copy of its own, so that a sanitizer sees
/// reads beyond it. Not thread-safe.
class MemoryFile {
 public:
  /// Errors about the file must contain it.
  static constexpr const char* kPath = "some/where.file";

  MemoryFile(std::shared_ptr<const FileFormat> format, std::string bytes,
             arrow::MemoryPool* pool = arrow::default_memory_pool());

  /// As they are for a table of this file alone: of text, with the types of its values.
  arrow::Result<std::shared_ptr<const FileFacts>> Facts();
  struct Request {
    std::vector<int> row_groups;
    std::vector<int> leaves;
    int64_t batch_rows = 1000;
    /// More are an error.
    int64_t max_batches = std::numeric_limits<int64_t>::max();
  };
  arrow::Result<arrow::RecordBatchVector> Read(std::shared_ptr<const FileFacts> facts,
                                               const Request& request);

  const std::shared_ptr<const SourceFile>& file() const { return file_; }
  int64_t bytes_asked() const { return bytes_asked_; }

 private:
  arrow::Result<std::shared_ptr<const FileFacts>> Facts(std::unique_ptr<FactsReader> reader);
  arrow::Status Run(Unit& unit, const Request& request, arrow::RecordBatchVector* out);
  arrow::Result<Resident> Answer(const NeedBytes& need);

  const std::shared_ptr<const FileFormat> format_;
  const std::shared_ptr<arrow::Buffer> bytes_;
  arrow::MemoryPool* const pool_;
  const std::shared_ptr<const SourceFile> file_;
  int64_t bytes_asked_ = 0;
  int64_t steps_ = 0;
};

}  // namespace shoal::testing
