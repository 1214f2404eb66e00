#include "formats/ipc/compression.h"

#include <cstring>

#include <arrow/util/compression.h>
#include <arrow/util/endian.h>

namespace shoal::formats::ipc {

namespace {

constexpr int64_t kPrefix = 8;

/// The most bytes that one compressed byte can stand for: LZ4 counts repetitions in bytes of 255,
/// a block of Zstandard repeats a byte 128 Ki times and takes 4 bytes.
int64_t MaxRatio(arrow::Compression::type compression) {
  return compression == arrow::Compression::LZ4_FRAME ? 256 : 64 << 10;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Buffer>> Inflate(const std::shared_ptr<arrow::Buffer>& buffer,
                                                      arrow::Compression::type compression,
                                                      arrow::MemoryPool* pool) {
  if (compression == arrow::Compression::UNCOMPRESSED || buffer->size() == 0) return buffer;
  if (buffer->size() < kPrefix) {
    return arrow::Status::IOError("a compressed buffer has ", buffer->size(),
                                  " bytes, too few: the file is corrupt");
  }
  int64_t length;
  std::memcpy(&length, buffer->data(), kPrefix);
  length = arrow::bit_util::FromLittleEndian(length);
  if (length == -1) return arrow::SliceBuffer(buffer, kPrefix);
  const int64_t compressed = buffer->size() - kPrefix;
  if (length < 0 || length / MaxRatio(compression) > compressed) {
    return arrow::Status::IOError("a buffer of ", compressed, " compressed bytes claims to be of ",
                                  length, ": the file is corrupt");
  }
  ARROW_ASSIGN_OR_RAISE(auto codec, arrow::util::Codec::Create(compression));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out, arrow::AllocateBuffer(length, pool));
  ARROW_ASSIGN_OR_RAISE(int64_t got, codec->Decompress(compressed, buffer->data() + kPrefix, length,
                                                       out->mutable_data()));
  if (got != length) {
    return arrow::Status::IOError("a buffer that claims to be of ", length, " bytes inflates to ",
                                  got, ": the file is corrupt");
  }
  return out;
}

}  // namespace shoal::formats::ipc
