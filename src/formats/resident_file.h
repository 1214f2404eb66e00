// A file of which some ranges are in memory, as Arrow's readers want to see it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <shoal/unit.h>

namespace shoal::formats {

/// Serves reads of resident ranges by slicing, without copying. Anything else is an error that
/// names the hole: a format must declare what it reads, and never reads on its own.
class ResidentFile final : public arrow::io::RandomAccessFile {
 public:
  ResidentFile(std::string path, int64_t size, std::vector<ByteRange> ranges,
               std::vector<std::shared_ptr<arrow::Buffer>> buffers);
  ~ResidentFile() override;

  /// The range at that place in `ranges` answers only a read of exactly all of it.
  void ServeOnlyWhole(size_t range) { whole_only_.insert(range); }

  /// The first read that failed because its bytes are not resident, for readers that are tried
  /// again once these are.
  const std::optional<ByteRange>& missing() const { return missing_; }
  /// The ranges that were read from, by their places in `ranges`.
  const std::set<size_t>& used() const { return used_; }

  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t length, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t length) override;
  arrow::Result<int64_t> Read(int64_t length, void* out) override;
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Close() override;
  bool closed() const override { return closed_; }

 private:
  const std::string path_;
  const int64_t size_;
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
  std::optional<ByteRange> missing_;
  std::set<size_t> used_, whole_only_;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace shoal::formats
