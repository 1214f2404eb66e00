#include "formats/json/line_decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type_traits.h>
#include <arrow/util/value_parsing.h>

#include "formats/json/cursor.h"
#include "formats/text/numbers.h"

namespace shoal::formats::json {

namespace {

using arrow::Status;
using arrow::Type;

template <typename T>
bool NumberAs(const Number& number, typename T::c_type* out) {
  using C = typename T::c_type;
  if constexpr (std::is_integral_v<C>) {
    if (!number.integer || (number.negative && std::is_unsigned_v<C>)) return false;
    if (!number.has_digits) {
      return arrow::internal::ParseValue<T>(number.text.data(), number.text.size(), out);
    }
    const auto value = number.negative ? -static_cast<int64_t>(number.digits)
                                       : static_cast<int64_t>(number.digits);
    if (!std::in_range<C>(value)) return false;
    *out = static_cast<C>(value);
    return true;
  } else {
    if constexpr (std::is_same_v<C, double>) {
      static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                           1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
      if (number.has_digits && number.digits < uint64_t{1} << 53) {
        // Both are exact, so their quotient is rounded once, as it should be.
        const double value = static_cast<double>(number.digits) / kPowers[number.fraction_digits];
        *out = number.negative ? -value : value;
        return true;
      }
      if (number.integer && !text::IsExactDouble(number.text)) return false;
    }
    return arrow::internal::ParseValue<T>(number.text.data(), number.text.size(), out);
  }
}

struct Lines {
  Cursor cursor;
  UnseenKeys* unseen = nullptr;  // null: nobody asks for them
  int64_t row = 0;
  Status status = Status::OK();  // what building columns met with

  void Note(const Status& built) {
    if (!built.ok()) status = built;
  }
};

class Column;

/// Finds names by a hash: where the keys of lines differ from line to line, each is looked up.
class NameTable {
 public:
  explicit NameTable(const arrow::FieldVector& fields)
      : slots_(std::bit_ceil(2 * fields.size() + 1), kNone) {
    for (const auto& field : fields) {
      int32_t& slot = SlotOf(field->name());
      if (slot == kNone) slot = static_cast<int32_t>(names_.size());
      names_.push_back(field->name());
    }
  }

  /// The place of the field, or kNone.
  int32_t Find(std::string_view name) { return SlotOf(name); }
  static constexpr int32_t kNone = -1;

 private:
  static uint64_t Bytes(const char* at, size_t size) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, at, size);
    return bytes;
  }
  /// Of up to 24 bytes all count; of longer names, the beginning, the middle and the end.
  static uint64_t Hash(std::string_view name) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
    const size_t size = name.size();
    const char* const at = name.data();
    uint64_t hash = size;
    if (size >= 8) {
      hash = (hash ^ Bytes(at, 8)) * kOdd;
      hash = (hash ^ hash >> 32 ^ Bytes(at + size - 8, 8)) * kOdd;
      if (size > 16) hash = (hash ^ hash >> 32 ^ Bytes(at + size / 2 - 4, 8)) * kOdd;
    } else if (size >= 4) {
      hash = (hash ^ Bytes(at, 4) ^ Bytes(at + size - 4, 4) << 32) * kOdd;
    } else if (size > 0) {
      const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(at[i])}; };
      hash = (hash ^ byte(0) << 8 ^ byte(size / 2) << 16 ^ byte(size - 1) << 24) * kOdd;
    }
    return hash >> 32;
  }
  int32_t& SlotOf(std::string_view name) {
    const size_t mask = slots_.size() - 1;
    size_t at = Hash(name) & mask;
    while (slots_[at] != kNone && names_[slots_[at]] != name) at = (at + 1) & mask;
    return slots_[at];
  }

  std::vector<std::string> names_;
  std::vector<int32_t> slots_;  // a power of two of them, of which at most half are taken
};

/// The fields of an object.
class Fields {
 public:
  /// Of `known` those are read that `wanted` has, too. `path`: in front of the fields' names.
  Fields(const arrow::FieldVector& known, const arrow::FieldVector& wanted, std::string path,
         arrow::MemoryPool* pool);

