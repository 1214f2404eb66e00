#include "formats/parquet/footer.h"

#include <algorithm>
#include <utility>

#include "formats/parquet/thrift_reader.h"

namespace shoal::formats::parquet {

namespace {

// Numbers of fields in parquet.thrift.
enum FileMetaDataField : int16_t { kSchema = 2, kFileRows = 3, kRowGroups = 4, kKeyValues = 5 };
enum RowGroupField : int16_t { kColumns = 1, kNumRows = 3, kSortingColumns = 4 };
enum SortingColumnField : int16_t { kColumnIndex = 1, kDescending = 2, kNullsFirst = 3 };
enum ColumnChunkField : int16_t { kFilePath = 1, kMetaData = 3 };
enum ColumnMetaDataField : int16_t { kNumValues = 5, kTotalCompressedSize = 7 };

/// Of a file; rows and bytes of many files can be added up without a thought.
constexpr int64_t kMaxRows = int64_t{1} << 48;
constexpr int64_t kMaxBytes = int64_t{1} << 48;

/// A ColumnChunk that has only what it must have, file_offset = 0: it keeps a column's place.
constexpr std::string_view kPlaceholder("\x26\x00\x00", 3);
constexpr char kStructList = '\x0c';

/// How Save lays out `own`: the version, then begin and length of the schema, then bytes.
constexpr char kSavedVersion = 1;
constexpr size_t kSavedHeader = 1 + 2 * sizeof(uint32_t);

void AppendInteger(std::string* out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out->push_back(static_cast<char>(value >> shift));
}

uint32_t IntegerAt(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < sizeof(value); ++i)
    value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

void AppendStructListHeader(std::string* out, size_t size) {
  if (size < 15) {
    out->push_back(static_cast<char>(size << 4 | kStructList));
    return;
  }
  out->push_back('\xfc');
  for (; size >= 0x80; size >>= 7) out->push_back(static_cast<char>(size | 0x80));
  out->push_back(static_cast<char>(size));
}

}  // namespace

class Footer::Parser {
 public:
  explicit Parser(Footer* footer) : footer_(*footer), in_(footer->bytes_) {}

  arrow::Status Run() {
    for (auto field = in_.NextField(0); field.type != ThriftReader::kStop;
         field = in_.NextField(field.id)) {
      const uint32_t begin = in_.position();
      if (field.id == kRowGroups) {
        if (field.type != ThriftReader::kList) return Malformed("its row groups are no list");
        ARROW_RETURN_NOT_OK(RowGroups());
      } else if (field.id == kFileRows && field.is_integer()) {
        footer_.total_rows_ = in_.Integer();
      } else {
        in_.Skip(field.type);
      }
      const Extent extent{begin, in_.position()};
      if (field.id == kSchema) footer_.schema_ = extent;
      if (field.id == kRowGroups) footer_.row_group_list_ = extent;
      if (field.id == kKeyValues) footer_.key_values_ = extent;
    }
    if (in_.failed()) return Malformed("it ends in the middle, or holds what no footer can");
    if (footer_.schema_.end == 0) return Malformed("it has no schema");
    return arrow::Status::OK();
  }

  uint32_t position() const { return in_.position(); }

 private:
  template <typename... Args>
  static arrow::Status Malformed(Args&&... args) {
    return arrow::Status::Invalid("its footer is corrupt: ", std::forward<Args>(args)...);
  }

  arrow::Status RowGroups() {
    if (footer_.row_group_list_.end != 0) return Malformed("it lists row groups twice");
    const auto list = in_.ListHeader();
    if (list.size > 0 && list.type != ThriftReader::kStruct)
      return Malformed("its row groups are no structs");
    footer_.row_groups_.reserve(std::min<uint32_t>(list.size, 1024));
    int64_t rows = 0, bytes = 0;
    for (uint32_t i = 0; i < list.size; ++i) {
      Extent sorting;
      ARROW_ASSIGN_OR_RAISE(RowGroup group, OneRowGroup(&sorting));
      if (in_.failed()) return arrow::Status::OK();  // told by the caller
      if (group.rows < 0 || group.rows > kMaxRows - rows) {
        return Malformed("row group ", i, " claims ", group.rows, " rows");
      }
      rows += group.rows;
      // A lying length is an error when the chunk is read; until then it must not spoil the sum.
      group.compressed_bytes = std::min(group.compressed_bytes, kMaxBytes - bytes);
      bytes += group.compressed_bytes;
      footer_.row_groups_.push_back(group);
      if (i == 0) footer_.sorting_ = sorting;
      if (footer_.View(sorting) != footer_.View(footer_.sorting_)) footer_.sorting_ = {};
    }
    return arrow::Status::OK();
  }

