#include "formats/orc/tail.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <arrow/status.h>
#include <arrow/util/compression.h>

#include "formats/orc/wire.h"

namespace shoal::formats::orc {

namespace {

using arrow::Status;

/// The length of a compressed block is a number of 23 bits.
constexpr int64_t kMaxBlock = int64_t{1} << 23;
constexpr uint64_t kMaxNumber = uint64_t{1} << 62;
/// A footer of a million columns takes less.
constexpr size_t kMaxSection = size_t{256} << 20;

Status Malformed(const char* what) {
  return Status::IOError("its ", what, " is malformed: the file is corrupt");
}

/// A size or count; -1 if it cannot be one.
int64_t Size(const Wire& wire) {
  return wire.number() > kMaxNumber ? -1 : static_cast<int64_t>(wire.number());
}

arrow::Result<std::unique_ptr<arrow::util::Codec>> CodecOf(int compression) {
  switch (compression) {
    case 1: {
      arrow::util::GZipCodecOptions options;
      options.gzip_format = arrow::util::GZipFormat::DEFLATE;
      return arrow::util::Codec::Create(arrow::Compression::GZIP, options);
    }
    case 2:
      return arrow::util::Codec::Create(arrow::Compression::SNAPPY);
    case 4:
      return arrow::util::Codec::Create(arrow::Compression::LZ4);
    case 5:
      return arrow::util::Codec::Create(arrow::Compression::ZSTD);
    default:
      return Status::NotImplemented("it is compressed with codec ", compression,
                                    " of ORC: only zlib, snappy, lz4 and zstd can be read");
  }
}

/// How many bytes `block` inflates to in `out`, which has room for `room`.
arrow::Result<int64_t> InflateBlock(arrow::util::Codec& codec, std::string_view block, int64_t room,
                                    uint8_t* out) {
  const auto length = static_cast<int64_t>(block.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(block.data());
  if (codec.compression_type() != arrow::Compression::ZSTD)
    return codec.Decompress(length, bytes, room, out);
  // Arrow's codec wants to know beforehand how many bytes these are; its stream does not.
  ARROW_ASSIGN_OR_RAISE(auto stream, codec.MakeDecompressor());
  ARROW_ASSIGN_OR_RAISE(const auto got, stream->Decompress(length, bytes, room, out));
  if (got.bytes_read != length || !stream->IsFinished()) return Malformed("metadata");
  return got.bytes_written;
}

void AppendStored(const PostScript& postscript, std::string_view bytes, std::string* out) {
  if (postscript.compression == 0) {
    *out += bytes;
    return;
  }
  while (!bytes.empty()) {
    const auto block = bytes.substr(0, postscript.block_size);
    bytes.remove_prefix(block.size());
    const size_t header = block.size() << 1 | 1;  // 1: it is stored as it is
    for (int shift : {0, 8, 16}) *out += static_cast<char>(header >> shift);
    *out += block;
  }
}

arrow::Result<Stripe> ParseStripe(std::string_view bytes, int64_t data_end) {
  Stripe out;
  Wire wire(bytes);
  while (wire.Next()) {
    if (wire.field() == 1) out.offset = Size(wire);
    if (wire.field() == 2) out.index_length = Size(wire);
    if (wire.field() == 3) out.data_length = Size(wire);
    if (wire.field() == 4) out.footer_length = Size(wire);
    if (wire.field() == 5) out.rows = Size(wire);
  }
  int64_t left = data_end;
  for (int64_t part : {out.offset, out.index_length, out.data_length, out.footer_length}) {
    if (part < 0 || part > left) {
      return Status::IOError("its footer claims a stripe of ", out.length(), " bytes from byte ",
                             out.offset, ", where stripes end at byte ", data_end,
                             ": it is truncated or corrupt");
    }
    left -= part;
  }
  if (out.rows < 0 || wire.failed()) return Malformed("footer");
  return out;
}

struct TypeNode {
  int64_t kind = 0, precision = 0, scale = 0;
  size_t names = 0;
  std::vector<int64_t> children;
};

arrow::Result<TypeNode> ParseType(std::string_view bytes) {
  TypeNode out;
  Wire wire(bytes);
  while (wire.Next()) {
    if (wire.field() == 1) out.kind = Size(wire);
    if (wire.field() == 3) ++out.names;
    if (wire.field() == 5) out.precision = Size(wire);
    if (wire.field() == 6) out.scale = Size(wire);
    if (wire.field() != 2) continue;
    if (wire.text().empty()) {
      out.children.push_back(Size(wire));
    } else {
      // Packed: numbers without keys. A key of field 1 in front of each makes them fields.
      std::string fields;
      bool begins = true;
      for (const char c : wire.text()) {
        if (begins) fields += '\x08';
        fields += c;
        begins = static_cast<uint8_t>(c) < 0x80;
      }
      Wire numbers(fields);
      while (numbers.Next()) out.children.push_back(Size(numbers));
      if (numbers.failed()) return Malformed("schema");
    }
  }
  if (wire.failed()) return Malformed("schema");
  return out;
}

/// What Arrow and liborc take for granted of types: that they are numbered depth first, have the
/// children that their kind has, and that decimals can be.
class TypeChecker {
 public:
  explicit TypeChecker(const std::vector<TypeNode>& types) : types_(types) {}

  /// The number after the last type below `id`.
  arrow::Result<int64_t> Check(int64_t id, int depth = 0) {
    constexpr int kMaxDepth = 64;
    if (id < 0 || id >= static_cast<int64_t>(types_.size()) || depth > kMaxDepth)
      return Malformed("schema");
    const TypeNode& type = types_[id];
    if (!HasItsChildren(type)) return Malformed("schema");
    int64_t next = id + 1;
    for (int64_t child : type.children) {
      if (child != next) return Malformed("schema");
      ARROW_ASSIGN_OR_RAISE(next, Check(child, depth + 1));
    }
    return next;
  }

 private:
  static bool HasItsChildren(const TypeNode& type) {
    constexpr int64_t kList = 10, kMap = 11, kStruct = 12, kUnion = 13, kDecimal = 14, kLast = 18;
    const size_t n = type.children.size();
    switch (type.kind) {
      case kList:
        return n == 1;
      case kMap:
        return n == 2;
      case kStruct:
        return n == type.names;
      case kUnion:
        return n >= 1 && n <= 127;
      case kDecimal:
        // Hive 0.11 wrote no precision.
        return n == 0 && type.precision >= 0 && type.precision <= 38 && type.scale >= 0 &&
               type.scale <= 38;
      default:
        return n == 0 && type.kind >= 0 && type.kind <= kLast;
    }
  }

  const std::vector<TypeNode>& types_;
};

arrow::Result<std::vector<Tail::Types>> ColumnsOfFile(const std::vector<TypeNode>& types) {
  constexpr int64_t kStruct = 12;
  ARROW_ASSIGN_OR_RAISE(const int64_t end, TypeChecker(types).Check(0));
  if (end != static_cast<int64_t>(types.size())) return Malformed("schema");
  if (types[0].kind != kStruct) {
    return Status::NotImplemented(
        "its rows are no structs, so there are no columns to make a table of");
  }
  const auto& first = types[0].children;
  std::vector<Tail::Types> out;
  for (size_t i = 0; i < first.size(); ++i)
    out.push_back({first[i], i + 1 < first.size() ? first[i + 1] : end});
  return out;
}

}  // namespace

arrow::Result<PostScript> ParsePostScript(std::string_view tail, int64_t file_size) {
  PostScript out;
  std::string_view magic;
  if (!tail.empty()) out.length = static_cast<uint8_t>(tail.back()) + int64_t{1};
  if (out.length > 0 && out.length <= static_cast<int64_t>(tail.size())) {
    Wire wire(tail.substr(tail.size() - out.length, out.length - 1));
    while (wire.Next()) {
      if (wire.field() == 1) out.footer_length = Size(wire);
      if (wire.field() == 2) out.compression = static_cast<int>(std::min<int64_t>(Size(wire), 100));
      if (wire.field() == 3) out.block_size = Size(wire);
      if (wire.field() == 5) out.metadata_length = Size(wire);
      if (wire.field() == 8000) magic = wire.text();
    }
    if (wire.failed()) magic = {};
  }
  if (magic != "ORC") {
    return Status::IOError(
        "it is not an ORC file: it does not end as one (it is of another format, or truncated)");
  }
  const int64_t left = file_size - out.length;
  if (out.footer_length < 0 || out.metadata_length < 0 || out.footer_length > left ||
      out.metadata_length > left - out.footer_length) {
    return Status::IOError("its footer claims ", out.footer_length, " bytes in a file of ",
                           file_size, ": it is corrupt");
  }
  if (out.compression != 0 && (out.block_size < 1 || out.block_size > kMaxBlock)) {
    return Status::IOError("it claims to be compressed in blocks of ", out.block_size,
                           " bytes, which cannot be: it is corrupt");
  }
  return out;
}

arrow::Result<std::string> InflateSection(const PostScript& postscript, std::string_view section) {
  if (postscript.compression == 0) return std::string(section);
  ARROW_ASSIGN_OR_RAISE(auto codec, CodecOf(postscript.compression));
  std::string out;
  while (!section.empty()) {
    if (section.size() < 3) return Malformed("metadata");
    size_t header = 0;
    for (int i = 2; i >= 0; --i) header = header << 8 | static_cast<uint8_t>(section[i]);
    section.remove_prefix(3);
    const size_t length = header >> 1;
    if (length > section.size()) return Malformed("metadata");
    const auto block = section.substr(0, length);
    section.remove_prefix(length);
    if (out.size() > kMaxSection) return Malformed("metadata");
    if (header & 1) {
      out += block;
      continue;
    }
    const size_t before = out.size();
    out.resize(before + postscript.block_size);
    ARROW_ASSIGN_OR_RAISE(const int64_t got,
                          InflateBlock(*codec, block, postscript.block_size,
                                       reinterpret_cast<uint8_t*>(out.data() + before)));
    out.resize(before + got);
  }
  return out;
}

arrow::Result<Tail> ParseTail(const PostScript& postscript, std::string_view tail,
                              int64_t file_size) {
  Tail out;
  out.postscript = postscript;
  out.begin = file_size - postscript.tail_length() - postscript.metadata_length;
  ARROW_ASSIGN_OR_RAISE(const std::string footer,
                        InflateSection(postscript, tail.substr(0, postscript.footer_length)));
  std::string kept;
  std::vector<TypeNode> types;
  int64_t rows = 0, claimed_rows = 0;
  Wire wire(footer);
  while (wire.Next()) {
    constexpr int64_t kStripes = 3, kTypes = 4, kRows = 6, kIndexStride = 8;
    if (wire.field() == kStripes) {
      ARROW_ASSIGN_OR_RAISE(Stripe stripe, ParseStripe(wire.text(), out.begin));
      stripe.first_row = rows;
      if (__builtin_add_overflow(rows, stripe.rows, &rows)) return Malformed("number of rows");
      out.stripes.push_back(stripe);
    } else if (wire.field() == kTypes) {
      ARROW_ASSIGN_OR_RAISE(auto type, ParseType(wire.text()));
      types.push_back(std::move(type));
    } else if (wire.field() == kRows) {
      claimed_rows = Size(wire);
    }
    if (wire.field() != kIndexStride) kept += wire.whole();
  }
  if (wire.failed()) return Malformed("footer");
  if (claimed_rows != rows) {
    return Status::IOError("its footer claims ", claimed_rows, " rows, and stripes with ", rows,
                           ": it is corrupt");
  }
  ARROW_ASSIGN_OR_RAISE(out.columns, ColumnsOfFile(types));

  AppendStored(postscript, kept, &out.bytes);
  std::string written;
  Wire::Append(1, out.bytes.size(), &written);
  Wire old(tail.substr(postscript.footer_length, postscript.length - 1));
  while (old.Next()) {
    constexpr int64_t kFooterLength = 1, kMetadataLength = 5, kStripeStatisticsLength = 7;
    const int64_t field = old.field();
    if (field != kFooterLength && field != kMetadataLength && field != kStripeStatisticsLength)
      written += old.whole();
  }
  if (written.size() > 255) return Malformed("postscript");
  out.bytes += written;
  out.bytes += static_cast<char>(written.size());
  return out;
}

arrow::Result<std::vector<StreamExtent>> StreamsOf(const Tail& tail, const Stripe& stripe,
                                                   std::string_view footer,
                                                   const std::vector<int>& columns) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, InflateSection(tail.postscript, footer));
  const auto wanted = [&](int64_t type) {
    return type == 0 || std::any_of(columns.begin(), columns.end(), [&](int column) {
             return type >= tail.columns[column].begin && type < tail.columns[column].end;
           });
  };
  std::vector<StreamExtent> out;
  int64_t at = stripe.offset;
  Wire wire(bytes);
  while (wire.Next()) {
    constexpr int64_t kStreams = 1, kEncodings = 2;
    if (wire.field() == kStreams) {
      int64_t kind = 0, type = 0, length = 0;
      Wire stream(wire.text());
      while (stream.Next()) {
        if (stream.field() == 1) kind = Size(stream);
        if (stream.field() == 2) type = Size(stream);
        if (stream.field() == 3) length = Size(stream);
      }
      if (stream.failed() || length < 0 || length > stripe.footer() - at)
        return Malformed("stripe footer");
      constexpr int64_t kRowIndex = 6, kBloomFilters = 7;
      if (wanted(type) && (kind < kRowIndex || kind > kBloomFilters + 1) && length > 0)
        out.push_back({at, length});
      at += length;
    } else if (wire.field() == kEncodings) {
      Wire encoding(wire.text());
      while (encoding.Next()) {
        // Values of a dictionary differ, so there is a limit to how far they can be compressed.
        constexpr int64_t kMaxRatio = 64, kSmall = 1024;
        if (encoding.field() == 2 && (Size(encoding) < 0 || Size(encoding) > stripe.rows ||
                                      Size(encoding) > kSmall + kMaxRatio * stripe.data_length)) {
          return Status::IOError("claims a dictionary of ", encoding.number(),
                                 " values, which cannot be: the file is corrupt");
        }
      }
      if (encoding.failed()) return Malformed("stripe footer");
    }
  }
  if (wire.failed()) return Malformed("stripe footer");
  return out;
}

}  // namespace shoal::formats::orc