  /// Appends `row` to each wanted field's column, of which that many are there. From the opening
  /// brace.
  bool Read(Lines& lines, int64_t row, int depth);
  /// Those that are wanted, in the order of the wanted fields.
  std::vector<std::shared_ptr<arrow::ArrayBuilder>> builders() const;

 private:
  static constexpr int kSkipped = -1;  // a known field that is not wanted, or no known one
  /// A key as it stood at that position in the line before, and whose it is: the lines of a file
  /// are mostly alike.
  struct Position {
    std::string key;  // with the closing quote
    int column = kSkipped;
  };
  static constexpr size_t kMostPositions = 10000;

  /// The column that the key is of, or kSkipped; from behind the opening quote.
  bool ReadKey(Lines& lines, size_t position, int* column);

  NameTable names_;             // of all that are known
  std::vector<int> column_of_;  // by their places; or kSkipped
  std::string path_;
  std::vector<Column> columns_;  // the wanted ones, and behind them those with objects in them
  size_t wanted_ = 0;            // how many
  std::vector<Position> positions_;
};

/// Where the values under one key, or in one array, go.
class Column {
 public:
  /// `wanted`: null if only the keys in its objects are looked at.
  Column(const std::shared_ptr<arrow::DataType>& known,
         const std::shared_ptr<arrow::DataType>& wanted, const std::string& path,
         arrow::MemoryPool* pool);

  /// Appends one value, if it is wanted.
  bool Read(Lines& lines, int depth);
  /// Null: it is not wanted.
  const std::shared_ptr<arrow::ArrayBuilder>& builder() const { return builder_; }

 private:
  template <typename T>
  bool ReadNumber(Lines& lines) const {
    Number number;
    typename T::c_type value;
    if (!lines.cursor.ReadNumber(&number) || !NumberAs<T>(number, &value)) return false;
    lines.Note(static_cast<arrow::NumericBuilder<T>&>(*builder_).Append(value));
    return true;
  }
  bool ReadItems(Lines& lines, int depth);

  Type::type type_;
  std::unique_ptr<Fields> fields_;  // of a struct
  std::unique_ptr<Column> items_;   // of a list
  std::shared_ptr<arrow::ArrayBuilder> builder_;
};

/// Whether objects are in values of the type.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
bool HasObjects(const arrow::DataType& type) {
  return type.id() == Type::STRUCT ||
         (type.id() == Type::LIST && HasObjects(*type.field(0)->type()));
}

Fields::Fields(const arrow::FieldVector& known, const arrow::FieldVector& wanted, std::string path,
               arrow::MemoryPool* pool)
    : names_(known),
      column_of_(known.size(), kSkipped),
      path_(std::move(path)),
      wanted_(wanted.size()) {
  for (const auto& field : wanted) {
    const int32_t place = names_.Find(field->name());
    column_of_[place] = static_cast<int>(columns_.size());
    columns_.emplace_back(known[place]->type(), field->type(), path_ + field->name(), pool);
  }
  for (size_t i = 0; i < known.size(); ++i) {
    if (column_of_[i] != kSkipped || !HasObjects(*known[i]->type())) continue;
    column_of_[i] = static_cast<int>(columns_.size());
    columns_.emplace_back(known[i]->type(), nullptr, path_ + known[i]->name(), pool);
  }
}

std::vector<std::shared_ptr<arrow::ArrayBuilder>> Fields::builders() const {
  std::vector<std::shared_ptr<arrow::ArrayBuilder>> out;
  out.reserve(wanted_);
  for (size_t i = 0; i < wanted_; ++i) out.push_back(columns_[i].builder());
  return out;
}

