#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "schema/merge.h"

namespace shoal::schema {
namespace {

using arrow::DataType;
using arrow::Field;
using arrow::Result;
using arrow::Status;
using arrow::Type;
using TypePtr = std::shared_ptr<DataType>;

Status NoCommonType(const DataType& a, const DataType& b) {
  return Status::TypeError("no type holds all values of ", a.ToString(), " and ", b.ToString());
}

int BitWidth(const DataType& type) {
  return static_cast<const arrow::FixedWidthType&>(type).bit_width();
}

TypePtr SignedInteger(int bits) {
  return bits <= 8    ? arrow::int8()
         : bits <= 16 ? arrow::int16()
         : bits <= 32 ? arrow::int32()
                      : arrow::int64();
}

// nullptr: none. The same holds for the functions below.
TypePtr WidenIntegers(const TypePtr& a, const TypePtr& b, Promote promote) {
  const bool a_signed = arrow::is_signed_integer(a->id());
  if (a_signed == arrow::is_signed_integer(b->id())) return BitWidth(*a) >= BitWidth(*b) ? a : b;
  const int signed_bits = BitWidth(a_signed ? *a : *b);
  const int unsigned_bits = BitWidth(a_signed ? *b : *a);
  if (unsigned_bits >= 64) return promote == Promote::kPermissive ? arrow::int64() : nullptr;
  return SignedInteger(std::max(signed_bits, 2 * unsigned_bits));
}

// An integer of n bits fits a float whose mantissa has as many.
TypePtr WidenIntegerAndFloat(const DataType& integer, const TypePtr& floating, Promote promote) {
  const int bits = BitWidth(integer);
  if (bits > 32) return promote == Promote::kPermissive ? arrow::float64() : nullptr;
  return floating->id() == Type::DOUBLE || bits > 16 ? arrow::float64() : arrow::float32();
}

TypePtr WidenDecimals(const DataType& a, const DataType& b) {
  const auto& x = static_cast<const arrow::DecimalType&>(a);
  const auto& y = static_cast<const arrow::DecimalType&>(b);
  const int32_t scale = std::max(x.scale(), y.scale());
  const int32_t precision = scale + std::max(x.precision() - x.scale(), y.precision() - y.scale());
  // As wide as the wider of the two, or wider where the digits need it.
  const int bits = std::max(BitWidth(a), BitWidth(b));
  struct Width {
    int bits;
    int32_t digits;
    TypePtr (*make)(int32_t, int32_t);
  };
  const Width widths[] = {
      {32, 9, [](int32_t p, int32_t s) { return arrow::decimal32(p, s); }},
      {64, 18, [](int32_t p, int32_t s) { return arrow::decimal64(p, s); }},
      {128, 38, [](int32_t p, int32_t s) { return arrow::decimal128(p, s); }},
      {256, 76, [](int32_t p, int32_t s) { return arrow::decimal256(p, s); }},
  };
  for (const Width& width : widths) {
    if (bits <= width.bits && precision <= width.digits) return width.make(precision, scale);
  }
  return nullptr;
}

TypePtr WidenIntegerAndDecimal(const DataType& integer, const DataType& decimal) {
  const auto digits = arrow::MaxDecimalDigitsForInteger(integer.id());
  return digits.ok() ? WidenDecimals(*arrow::decimal128(*digits, 0), decimal) : nullptr;
}

TypePtr WidenTimestamps(const DataType& a, const DataType& b) {
  const auto& x = static_cast<const arrow::TimestampType&>(a);
  const auto& y = static_cast<const arrow::TimestampType&>(b);
  if (x.timezone().empty() != y.timezone().empty()) return nullptr;
  return arrow::timestamp(std::max(x.unit(), y.unit()), x.timezone());
}

TypePtr WidenTimes(const DataType& a, const DataType& b) {
  const auto unit = std::max(static_cast<const arrow::TimeType&>(a).unit(),
                             static_cast<const arrow::TimeType&>(b).unit());
  return unit <= arrow::TimeUnit::MILLI ? arrow::time32(unit) : arrow::time64(unit);
}

// Among those of one kind, the one with the larger offsets.
TypePtr WidenText(const TypePtr& a, const TypePtr& b, Promote promote) {
  auto rank = [](Type::type id) -> std::optional<int> {
    switch (id) {
      case Type::STRING:
        return 0;
      case Type::STRING_VIEW:
        return 1;
      case Type::LARGE_STRING:
        return 2;
      case Type::BINARY:
        return 10;
      case Type::BINARY_VIEW:
        return 11;
      case Type::LARGE_BINARY:
        return 12;
      default:
        return std::nullopt;
    }
  };
  const auto x = rank(a->id()), y = rank(b->id());
  if (!x || !y) return nullptr;
  if ((*x >= 10) == (*y >= 10)) return *x >= *y ? a : b;
  if (promote == Promote::kLossless) return nullptr;
  switch (std::max(*x % 10, *y % 10)) {
    case 0:
      return arrow::binary();
    case 1:
      return arrow::binary_view();
    default:
      return arrow::large_binary();
  }
}

TypePtr WidenPlain(const TypePtr& a, const TypePtr& b, Promote promote) {
  const Type::type x = a->id(), y = b->id();
  if (arrow::is_integer(x) && arrow::is_integer(y)) return WidenIntegers(a, b, promote);
  if (arrow::is_floating(x) && arrow::is_floating(y)) return BitWidth(*a) >= BitWidth(*b) ? a : b;
  if (arrow::is_integer(x) && arrow::is_floating(y)) return WidenIntegerAndFloat(*a, b, promote);
  if (arrow::is_floating(x) && arrow::is_integer(y)) return WidenIntegerAndFloat(*b, a, promote);
  if (arrow::is_decimal(x) && arrow::is_decimal(y)) return WidenDecimals(*a, *b);
  if (arrow::is_date(x) && arrow::is_date(y)) return arrow::date64();
  if (x == Type::TIMESTAMP && y == Type::TIMESTAMP) return WidenTimestamps(*a, *b);
  if (arrow::is_time(x) && arrow::is_time(y)) return WidenTimes(*a, *b);
  if (x == Type::DURATION && y == Type::DURATION) {
    return arrow::duration(std::max(static_cast<const arrow::DurationType&>(*a).unit(),
                                    static_cast<const arrow::DurationType&>(*b).unit()));
  }
  if (promote == Promote::kPermissive) {
    if (arrow::is_decimal(x) && arrow::is_floating(y)) return arrow::float64();
    if (arrow::is_floating(x) && arrow::is_decimal(y)) return arrow::float64();
    if (arrow::is_integer(x) && arrow::is_decimal(y)) return WidenIntegerAndDecimal(*a, *b);
    if (arrow::is_decimal(x) && arrow::is_integer(y)) return WidenIntegerAndDecimal(*b, *a);
  }
  return WidenText(a, b, promote);
}

Result<std::shared_ptr<Field>> MergeFields(const Field& a, const Field& b, Promote promote) {
  auto type = MergeTypes(a.type(), b.type(), promote);
  if (!type.ok())
    return type.status().WithMessage("in field `", a.name(), "`: ", type.status().message());
  // A field of nulls allows null, whatever it declares.
  const bool null = a.type()->id() == Type::NA || b.type()->id() == Type::NA;
  return arrow::field(a.name(), *type, a.nullable() || b.nullable() || null,
                      a.HasMetadata() ? a.metadata() : b.metadata());
}

Result<TypePtr> MergeStructs(const DataType& a, const DataType& b, Promote promote) {
  bool same_names = a.num_fields() == b.num_fields();
  for (int i = 0; same_names && i < a.num_fields(); ++i)
    same_names = a.field(i)->name() == b.field(i)->name();
  arrow::FieldVector children;
  if (same_names) {
    for (int i = 0; i < a.num_fields(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto child, MergeFields(*a.field(i), *b.field(i), promote));
      children.push_back(std::move(child));
    }
    return arrow::struct_(std::move(children));
  }

  std::unordered_map<std::string, int> by_name;
  for (const DataType* type : {&a, &b}) {
    by_name.clear();
    for (int i = 0; i < type->num_fields(); ++i) {
      if (!by_name.emplace(type->field(i)->name(), i).second) {
        return Status::TypeError("a struct has two fields `", type->field(i)->name(), "`");
      }
    }
  }
  // by_name is that of b here.
  for (const auto& field : a.fields()) {
    auto found = by_name.find(field->name());
    if (found == by_name.end()) {
      children.push_back(field->WithNullable(true));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto child, MergeFields(*field, *b.field(found->second), promote));
    children.push_back(std::move(child));
    by_name.erase(found);
  }
  for (const auto& field : b.fields()) {
    if (by_name.contains(field->name())) children.push_back(field->WithNullable(true));
  }
  return arrow::struct_(std::move(children));
}

Result<TypePtr> MergeLists(const DataType& a, const DataType& b, Promote promote) {
  ARROW_ASSIGN_OR_RAISE(auto item, MergeFields(*a.field(0), *b.field(0), promote));
  switch (a.id()) {
    case Type::LIST:
      return arrow::list(std::move(item));
    case Type::LARGE_LIST:
      return arrow::large_list(std::move(item));
    case Type::LIST_VIEW:
      return arrow::list_view(std::move(item));
    case Type::LARGE_LIST_VIEW:
      return arrow::large_list_view(std::move(item));
    default: {
      const int32_t size = static_cast<const arrow::FixedSizeListType&>(a).list_size();
      if (size != static_cast<const arrow::FixedSizeListType&>(b).list_size())
        return NoCommonType(a, b);
      return arrow::fixed_size_list(std::move(item), size);
    }
  }
}

Result<TypePtr> MergeMaps(const DataType& a, const DataType& b, Promote promote) {
  const auto& x = static_cast<const arrow::MapType&>(a);
  const auto& y = static_cast<const arrow::MapType&>(b);
  ARROW_ASSIGN_OR_RAISE(auto key, MergeFields(*x.key_field(), *y.key_field(), promote));
  ARROW_ASSIGN_OR_RAISE(auto item, MergeFields(*x.item_field(), *y.item_field(), promote));
  return std::make_shared<arrow::MapType>(key->WithNullable(false), std::move(item),
                                          x.keys_sorted() && y.keys_sorted());
}

}  // namespace

Result<TypePtr> MergeTypes(const TypePtr& a, const TypePtr& b, Promote promote) {
  if (a->Equals(*b)) return a;
  if (a->id() == Type::NA) return b;
  if (b->id() == Type::NA) return a;
  if (a->id() == b->id()) {
    switch (a->id()) {
      case Type::STRUCT:
        return MergeStructs(*a, *b, promote);
      case Type::LIST:
      case Type::LARGE_LIST:
      case Type::LIST_VIEW:
      case Type::LARGE_LIST_VIEW:
      case Type::FIXED_SIZE_LIST:
        return MergeLists(*a, *b, promote);
      case Type::MAP:
        return MergeMaps(*a, *b, promote);
      default:
        break;
    }
  }
  if (a->id() == Type::DICTIONARY || b->id() == Type::DICTIONARY) {
    auto values = [](const TypePtr& type) {
      return type->id() == Type::DICTIONARY
                 ? static_cast<const arrow::DictionaryType&>(*type).value_type()
                 : type;
    };
    return MergeTypes(values(a), values(b), promote);
  }
  if (TypePtr widened = WidenPlain(a, b, promote)) return widened;
  return NoCommonType(*a, *b);
}

}  // namespace shoal::schema
