#include "formats/ipc/messages.h"

#include "formats/ipc/flat_buffer.h"

namespace shoal::formats::ipc {

namespace {

using arrow::Status;

constexpr int16_t kVersion4 = 3, kVersion5 = 4;
constexpr uint32_t kBlockSize = 24, kNodeSize = 16, kExtentSize = 16;

Status Malformed(const char* what) {
  return Status::IOError("its ", what, " is malformed: the file is corrupt");
}

arrow::Result<std::vector<Block>> ParseBlocks(FlatBuffer& flat, FlatBuffer::Table footer, int field,
                                              int64_t blocks_end) {
  const auto vector = flat.VectorField(footer, field, kBlockSize);
  std::vector<Block> out;
  out.reserve(vector.size);
  for (uint32_t i = 0; i < vector.size; ++i) {
    const uint64_t at = vector.at + uint64_t{i} * kBlockSize;
    const Block block{flat.Load<int64_t>(at), flat.Load<int32_t>(at + 8),
                      flat.Load<int64_t>(at + 16)};
    if (block.offset < 0 || block.metadata_length < 8 || block.body_length < 0 ||
        block.offset > blocks_end || block.metadata_length > blocks_end - block.offset ||
        block.body_length > blocks_end - block.offset - block.metadata_length) {
      return Status::IOError("its footer claims a message of ", block.metadata_length, " + ",
                             block.body_length, " bytes from byte ", block.offset,
                             ", where messages end at byte ", blocks_end,
                             ": the file is truncated or corrupt");
    }
    out.push_back(block);
  }
  return out;
}

/// The codec's name in the metadata of messages, as in Arrow 0.17.
arrow::Result<arrow::Compression::type> ExperimentalCompression(FlatBuffer& flat,
                                                                FlatBuffer::Table message) {
  const auto pairs = flat.VectorField(message, 4, 4);
  for (uint32_t i = 0; i < pairs.size; ++i) {
    const auto pair = flat.TableAt(pairs, i);
    if (flat.StringField(pair, 0) != "ARROW:experimental_compression") continue;
    const std::string_view name = flat.StringField(pair, 1);
    if (name == "lz4" || name == "lz4_frame") return arrow::Compression::LZ4_FRAME;
    if (name == "zstd") return arrow::Compression::ZSTD;
    if (name == "uncompressed") return arrow::Compression::UNCOMPRESSED;
    return Status::NotImplemented("it is compressed with '", name.substr(0, 40),
                                  "': only lz4 and zstd can be read");
  }
  return arrow::Compression::UNCOMPRESSED;
}

arrow::Status ParseBatch(FlatBuffer& flat, FlatBuffer::Table table, int64_t body_length,
                         BatchHeader* out) {
  out->rows = flat.Scalar<int64_t>(table, 0);
  if (out->rows < 0) return Malformed("number of rows");
  const auto nodes = flat.VectorField(table, 1, kNodeSize);
  out->nodes.reserve(nodes.size);
  for (uint32_t i = 0; i < nodes.size; ++i) {
    const uint64_t at = nodes.at + uint64_t{i} * kNodeSize;
    const BatchHeader::Node node{flat.Load<int64_t>(at), flat.Load<int64_t>(at + 8)};
    if (node.length < 0 || node.null_count < -1 || node.null_count > node.length)
      return Malformed("number of nulls");
    out->nodes.push_back(node);
  }
  const auto buffers = flat.VectorField(table, 2, kExtentSize);
  out->buffers.reserve(buffers.size);
  for (uint32_t i = 0; i < buffers.size; ++i) {
    const uint64_t at = buffers.at + uint64_t{i} * kExtentSize;
    const BatchHeader::Extent extent{flat.Load<int64_t>(at), flat.Load<int64_t>(at + 8)};
    if (extent.offset < 0 || extent.length < 0 || extent.offset > body_length ||
        extent.length > body_length - extent.offset) {
      return Status::IOError("its metadata claims ", extent.length, " bytes from byte ",
                             extent.offset, " of a body of ", body_length,
                             ": the file is truncated or corrupt");
    }
    out->buffers.push_back(extent);
  }
  const auto counts = flat.VectorField(table, 4, 8);
  for (uint32_t i = 0; i < counts.size; ++i)
    out->variadic_counts.push_back(flat.Load<int64_t>(counts.at + uint64_t{i} * 8));
  if (const auto compression = flat.TableField(table, 3)) {
    const auto codec = flat.Scalar<int8_t>(compression, 0);
    if (codec != 0 && codec != 1)
      return Status::NotImplemented("it is compressed with codec ", int{codec},
                                    ": only lz4 and zstd can be read");
    if (flat.Scalar<int8_t>(compression, 1) != 0)
      return Status::NotImplemented("it is not compressed buffer by buffer");
    out->compression = codec == 0 ? arrow::Compression::LZ4_FRAME : arrow::Compression::ZSTD;
  }
  return Status::OK();
}

}  // namespace

arrow::Result<Footer> ParseFooter(std::string_view bytes, int64_t blocks_end) {
  FlatBuffer flat(bytes);
  const auto table = flat.Root();
  Footer footer;
  ARROW_ASSIGN_OR_RAISE(footer.dictionaries, ParseBlocks(flat, table, 2, blocks_end));
  ARROW_ASSIGN_OR_RAISE(footer.batches, ParseBlocks(flat, table, 3, blocks_end));
  if (flat.failed()) return Malformed("footer");
  return footer;
}

arrow::Result<Message> ParseMessage(std::string_view metadata, int64_t body_length) {
  ARROW_ASSIGN_OR_RAISE(auto encapsulation, ParseEncapsulation(metadata.substr(0, 8)));
  if (encapsulation.length > static_cast<int64_t>(metadata.size()) - encapsulation.prefix)
    return Malformed("metadata");
  FlatBuffer flat(metadata.substr(encapsulation.prefix, encapsulation.length));
  const auto table = flat.Root();
  Message out;
  const auto version = flat.Scalar<int16_t>(table, 0);
  if (version < kVersion4 || version > kVersion5) {
    return Status::NotImplemented("its metadata is of version ", version + 1,
                                  ": only 4 and 5 can be read");
  }
  out.has_union_validity = version < kVersion5;
  out.kind = flat.Scalar<uint8_t>(table, 1);
  out.body_length = flat.Scalar<int64_t>(table, 3);
  if (out.body_length < 0 || (body_length >= 0 && out.body_length != body_length))
    return Malformed("body length");
  auto header = flat.TableField(table, 2);
  if (out.kind == Message::kDictionary) {
    out.dictionary_id = flat.Scalar<int64_t>(header, 0);
    out.is_delta = flat.Scalar<uint8_t>(header, 2) != 0;
    header = flat.TableField(header, 1);
  }
  if (out.kind == Message::kDictionary || out.kind == Message::kBatch) {
    if (!header) return Malformed("metadata");
    ARROW_RETURN_NOT_OK(ParseBatch(flat, header, out.body_length, &out.batch));
    if (version == kVersion4 && out.batch.compression == arrow::Compression::UNCOMPRESSED) {
      ARROW_ASSIGN_OR_RAISE(out.batch.compression, ExperimentalCompression(flat, table));
    }
  }
  if (flat.failed()) return Malformed("metadata");
  return out;
}

arrow::Result<Encapsulation> ParseEncapsulation(std::string_view bytes) {
  FlatBuffer flat(bytes);
  Encapsulation out{4, flat.Load<int32_t>(0)};
  if (out.length == -1) out = {8, flat.Load<int32_t>(4)};
  if (flat.failed() || out.length < 0) return Malformed("metadata");
  return out;
}

arrow::Result<Message> ParseNextMessage(std::string_view metadata, int64_t body_length) {
  auto message = ParseMessage(metadata, body_length);
  if (!message.ok() && message.status().IsNotImplemented())
    return Status::IOError(message.status().message(), ": the file is corrupt");
  return message;
}

arrow::Status CheckPadding(std::string_view first, int64_t rest) {
  if (rest <= kMostPadding && first.find_first_not_of('\0') == first.npos)
    return arrow::Status::OK();
  return arrow::Status::IOError("the stream ends here, and ", rest,
                                " bytes follow: read each stream from a file of its own");
}

}  // namespace shoal::formats::ipc
