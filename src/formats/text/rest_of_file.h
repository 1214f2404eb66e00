// A text file as a chain of units: one reads and cuts, and leaves the rows to others and the rest
// of the file to the next of its kind.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <shoal/unit.h>

namespace shoal::formats::text {

/// Where in the text of a file something is.
struct Place {
  int64_t offset = 0;
  int64_t line = 1;
};

/// A record longer than this is an error. It is one that was not meant, such as a quote that is not
/// closed, and would take the memory of the whole file.
constexpr int64_t kMaxRecord = int64_t{64} << 20;

/// Finds where records end. Thread rule: one thread at a time.
class Cutter {
 public:
  virtual ~Cutter() = default;
  /// Takes whole records off the front of `text`, which begins where a record begins (at `place`),
  /// and appends units that make batches of them. The bytes it took; with `final` all of them, else
  /// 0 if no record ends in the text. Errors name file and line.
  virtual arrow::Result<int64_t> Cut(std::shared_ptr<arrow::Buffer> text, Place place, bool final,
                                     std::vector<std::unique_ptr<Unit>>* units) = 0;
};

struct TextFile {
  std::shared_ptr<const SourceFile> file;
  std::string encoding;
  int64_t size = 0;  // in bytes, packed
  bool local = true;
  int64_t piece = 0;  // bytes of text cut at once; 0: as suits the store
};

/// The records from `begin` on. Where a limit wants few rows it begins with small pieces.
arrow::Result<std::unique_ptr<Unit>> MakeRestOfFile(
    TextFile file, Place begin, std::shared_ptr<Cutter> cutter,
    int64_t rows_wanted = std::numeric_limits<int64_t>::max());

}  // namespace shoal::formats::text
