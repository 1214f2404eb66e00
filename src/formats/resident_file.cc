#include "formats/resident_file.h"

#include <algorithm>
#include <cstring>

namespace shoal::formats {

ResidentFile::ResidentFile(std::string path, int64_t size, std::vector<ByteRange> ranges,
                           std::vector<std::shared_ptr<arrow::Buffer>> buffers)
    : path_(std::move(path)),
      size_(size),
      ranges_(std::move(ranges)),
      buffers_(std::move(buffers)) {}

ResidentFile::~ResidentFile() = default;

arrow::Result<std::shared_ptr<arrow::Buffer>> ResidentFile::ReadAt(int64_t position,
                                                                   int64_t length) {
  if (position < 0 || length < 0 || position > size_) {
    return arrow::Status::IOError("'", path_, "' refers to bytes outside of itself: it is corrupt");
  }
  length = std::min(length, size_ - position);
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (whole_only_.contains(i) && ranges_[i] != ByteRange{position, length}) continue;
    if (position >= ranges_[i].offset && position + length <= ranges_[i].end()) {
      used_.insert(i);
      return arrow::SliceBuffer(buffers_[i], position - ranges_[i].offset, length);
    }
  }
  if (!missing_) missing_ = ByteRange{position, length};
  return arrow::Status::IOError("'", path_, "' refers to bytes ", position, " to ",
                                position + length,
                                " where its metadata does not say data is: it is corrupt");
}

arrow::Result<int64_t> ResidentFile::ReadAt(int64_t position, int64_t length, void* out) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position, length));
  if (buffer->size() > 0) std::memcpy(out, buffer->data(), buffer->size());
  return buffer->size();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ResidentFile::Read(int64_t length) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, length));
  position_ += buffer->size();
  return buffer;
}

arrow::Result<int64_t> ResidentFile::Read(int64_t length, void* out) {
  ARROW_ASSIGN_OR_RAISE(int64_t n, ReadAt(position_, length, out));
  position_ += n;
  return n;
}

arrow::Status ResidentFile::Seek(int64_t position) {
  if (position < 0 || position > size_)
    return arrow::Status::IOError("'", path_, "': seek outside of the file");
  position_ = position;
  return arrow::Status::OK();
}

arrow::Status ResidentFile::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

}  // namespace shoal::formats