  arrow::Result<RowGroup> OneRowGroup(Extent* sorting) {
    RowGroup group;
    group.all.begin = in_.position();
    group.first_chunk = footer_.chunk_ends_.size();
    for (auto field = in_.NextField(0); field.type != ThriftReader::kStop;
         field = in_.NextField(field.id)) {
      if (field.id == kColumns && field.type == ThriftReader::kList) {
        if (group.columns.end != 0) return Malformed("a row group lists its columns twice");
        const auto list = in_.ListHeader();
        if (list.size > 0 && list.type != ThriftReader::kStruct)
          return Malformed("columns of a row group are no structs");
        group.columns.begin = in_.position();
        for (uint32_t i = 0; i < list.size && !in_.failed(); ++i) {
          const Chunk chunk = OneChunk();
          if (i == 0) group.file_path = chunk.file_path;
          if (footer_.View(chunk.file_path) != footer_.View(group.file_path))
            return Malformed("the columns of a row group are in several files");
          group.compressed_bytes = std::min(group.compressed_bytes + chunk.bytes, kMaxBytes);
          footer_.chunk_ends_.push_back(in_.position());
          footer_.chunk_values_.push_back(chunk.values);
        }
        group.columns.end = in_.position();
        group.num_columns = static_cast<int>(list.size);
      } else if (field.id == kNumRows && field.is_integer()) {
        group.rows = in_.Integer();
      } else {
        const uint32_t begin = in_.position();
        in_.Skip(field.type);
        if (field.id == kSortingColumns && field.type == ThriftReader::kList)
          *sorting = {begin, in_.position()};
      }
    }
    group.all.end = in_.position();
    return group;
  }

  struct Chunk {
    int64_t values = 0;
    int64_t bytes = 0;  // compressed
    Extent file_path;
  };
  Chunk OneChunk() {
    Chunk chunk;
    for (auto field = in_.NextField(0); field.type != ThriftReader::kStop;
         field = in_.NextField(field.id)) {
      if (field.id == kFilePath && field.type == ThriftReader::kBinary) {
        chunk.file_path = TextExtent();
        continue;
      }
      if (field.id != kMetaData || field.type != ThriftReader::kStruct) {
        in_.Skip(field.type);
        continue;
      }
      for (auto inner = in_.NextField(0); inner.type != ThriftReader::kStop;
           inner = in_.NextField(inner.id)) {
        if (inner.id == kTotalCompressedSize && inner.is_integer()) {
          chunk.bytes = std::clamp<int64_t>(in_.Integer(), 0, kMaxBytes);
        } else if (inner.id == kNumValues && inner.is_integer()) {
          chunk.values = in_.Integer();
        } else {
          in_.Skip(inner.type);
        }
      }
    }
    return chunk;
  }

  /// Of a text, without its length, which is a varint in front of it.
  Extent TextExtent() {
    uint32_t begin = in_.position();
    in_.Skip(ThriftReader::kBinary);
    const uint32_t end = in_.position();
    if (in_.failed()) return {};
    while (static_cast<uint8_t>(footer_.bytes_[begin]) >= 0x80) ++begin;
    return {begin + 1, end};
  }

