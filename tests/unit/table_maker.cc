#include "table_maker.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>

#include "must.h"
#include "value_maker.h"

namespace shoal::oracle {
namespace {

using arrow::DataType;
using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using TypePtr = std::shared_ptr<DataType>;

// Types of leaves. Those that filters are most often about come more than once.
const std::vector<TypePtr>& LeafTypes() {
  using arrow::TimeUnit;
  static const std::vector<TypePtr> types = {
      arrow::int8(),
      arrow::int16(),
      arrow::int32(),
      arrow::int64(),
      arrow::int64(),
      arrow::uint8(),
      arrow::uint16(),
      arrow::uint32(),
      arrow::uint64(),
      arrow::float32(),
      arrow::float32(),
      arrow::float64(),
      arrow::float64(),
      arrow::float16(),
      arrow::null(),
      arrow::boolean(),
      arrow::utf8(),
      arrow::utf8(),
      arrow::dictionary(arrow::int32(), arrow::utf8()),
      arrow::dictionary(arrow::int32(), arrow::utf8()),
      arrow::dictionary(arrow::int8(), arrow::utf8()),
      arrow::dictionary(arrow::int32(), arrow::int64()),
      arrow::large_utf8(),
      arrow::utf8_view(),
      arrow::binary(),
      arrow::large_binary(),
      arrow::binary_view(),
      arrow::fixed_size_binary(3),
      arrow::date32(),
      arrow::date64(),
      arrow::timestamp(TimeUnit::SECOND),
      arrow::timestamp(TimeUnit::MILLI, "UTC"),
      arrow::timestamp(TimeUnit::MICRO),
      arrow::timestamp(TimeUnit::MICRO, "Europe/Paris"),
      arrow::timestamp(TimeUnit::NANO),
      arrow::time32(TimeUnit::SECOND),
      arrow::time32(TimeUnit::MILLI),
      arrow::time64(TimeUnit::MICRO),
      arrow::time64(TimeUnit::NANO),
      arrow::duration(TimeUnit::MILLI),
      arrow::duration(TimeUnit::NANO),
      arrow::decimal32(7, 2),
      arrow::decimal64(12, 3),
      arrow::decimal128(7, 2),
      arrow::decimal128(15, 3),
      arrow::decimal128(30, 4),
      arrow::decimal256(50, 5),
  };
  return types;
}

constexpr int kMaxDepth = 2;

std::shared_ptr<arrow::Field> RandomField(std::string name, TypePtr type, Random& random) {
  const bool nullable = random.Chance(0.85) || type->id() == Type::NA;
  return arrow::field(std::move(name), std::move(type), nullable);
}

TypePtr RandomType(Random& random, int depth = 0) {
  if (depth < kMaxDepth && random.Chance(0.12)) {
    arrow::FieldVector fields;
    const int64_t count = random.Between(1, 3);
    for (int64_t i = 0; i < count; ++i) {
      fields.push_back(RandomField(std::string(1, static_cast<char>('x' + i)),
                                   RandomType(random, depth + 1), random));
    }
    return arrow::struct_(std::move(fields));
  }
  if (depth < kMaxDepth && random.Chance(0.08)) {
    auto item = RandomType(random, depth + 1);
    switch (random.Below(5)) {
      case 0:
        return arrow::large_list(std::move(item));
      case 1:
        if (depth == 0) return arrow::fixed_size_list(std::move(item), 2);
        return arrow::list(std::move(item));
      case 2:
        return arrow::map(arrow::utf8(), std::move(item));
      default:
        return arrow::list(std::move(item));
    }
  }
  auto type = random.Pick(LeafTypes());
  // Arrow's writer can't write views inside of other types.
  while (depth > 0 && arrow::is_binary_view_like(type->id())) type = random.Pick(LeafTypes());
  return type;
}

// How the values of one column lie in one file.
struct Spread {
  int64_t centre;
  int64_t width;  // around the centre
  int64_t drift;  // of the centre, per hundred rows
  double null_rate;
  double special_rate;
};

Spread RandomSpread(Random& random) {
  return {random.Between(-40, 200), random.Pick<int64_t>({1, 1, 3, 20, 200}),
          random.Pick<int64_t>({0, 0, 10, 100}), random.Pick<double>({0, 0, 0, 0.02, 0.3, 0.9, 1}),
          random.Pick<double>({0, 0, 0.01, 0.2})};
}

ArrayPtr RandomArray(const TypePtr& type, int64_t rows, bool nullable, Random& random);

std::vector<bool> RandomValidity(int64_t rows, double null_rate, Random& random) {
  std::vector<bool> valid(rows);
  // Nulls come in runs as often as one by one.
  const bool runs = random.Chance(0.4);
  bool null = random.Chance(null_rate);
  for (int64_t i = 0; i < rows; ++i) {
    if (!runs || random.Chance(0.05)) null = random.Chance(null_rate);
    valid[i] = !null;
  }
  return valid;
}

std::shared_ptr<arrow::Buffer> Bitmap(const std::vector<bool>& valid) {
  arrow::TypedBufferBuilder<bool> builder;
  for (const bool bit : valid) Must(builder.Append(bit));
  return Must(builder.Finish());
}

ArrayPtr RandomStructs(const TypePtr& type, int64_t rows, const std::vector<bool>& valid,
                       Random& random) {
  arrow::ArrayVector children;
  for (const auto& field : type->fields()) {
    children.push_back(RandomArray(field->type(), rows, field->nullable(), random));
  }
  return std::make_shared<arrow::StructArray>(type, rows, std::move(children), Bitmap(valid));
}

ArrayPtr RandomDictionary(const TypePtr& type, int64_t rows, bool nullable, Random& random) {
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
  ArrayPtr plain;
  if (dictionary.index_type()->id() == Type::INT8) {
    // Few values, the same in all files: together they must have room in the narrow indices.
    auto builder = Must(arrow::MakeBuilder(dictionary.value_type()));
    for (int64_t i = 0; i < rows; ++i) {
      const bool null = nullable && random.Chance(0.1);
      Must(null ? builder->AppendNull()
                : builder->AppendScalar(*ValueNumber(dictionary.value_type(), random.Below(30))));
    }
    plain = Must(builder->Finish());
  } else {
    plain = RandomArray(dictionary.value_type(), rows, nullable, random);
  }
  const ArrayPtr encoded = Must(arrow::compute::DictionaryEncode(plain)).make_array();
  const auto& values = static_cast<const arrow::DictionaryArray&>(*encoded);
  auto indices = Must(arrow::compute::Cast(*values.indices(), dictionary.index_type()));
  return Must(arrow::DictionaryArray::FromArrays(type, indices, values.dictionary()));
}

template <typename Offset>
ArrayPtr RandomLists(const TypePtr& type, int64_t rows, const std::vector<bool>& valid,
                     Random& random) {
  arrow::TypedBufferBuilder<Offset> offsets;
  Offset total = 0;
  for (int64_t i = 0; i < rows; ++i) {
    Must(offsets.Append(total));
    if (valid[i]) total += static_cast<Offset>(random.Below(4));
  }
  Must(offsets.Append(total));
  const auto& item = type->field(0);
  auto items = RandomArray(item->type(), total, item->nullable(), random);
  auto data =
      arrow::ArrayData::Make(type, rows, {Bitmap(valid), Must(offsets.Finish())}, {items->data()});
  return arrow::MakeArray(std::move(data));
}

ArrayPtr RandomFixedSizeLists(const TypePtr& type, int64_t rows, const std::vector<bool>& valid,
                              Random& random) {
  const int size = static_cast<const arrow::FixedSizeListType&>(*type).list_size();
  auto items = RandomArray(type->field(0)->type(), rows * size, true, random);
  return std::make_shared<arrow::FixedSizeListArray>(type, rows, std::move(items), Bitmap(valid));
}

ArrayPtr RandomArray(const TypePtr& type, int64_t rows, bool nullable, Random& random) {
  const Spread spread = RandomSpread(random);
  const auto valid = RandomValidity(rows, nullable ? spread.null_rate : 0, random);
  switch (type->id()) {
    case Type::STRUCT:
      return RandomStructs(type, rows, valid, random);
    case Type::LIST:
    case Type::MAP:
      return RandomLists<int32_t>(type, rows, valid, random);
    case Type::LARGE_LIST:
      return RandomLists<int64_t>(type, rows, valid, random);
    case Type::FIXED_SIZE_LIST:
      return RandomFixedSizeLists(type, rows, valid, random);
    case Type::DICTIONARY:
      return RandomDictionary(type, rows, nullable, random);
    case Type::NA:
      return std::make_shared<arrow::NullArray>(rows);
    default:
      break;
  }
  auto builder = Must(arrow::MakeBuilder(type));
  for (int64_t i = 0; i < rows; ++i) {
    if (!valid[i]) {
      Must(builder->AppendNull());
      continue;
    }
    const bool special = random.Chance(spread.special_rate);
    const int64_t n = spread.centre + spread.drift * i / 100 + random.Below(spread.width);
    Must(builder->AppendScalar(special ? *SpecialValue(type, random) : *ValueNumber(type, n)));
  }
  return Must(builder->Finish());
}

}  // namespace

std::shared_ptr<arrow::Schema> RandomSchema(Random& random) {
  arrow::FieldVector fields;
  const int64_t count = random.Between(2, 7);
  for (int64_t i = 0; i < count; ++i) {
    // Every now and then a name that needs quotes.
    const std::string name = random.Chance(0.9) ? "c"
                                                : random.Pick<std::string>({"Two words ", "a.b",
                                                                            "gr\xC3\xB6\xC3\x9F"
                                                                            "e",
                                                                            "\"q\"", "in-"});
    fields.push_back(RandomField(name + std::to_string(i), RandomType(random), random));
  }
  return arrow::schema(std::move(fields));
}

std::shared_ptr<arrow::Table> RandomTable(const std::shared_ptr<arrow::Schema>& schema,
                                          int64_t rows, Random& random) {
  arrow::ArrayVector columns;
  for (const auto& field : schema->fields()) {
    columns.push_back(RandomArray(field->type(), rows, field->nullable(), random));
  }
  return arrow::Table::Make(schema, std::move(columns), rows);
}

}  // namespace shoal::oracle