bool Fields::ReadKey(Lines& lines, size_t position, int* column) {
  Cursor& cursor = lines.cursor;
  if (position < positions_.size() && cursor.TakeIf(positions_[position].key)) {
    *column = positions_[position].column;
    return true;
  }
  std::string_view key;
  bool as_it_stands;
  if (!cursor.ReadString(&key, &as_it_stands)) return false;
  const int32_t place = names_.Find(key);
  *column = place == NameTable::kNone ? kSkipped : column_of_[place];
  // Once it is in `positions_`, it was noted.
  if (place == NameTable::kNone && lines.unseen) lines.unseen->Note(path_, key, lines.row);
  if (as_it_stands && position < kMostPositions) {
    if (position >= positions_.size()) positions_.resize(position + 1);
    positions_[position].key.assign(key).push_back('"');
    positions_[position].column = *column;
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
bool Fields::Read(Lines& lines, int64_t row, int depth) {
  Cursor& cursor = lines.cursor;
  size_t found = 0, position = 0;
  if (!cursor.Take('{')) return false;
  cursor.SkipBlanks();
  if (!cursor.Take('}')) {
    while (true) {
      int index = kSkipped;
      if (!cursor.Take('"') || !ReadKey(lines, position++, &index)) return false;
      cursor.SkipBlanks();
      if (!cursor.Take(':')) return false;
      cursor.SkipBlanks();
      if (index == kSkipped) {
        if (!cursor.SkipValue(depth)) return false;
      } else {
        Column& column = columns_[static_cast<size_t>(index)];
        if (column.builder()) {
          // A key that is there twice is no plain one.
          if (column.builder()->length() != row) return false;
          ++found;
        }
        if (!column.Read(lines, depth)) return false;
      }
      cursor.SkipBlanks();
      if (cursor.Take('}')) break;
      if (!cursor.Take(',')) return false;
      cursor.SkipBlanks();
    }
  }
  if (found == wanted_) return true;
  for (size_t i = 0; i < wanted_; ++i) {
    const auto& builder = columns_[i].builder();
    if (builder->length() == row) lines.Note(builder->AppendNull());
  }
  return true;
}

Column::Column(const std::shared_ptr<arrow::DataType>& known,
               const std::shared_ptr<arrow::DataType>& wanted, const std::string& path,
               arrow::MemoryPool* pool)
    : type_(known->id()) {
  if (type_ == Type::STRUCT) {
    const auto none = arrow::FieldVector();
    fields_ = std::make_unique<Fields>(known->fields(), wanted ? wanted->fields() : none,
                                       path + ".", pool);
    if (wanted) {
      builder_ = std::make_shared<arrow::StructBuilder>(wanted, pool, fields_->builders());
    }
  } else if (type_ == Type::LIST) {
    // Items have no name of their own.
    items_ = std::make_unique<Column>(known->field(0)->type(),
                                      wanted ? wanted->field(0)->type() : nullptr, path, pool);
    if (wanted) builder_ = std::make_shared<arrow::ListBuilder>(pool, items_->builder(), wanted);
  } else if (wanted) {
    builder_ = arrow::MakeBuilder(wanted, pool).ValueOrDie();  // CanDecodeLines
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
bool Column::Read(Lines& lines, int depth) {
  Cursor& cursor = lines.cursor;
  if (!builder_) {
    if (fields_ && cursor.peek() == '{') {
      return depth < kMaxDepth && fields_->Read(lines, 0, depth + 1);
    }
    if (items_ && cursor.peek() == '[') return depth < kMaxDepth && ReadItems(lines, depth + 1);
    return cursor.SkipValue(depth);
  }
  if (cursor.peek() == 'n') {
    if (!cursor.Take("null")) return false;
    lines.Note(builder_->AppendNull());
    return true;
  }
  switch (type_) {
    case Type::BOOL: {
      const bool value = cursor.peek() == 't';
      if (!cursor.Take(value ? "true" : "false")) return false;
      lines.Note(static_cast<arrow::BooleanBuilder&>(*builder_).Append(value));
      return true;
    }
    case Type::INT8:
      return ReadNumber<arrow::Int8Type>(lines);
    case Type::INT16:
      return ReadNumber<arrow::Int16Type>(lines);
    case Type::INT32:
      return ReadNumber<arrow::Int32Type>(lines);
    case Type::INT64:
      return ReadNumber<arrow::Int64Type>(lines);
    case Type::UINT8:
      return ReadNumber<arrow::UInt8Type>(lines);
    case Type::UINT16:
      return ReadNumber<arrow::UInt16Type>(lines);
    case Type::UINT32:
      return ReadNumber<arrow::UInt32Type>(lines);
    case Type::UINT64:
      return ReadNumber<arrow::UInt64Type>(lines);
    case Type::FLOAT:
      return ReadNumber<arrow::FloatType>(lines);
    case Type::DOUBLE:
      return ReadNumber<arrow::DoubleType>(lines);
    case Type::STRING: {
      std::string_view value;
      if (!cursor.Take('"') || !cursor.ReadString(&value)) return false;
      lines.Note(static_cast<arrow::StringBuilder&>(*builder_).Append(value));
      return true;
    }
    case Type::STRUCT: {
      const int64_t row = builder_->length();
      if (depth >= kMaxDepth || !fields_->Read(lines, row, depth + 1)) return false;
      lines.Note(static_cast<arrow::StructBuilder&>(*builder_).Append());
      return true;
    }
    case Type::LIST:
      return depth < kMaxDepth && ReadItems(lines, depth + 1);
    default:
      return false;  // of the null type: any other value is for others
  }
}

// NOLINTNEXTLINE(misc-no-recursion)
bool Column::ReadItems(Lines& lines, int depth) {
  Cursor& cursor = lines.cursor;
  if (!cursor.Take('[')) return false;
  if (builder_) lines.Note(static_cast<arrow::ListBuilder&>(*builder_).Append());
  cursor.SkipBlanks();
  if (cursor.Take(']')) return true;
  while (true) {
    if (!items_->Read(lines, depth)) return false;
    cursor.SkipBlanks();
    if (cursor.Take(']')) return true;
    if (!cursor.Take(',')) return false;
    cursor.SkipBlanks();
  }
}

// NOLINTNEXTLINE(misc-no-recursion)
bool Makes(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::NA:
    case Type::BOOL:
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::STRING:
      return true;
    case Type::LIST:
    case Type::STRUCT: {
      const auto& fields = type.fields();
      return std::all_of(fields.begin(), fields.end(),
                         [](const auto& field) { return Makes(*field->type()); });
    }
    default:
      return false;
  }
}

}  // namespace

bool CanDecodeLines(const arrow::Schema& schema) {
  const auto& fields = schema.fields();
  return std::all_of(fields.begin(), fields.end(),
                     [](const auto& field) { return Makes(*field->type()); });
}

void UnseenKeys::Note(std::string_view path, std::string_view key, int64_t row) {
  if (keys_.size() == kMost) return;
  std::string name(path);
  name += key;
  for (const Key& known : keys_) {
    if (known.name == name) return;
  }
  keys_.push_back({std::move(name), row});
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> DecodeLines(
    std::string_view text, const std::shared_ptr<arrow::Schema>& schema, arrow::MemoryPool* pool,
    UnseenKeys* unseen) {
  Fields fields((unseen ? unseen->known() : schema)->fields(), schema->fields(), "", pool);
  Lines lines{Cursor(text), unseen};
  Cursor& cursor = lines.cursor;
  while (!cursor.at_end()) {
    cursor.SkipBlanks();
    if (cursor.Take('\n')) continue;
    if (!fields.Read(lines, lines.row, 0)) return nullptr;
    cursor.SkipBlanks();
    if (!cursor.Take('\n')) return nullptr;
    ++lines.row;
    ARROW_RETURN_NOT_OK(lines.status);
  }
  arrow::ArrayVector arrays;
  for (const auto& builder : fields.builders()) {
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), builder->Finish());
  }
  return arrow::RecordBatch::Make(schema, lines.row, std::move(arrays));
}

void FindUnseenKeys(std::string_view text, UnseenKeys* unseen) {
  unseen->Clear();
  Fields fields(unseen->known()->fields(), {}, "", arrow::default_memory_pool());
  for (int64_t row = 0; !text.empty();) {
    const size_t size = text.find('\n') + 1;
    Lines line{Cursor(text.substr(0, size)), unseen, row};
    text.remove_prefix(size);
    line.cursor.SkipBlanks();
    if (line.cursor.Take('\n')) continue;
    // As far as it is plain: up to a number that is beyond all doubles, and the like.
    fields.Read(line, 0, 0);
    ++row;
  }
}

}  // namespace shoal::formats::json
