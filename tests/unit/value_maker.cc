#include "value_maker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>

#include "must.h"

namespace shoal::oracle {
namespace {

using arrow::DataType;
using arrow::Type;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using TypePtr = std::shared_ptr<DataType>;

std::string TextNumber(int64_t n) {
  static const char* const kWords[] = {"ash",
                                       "beech",
                                       "cedar pine",
                                       "d'oak",
                                       "elm",
                                       "fir",
                                       "ginkgo",
                                       "\xC3\xA9pic\xC3\xA9"
                                       "a"};
  const int64_t word = ((n % 8) + 8) % 8;
  const int64_t block = (n - word) / 8;
  // Below zero, capital letters: they sort before the small ones.
  std::string text = block < 0 ? std::string(1, static_cast<char>('A' + (block + 26000) % 26))
                               : std::string(1, static_cast<char>('a' + block % 26));
  return text + kWords[word];
}

ScalarPtr Bytes(const TypePtr& type, std::string bytes) {
  if (type->id() == Type::FIXED_SIZE_BINARY) {
    bytes.resize(static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width(), 'f');
  }
  return Must(arrow::MakeScalar(type, arrow::Buffer::FromString(std::move(bytes))));
}

template <typename T>
T Clamped(int64_t n) {
  return static_cast<T>(
      std::clamp<int64_t>(n, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

bool IsText(const DataType& type) {
  return arrow::is_base_binary_like(type.id()) || arrow::is_binary_view_like(type.id()) ||
         type.id() == Type::FIXED_SIZE_BINARY;
}

bool IsUtf8(const DataType& type) {
  return arrow::is_string(type.id()) || type.id() == Type::STRING_VIEW;
}

ScalarPtr DecimalNumber(const TypePtr& type, int64_t n) {
  switch (type->id()) {
    case Type::DECIMAL32:
      return std::make_shared<arrow::Decimal32Scalar>(arrow::Decimal32(static_cast<int32_t>(n)),
                                                      type);
    case Type::DECIMAL64:
      return std::make_shared<arrow::Decimal64Scalar>(arrow::Decimal64(n), type);
    case Type::DECIMAL128:
      return std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(n), type);
    default:
      return std::make_shared<arrow::Decimal256Scalar>(arrow::Decimal256(n), type);
  }
}

ScalarPtr HalfFloat(float value) {
  return std::make_shared<arrow::HalfFloatScalar>(arrow::util::Float16(value));
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1000000;
    default:
      return 1000000000;
  }
}

}  // namespace

ScalarPtr ValueNumber(const TypePtr& type, int64_t n) {
  auto scalar = [&](auto value) { return Must(arrow::MakeScalar(type, value)); };
  // One step in 16 s with an odd tail, so that coarser units can't say every value.
  auto moment = [&](arrow::TimeUnit::type unit, int64_t origin) {
    const int64_t per_second = UnitsPerSecond(unit);
    return (origin + 16 * n) * per_second + (n % 3 == 0 ? 0 : 7 * per_second / 16);
  };
  switch (type->id()) {
    case Type::BOOL:
      return scalar(n % 2 != 0);
    case Type::INT8:
      return scalar(Clamped<int8_t>(n));
    case Type::INT16:
      return scalar(Clamped<int16_t>(n));
    case Type::INT32:
      return scalar(Clamped<int32_t>(n));
    case Type::INT64:
      return scalar(n * 3);
    case Type::UINT8:
      return scalar(Clamped<uint8_t>(n));
    case Type::UINT16:
      return scalar(Clamped<uint16_t>(n));
    case Type::UINT32:
      return scalar(Clamped<uint32_t>(n));
    case Type::UINT64:
      return scalar(static_cast<uint64_t>(std::max<int64_t>(n, 0)));
    case Type::HALF_FLOAT:
      return HalfFloat(static_cast<float>(n) * 0.25F);
    case Type::FLOAT:
      return scalar(static_cast<float>(n) * 0.1F);
    case Type::DOUBLE:
      return scalar(static_cast<double>(n) * 0.1);
    case Type::DATE32:
      return scalar(static_cast<int32_t>(19000 + n));
    case Type::DATE64:
      return scalar((19000 + n) * int64_t{86400000});
    case Type::TIMESTAMP:
      return scalar(moment(static_cast<const arrow::TimestampType&>(*type).unit(), 1700000000));
    case Type::DURATION:
      return scalar(moment(static_cast<const arrow::DurationType&>(*type).unit(), 0));
    case Type::TIME32:
    case Type::TIME64: {
      const auto unit = static_cast<const arrow::TimeType&>(*type).unit();
      const int64_t day = 86400 * UnitsPerSecond(unit);
      const int64_t time = ((moment(unit, 40000) % day) + day) % day;
      return type->id() == Type::TIME32 ? scalar(static_cast<int32_t>(time)) : scalar(time);
    }
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return DecimalNumber(type, std::clamp<int64_t>(n * 25, -9999999, 9999999));
    default:
      if (IsText(*type)) return Bytes(type, TextNumber(n));
      return arrow::MakeNullScalar(type);
  }
}

ScalarPtr SpecialValue(const TypePtr& type, Random& random) {
  auto scalar = [&](auto value) { return Must(arrow::MakeScalar(type, value)); };
  auto extreme = [&](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return scalar(random.Chance(0.5) ? Limits::min() : Limits::max());
  };
  switch (type->id()) {
    case Type::INT8:
      return extreme(int8_t{});
    case Type::INT16:
      return extreme(int16_t{});
    case Type::INT32:
      return extreme(int32_t{});
    case Type::INT64:
      return random.Chance(0.5) ? extreme(int64_t{}) : scalar((int64_t{1} << 53) + random.Below(4));
    case Type::UINT8:
      return extreme(uint8_t{});
    case Type::UINT16:
      return extreme(uint16_t{});
    case Type::UINT32:
      return extreme(uint32_t{});
    case Type::UINT64:
      return random.Chance(0.5) ? extreme(uint64_t{})
                                : scalar((uint64_t{1} << 63) + random.Below(3));
    case Type::HALF_FLOAT:
      return HalfFloat(random.Pick<float>({std::nanf(""), 0.0F, -0.0F, 65504.0F}));
    case Type::FLOAT: {
      const float inf = std::numeric_limits<float>::infinity();
      return scalar(random.Pick<float>({std::nanf(""), std::nanf(""), 0.0F, -0.0F, inf, -inf, 1e30F,
                                        std::numeric_limits<float>::denorm_min()}));
    }
    case Type::DOUBLE: {
      const double inf = std::numeric_limits<double>::infinity();
      return scalar(random.Pick<double>({std::nan(""), std::nan(""), 0.0, -0.0, inf, -inf, 0x1p63,
                                         0x1p53, 1e300, static_cast<double>(0.1F)}));
    }
    case Type::DATE32:
      return scalar(random.Pick<int32_t>({0, -1, -719162, 106751}));
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return DecimalNumber(type, random.Pick<int64_t>({0, -1, 9999999, -9999999}));
    default:
      break;
  }
  if (IsText(*type)) {
    static const std::vector<std::string> texts = {"",
                                                   " ",
                                                   "a",
                                                   "%",
                                                   "_",
                                                   "a%b",
                                                   "it's",
                                                   "\"q\"",
                                                   "null",
                                                   "\n",
                                                   "\\",
                                                   "NaN",
                                                   "\xC3\xA9",
                                                   "\xE6\x97\xA5\xE6\x9C\xAC",
                                                   "\x7F",
                                                   "007",
                                                   "1",
                                                   "2024-01-31",
                                                   std::string(70, 'z'),
                                                   std::string("a\0b", 3)};
    static const std::vector<std::string> bytes = {"\xFF", "\xFF\xFF\xFF",       "a\xFF",
                                                   "\x80", std::string(1, '\0'), "\xC3"};
    const bool any_bytes = !IsUtf8(*type) && random.Chance(0.5);
    return Bytes(type, random.Pick(any_bytes ? bytes : texts));
  }
  return ValueNumber(type, random.Pick<int64_t>({0, -1, 1, 1000000}));
}

}  // namespace shoal::oracle
