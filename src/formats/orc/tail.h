// The metadata of ORC files: postscript, footer, and the footers of stripes.
//
// Messages and their fields are those of orc_proto.proto in the ORC specification.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace shoal::formats::orc {

struct PostScript {
  int64_t length = 0;  // with the byte that tells it
  int64_t footer_length = 0;
  int64_t metadata_length = 0;
  int compression = 0;  // 0: none
  int64_t block_size = 0;

  /// Bytes at the end of the file with postscript and footer.
  int64_t tail_length() const { return length + footer_length; }
};

/// `tail` is the end of a file of `file_size` bytes. Errors say why it is no ORC file, or what its
/// postscript claims that cannot be.
arrow::Result<PostScript> ParsePostScript(std::string_view tail, int64_t file_size);

struct Stripe {
  int64_t offset = 0;
  int64_t index_length = 0, data_length = 0, footer_length = 0;
  int64_t rows = 0;
  int64_t first_row = 0;

  int64_t footer() const { return offset + index_length + data_length; }
  int64_t length() const { return index_length + data_length + footer_length; }
};

struct Tail {
  PostScript postscript;
  std::vector<Stripe> stripes;
  /// The type ids of each top-level column, a range; the file's type is 0.
  struct Types {
    int64_t begin = 0, end = 0;
  };
  std::vector<Types> columns;
  /// A footer and postscript for a file of which these are the bytes from `begin` on. It says the
  /// same as the file, but for the index of rows: liborc goes by that wherever a file has one, even
  /// to the first row of a stripe, and does not check where it leads.
  std::string bytes;
  int64_t begin = 0;

  int64_t file_size() const { return begin + static_cast<int64_t>(bytes.size()); }
};

/// `tail` has tail_length() bytes.
arrow::Result<Tail> ParseTail(const PostScript& postscript, std::string_view tail,
                              int64_t file_size);

struct StreamExtent {
  int64_t offset = 0;  // in the file
  int64_t length = 0;
};
/// The streams of the columns (ascending numbers of Tail::columns), but those of the index.
/// `footer` is the stripe's. Errors say what it claims that cannot be.
arrow::Result<std::vector<StreamExtent>> StreamsOf(const Tail& tail, const Stripe& stripe,
                                                   std::string_view footer,
                                                   const std::vector<int>& columns);

/// What a section of the file (a footer) says, inflated.
arrow::Result<std::string> InflateSection(const PostScript& postscript, std::string_view section);

}  // namespace shoal::formats::orc
