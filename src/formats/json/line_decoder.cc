#include "formats/json/line_decoder.h"

#include <algorithm>
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
  Status status;  // what building columns met with

  void Note(const Status& built) {
    if (!built.ok()) status = built;
  }
};

class Column;

/// The fields of an object.
class Fields {
 public:
  Fields(const arrow::FieldVector& fields, arrow::MemoryPool* pool);

  /// Appends `row` to each field's column, of which that many are there. From the opening brace.
  bool Read(Lines& lines, int64_t row, int depth);
  std::vector<Column>& columns() { return columns_; }

 private:
  /// A key as it stood at that position in the line before, and whose it is: the lines of a file
  /// are mostly alike.
  struct Position {
    std::string key;  // with the closing quote
    int column = -1;
  };
  static constexpr size_t kMostPositions = 10000;

  /// The column that the key is of, or -1; from behind the opening quote.
  bool ReadKey(Cursor& cursor, size_t position, int* column);

  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::vector<Position> positions_;
};

/// Where the values under one key, or in one array, go.
class Column {
 public:
  Column(const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool);

  /// Appends one value.
  bool Read(Lines& lines, int depth);
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

Fields::Fields(const arrow::FieldVector& fields, arrow::MemoryPool* pool) {
  for (const auto& field : fields) {
    names_.push_back(field->name());
    columns_.emplace_back(field->type(), pool);
  }
}

bool Fields::ReadKey(Cursor& cursor, size_t position, int* column) {
  if (position < positions_.size() && cursor.TakeIf(positions_[position].key)) {
    *column = positions_[position].column;
    return true;
  }
  std::string_view key;
  bool as_it_stands;
  if (!cursor.ReadString(&key, &as_it_stands)) return false;
  const auto found = std::find(names_.begin(), names_.end(), key);
  *column = found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
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
      int index = -1;
      if (!cursor.Take('"') || !ReadKey(cursor, position++, &index)) return false;
      cursor.SkipBlanks();
      if (!cursor.Take(':')) return false;
      cursor.SkipBlanks();
      if (index < 0) {
        if (!cursor.SkipValue(depth)) return false;
      } else {
        Column& column = columns_[static_cast<size_t>(index)];
        // A key that is there twice is no plain one.
        if (column.builder()->length() != row || !column.Read(lines, depth)) return false;
        ++found;
      }
      cursor.SkipBlanks();
      if (cursor.Take('}')) break;
      if (!cursor.Take(',')) return false;
      cursor.SkipBlanks();
    }
  }
  if (found == columns_.size()) return true;
  for (const Column& column : columns_) {
    if (column.builder()->length() == row) lines.Note(column.builder()->AppendNull());
  }
  return true;
}

Column::Column(const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool)
    : type_(type->id()) {
  if (type_ == Type::STRUCT) {
    fields_ = std::make_unique<Fields>(type->fields(), pool);
    std::vector<std::shared_ptr<arrow::ArrayBuilder>> builders;
    for (const Column& column : fields_->columns()) builders.push_back(column.builder());
    builder_ = std::make_shared<arrow::StructBuilder>(type, pool, std::move(builders));
  } else if (type_ == Type::LIST) {
    items_ = std::make_unique<Column>(type->field(0)->type(), pool);
    builder_ = std::make_shared<arrow::ListBuilder>(pool, items_->builder(), type);
  } else {
    builder_ = arrow::MakeBuilder(type, pool).ValueOrDie();  // LineDecoder::Makes() it
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
bool Column::Read(Lines& lines, int depth) {
  Cursor& cursor = lines.cursor;
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
  lines.Note(static_cast<arrow::ListBuilder&>(*builder_).Append());
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

arrow::Result<std::shared_ptr<arrow::RecordBatch>> DecodeLines(
    std::string_view text, const std::shared_ptr<arrow::Schema>& schema, arrow::MemoryPool* pool) {
  Fields fields(schema->fields(), pool);
  Lines lines{Cursor(text), Status::OK()};
  Cursor& cursor = lines.cursor;
  int64_t rows = 0;
  while (!cursor.at_end()) {
    cursor.SkipBlanks();
    if (cursor.Take('\n')) continue;
    if (!fields.Read(lines, rows, 0)) return nullptr;
    cursor.SkipBlanks();
    if (!cursor.Take('\n')) return nullptr;
    ++rows;
    ARROW_RETURN_NOT_OK(lines.status);
  }
  arrow::ArrayVector arrays;
  for (const Column& column : fields.columns()) {
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), column.builder()->Finish());
  }
  return arrow::RecordBatch::Make(schema, rows, std::move(arrays));
}

}  // namespace shoal::formats::json
