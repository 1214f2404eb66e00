// The read protocol: how a format turns bytes into batches without doing I/O or owning threads.
//
// A *unit* is a piece of a file that is read as one: a Parquet row group, a CSV byte range, an ORC
// stripe. It is stepped: each call of Next() either asks for bytes, hands out a batch, replaces
// itself by smaller units, or ends. Whoever drives it (shoal's scheduler, a test, another engine)
// fetches the bytes in whatever way suits the store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/filesystem/type_fwd.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

namespace shoal {

/// `length` bytes from `offset`. A range made by Suffix() is counted from the end of a file whose
/// size is not known yet; it covers the whole file when the file is shorter than asked for.
struct ByteRange {
  int64_t offset = 0;
  int64_t length = 0;

  static constexpr int64_t kFromEnd = -1;
  static ByteRange Suffix(int64_t length) { return {kFromEnd, length}; }
  bool from_end() const { return offset == kFromEnd; }
  int64_t end() const { return offset + length; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What tells the content of a file from that of any other file which had or will have its path.
/// Whatever the store does not tell without a further request is kUnknown.
struct FileVersion {
  static constexpr int64_t kUnknown = -1;

  int64_t size = kUnknown;      // in bytes
  int64_t mtime_ns = kUnknown;  // since the epoch
  /// Of local files: made from the inode's number and its time of change, which nobody can set. It
  /// differs where a file was replaced by one of equal size and modification time (a copy that
  /// keeps times, a link that leads elsewhere now).
  int64_t change_id = kUnknown;

  /// Whether no part that both know differs.
  bool MayBe(const FileVersion& other) const {
    const auto fits = [](int64_t a, int64_t b) { return a == kUnknown || b == kUnknown || a == b; };
    return fits(size, other.size) && fits(mtime_ns, other.mtime_ns) &&
           fits(change_id, other.change_id);
  }
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// A file as the listing saw it. Immutable once shared; safe to use from any thread. Reading a file
/// that no longer has the version, as far as that is known, is an error, never a mix of two files.
struct SourceFile {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::string path;  // as the filesystem spells it
  FileVersion version = {};
};

/// The answer to NeedBytes: one buffer for each range asked for, in the same order, and the
/// version of the file as it was when it was opened. NeedBytes without ranges only opens the file.
struct Resident {
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;
  FileVersion version = {};
};

class Unit;

/// `ranges` must be resident before the unit can go on; they stay charged to the memory budget
/// until the unit's next NeedBytes, Split or Done. `ahead` will be asked for next and may be
/// fetched early where the budget has room. `decode_bytes` is what the unit will hold besides those
/// bytes while it decodes, as far as it can be told. After a Split the last unit has what was
/// fetched ahead.
struct NeedBytes {
  std::vector<ByteRange> ranges;
  std::vector<ByteRange> ahead = {};
  int64_t decode_bytes = 0;
};
/// Replaces the unit by others, in its place in the order.
struct Split {
  std::vector<std::unique_ptr<Unit>> units;
};
struct Done {};
using Step = std::variant<NeedBytes, std::shared_ptr<arrow::RecordBatch>, Split, Done>;

/// Thread rule: one thread at a time, not always the same one. After an error or Done a unit is not
/// called again.
class Unit {
 public:
  explicit Unit(std::shared_ptr<const SourceFile> file) : file_(std::move(file)) {}
  virtual ~Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  /// `got` answers the NeedBytes just returned; it has no buffers on the first call and after a
  /// batch. Errors name the file and what in it is wrong.
  virtual arrow::Result<Step> Next(Resident got) = 0;

  const std::shared_ptr<const SourceFile>& file() const { return file_; }

 private:
  std::shared_ptr<const SourceFile> file_;
};

}  // namespace shoal