  Footer& footer_;
  ThriftReader in_;
};

arrow::Result<Footer> Footer::Parse(std::string bytes) {
  if (bytes.size() > UINT32_MAX)
    return arrow::Status::Invalid("its footer is corrupt: it is ", bytes.size(), " bytes long");
  Footer footer;
  footer.bytes_ = std::move(bytes);
  Parser parser(&footer);
  ARROW_RETURN_NOT_OK(parser.Run());
  footer.bytes_.resize(parser.position());
  footer.row_groups_.shrink_to_fit();
  footer.chunk_ends_.shrink_to_fit();
  footer.chunk_values_.shrink_to_fit();
  return footer;
}

std::shared_ptr<::parquet::FileMetaData> Footer::Narrow(const std::vector<int>& row_groups,
                                                        const std::vector<int>& leaves) const {
  std::string narrow;
  if (row_group_list_.end == 0) {
    narrow = bytes_;
  } else {
    narrow.append(bytes_, 0, row_group_list_.begin);
    AppendStructListHeader(&narrow, row_groups.size());
    for (int g : row_groups) {
      const RowGroup& group = row_groups_[g];
      if (group.num_columns == 0) {
        narrow.append(bytes_, group.all.begin, group.all.end - group.all.begin);
        continue;
      }
      narrow.append(bytes_, group.all.begin, group.columns.begin - group.all.begin);
      auto leaf = leaves.begin();
      for (int c = 0; c < group.num_columns; ++c) {
        if (leaf == leaves.end() || *leaf != c) {
          narrow.append(kPlaceholder);
          continue;
        }
        ++leaf;
        const size_t chunk = group.first_chunk + c;
        const uint32_t begin = c == 0 ? group.columns.begin : chunk_ends_[chunk - 1];
        narrow.append(bytes_, begin, chunk_ends_[chunk] - begin);
      }
      narrow.append(bytes_, group.columns.end, group.all.end - group.columns.end);
    }
    narrow.append(bytes_, row_group_list_.end, std::string::npos);
  }
  return ::parquet::FileMetaData::Make(narrow.data(), static_cast<int64_t>(narrow.size()));
}

arrow::Result<Footer> Footer::Select(const std::vector<int>& row_groups) const {
  std::string bytes = bytes_.substr(0, row_group_list_.begin);
  AppendStructListHeader(&bytes, row_groups.size());
  for (const int g : row_groups) {
    const Extent all = row_groups_[static_cast<size_t>(g)].all;
    bytes.append(bytes_, all.begin, all.end - all.begin);
  }
  bytes.append(bytes_, row_group_list_.end, std::string::npos);
  ARROW_ASSIGN_OR_RAISE(Footer out, Parse(std::move(bytes)));
  out.total_rows_ = -1;  // it is of all row groups
  return out;
}

std::vector<Footer::SortingColumn> Footer::sorting_columns() const {
  std::vector<SortingColumn> out;
  ThriftReader in(View(sorting_));
  if (sorting_.end == 0) return out;
  const auto list = in.ListHeader();
  if (list.size > 0 && list.type != ThriftReader::kStruct) return out;
  for (uint32_t i = 0; i < list.size; ++i) {
    SortingColumn sorted;
    int64_t column = -1;
    for (auto field = in.NextField(0); field.type != ThriftReader::kStop;
         field = in.NextField(field.id)) {
      if (field.id == kColumnIndex && field.is_integer()) {
        column = in.Integer();
      } else {
        if (field.id == kDescending) sorted.descending = field.type == ThriftReader::kTrue;
        if (field.id == kNullsFirst) sorted.nulls_first = field.type == ThriftReader::kTrue;
        in.Skip(field.type);
      }
    }
    // What cannot be ends the claim; the rows are sorted by what stands before it all the same.
    if (in.failed() || column < 0 || column >= num_columns(0)) break;
    sorted.column = static_cast<int>(column);
    out.push_back(sorted);
  }
  return out;
}

void Footer::Save(std::string* common, std::string* own) const {
  const std::string_view bytes = bytes_;
  Extent schema = schema_;
  uint32_t tail = row_group_list_.end;
  if (row_group_list_.begin < schema.end) {
    // Not in the order of every known writer: nothing is taken out.
    schema = {0, 0};
    tail = static_cast<uint32_t>(bytes.size());
  }
  *common = bytes.substr(schema.begin, schema.end - schema.begin);
  *common += bytes.substr(tail);
  own->assign(1, kSavedVersion);
  AppendInteger(own, schema.begin);
  AppendInteger(own, schema.end - schema.begin);
  *own += bytes.substr(0, schema.begin);
  *own += bytes.substr(schema.end, tail - schema.end);
}

arrow::Result<Footer> Footer::Restore(std::string_view common, std::string_view own) {
  const auto misfit = [] { return arrow::Status::Invalid("the kept footer is not one"); };
  if (own.size() < kSavedHeader || own[0] != kSavedVersion) return misfit();
  const uint32_t begin = IntegerAt(own, 1), length = IntegerAt(own, 5);
  own.remove_prefix(kSavedHeader);
  if (begin > own.size() || length > common.size()) return misfit();
  std::string bytes;
  bytes.reserve(own.size() + common.size());
  bytes += own.substr(0, begin);
  bytes += common.substr(0, length);
  bytes += own.substr(begin);
  bytes += common.substr(length);
  return Parse(std::move(bytes));
}

int64_t Footer::memory_size() const {
  return static_cast<int64_t>(
      sizeof(*this) + bytes_.capacity() + row_groups_.capacity() * sizeof(RowGroup) +
      chunk_ends_.capacity() * sizeof(uint32_t) + chunk_values_.capacity() * sizeof(int64_t));
}

}  // namespace shoal::formats::parquet
