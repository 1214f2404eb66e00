// From the bytes of a text file, as they come, to UTF-8 text: unpacked and recoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/util/type_fwd.h>

namespace shoal::formats::text {

/// By the end of the name (.gz, .bz2, .zst or .zstd, .lz4); UNCOMPRESSED for any other.
arrow::Compression::type CompressionOf(std::string_view path);
/// Whether text in that encoding is read as it is.
bool IsUtf8Encoding(std::string_view encoding);
/// Invalid, if this machine knows no such encoding.
arrow::Status CheckEncoding(const std::string& encoding);

/// Thread rule: one thread at a time. Errors name the file.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// nullptr: the bytes are the text.
  static arrow::Result<std::unique_ptr<Decoder>> Make(const std::string& path,
                                                      const std::string& encoding);
  /// Gives the bytes as they are.
  static std::unique_ptr<Decoder> MakePlain();

  /// The next bytes of the file. REQUIRES: the ones before are used up.
  virtual void Feed(std::shared_ptr<arrow::Buffer> bytes, bool last) = 0;
  /// Appends text as far as what was fed gives, at most about `limit` bytes of it; false: more must
  /// be fed. An error, if the last was fed and something is missing.
  virtual arrow::Result<bool> Decode(int64_t limit, std::string* text) = 0;
  /// Whether what was fed was the end and all of it is decoded.
  virtual bool finished() const = 0;
};

}  // namespace shoal::formats::text
