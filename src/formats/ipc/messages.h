// The metadata of Arrow IPC files: what footers and messages say.
//
// Message, RecordBatch and DictionaryBatch are defined in Message.fbs, Footer in File.fbs of the
// Arrow columnar format specification.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/type_fwd.h>

namespace shoal::formats::ipc {

/// Where a message lies in a file.
struct Block {
  int64_t offset = 0;
  int64_t metadata_length = 0;  // with what encapsulates it
  int64_t body_length = 0;

  int64_t body() const { return offset + metadata_length; }
  int64_t end() const { return body() + body_length; }
};

struct Footer {
  std::vector<Block> dictionaries;
  std::vector<Block> batches;
};

/// The blocks of `bytes`, a serialised Footer. Invalid if they do not lie within the first
/// `blocks_end` bytes of the file.
arrow::Result<Footer> ParseFooter(std::string_view bytes, int64_t blocks_end);

/// A record batch, or the one of a dictionary batch, without its bytes.
struct BatchHeader {
  struct Node {
    int64_t length;
    int64_t null_count;
  };
  struct Extent {
    int64_t offset;  // from the beginning of the body
    int64_t length;
  };
  int64_t rows = 0;
  std::vector<Node> nodes;
  std::vector<Extent> buffers;
  std::vector<int64_t> variadic_counts;
  arrow::Compression::type compression = arrow::Compression::UNCOMPRESSED;
};

struct Message {
  enum Kind { kSchema = 1, kDictionary = 2, kBatch = 3 };
  int kind = 0;  // others are not data
  int64_t body_length = 0;
  bool has_union_validity = false;  // as before version 5 of the metadata
  BatchHeader batch;                // of kDictionary and kBatch
  int64_t dictionary_id = 0;
  bool is_delta = false;
};

/// A message's metadata, with or without what encapsulates it. Of every buffer it is sure that it
/// lies in the body; `body_length` is where the file says elsewhere how long that is, -1 if it does
/// not.
arrow::Result<Message> ParseMessage(std::string_view metadata, int64_t body_length = -1);
/// The same of a message that follows a readable one: a version that can't be read is damage there.
arrow::Result<Message> ParseNextMessage(std::string_view metadata, int64_t body_length = -1);

/// Bytes before a message's FlatBuffer: 8 (a continuation marker and the length), or 4 as before
/// Arrow 0.15 (the length). `length` is that of the FlatBuffer; 0 marks the end of a stream.
struct Encapsulation {
  int64_t prefix = 0;
  int64_t length = 0;
};
/// REQUIRES: 8 bytes, or all that the file has.
arrow::Result<Encapsulation> ParseEncapsulation(std::string_view bytes);

/// Zeros behind the mark of a stream's end, at most so many, are padding.
constexpr int64_t kMostPadding = 64;
/// An error if what follows that mark (`rest` bytes, of which these are the first kMostPadding) is
/// none: it would be rows that nobody sees, such as those of a second stream.
arrow::Status CheckPadding(std::string_view first, int64_t rest);

}  // namespace shoal::formats::ipc
