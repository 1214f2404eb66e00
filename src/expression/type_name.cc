#include "expression/type_name.h"

#include <charconv>
#include <map>
#include <vector>

#include <arrow/util/checked_cast.h>

namespace shoal::expression {
namespace {

using arrow::Status;
using arrow::TimeUnit;
using TypePointer = std::shared_ptr<arrow::DataType>;

const std::map<std::string, TypePointer, std::less<>>& PlainTypes() {
  static const std::map<std::string, TypePointer, std::less<>> types = {
      {"bool", arrow::boolean()},
      {"boolean", arrow::boolean()},
      {"int8", arrow::int8()},
      {"int16", arrow::int16()},
      {"int32", arrow::int32()},
      {"int64", arrow::int64()},
      {"int", arrow::int32()},
      {"bigint", arrow::int64()},
      {"uint8", arrow::uint8()},
      {"uint16", arrow::uint16()},
      {"uint32", arrow::uint32()},
      {"uint64", arrow::uint64()},
      {"halffloat", arrow::float16()},
      {"float16", arrow::float16()},
      {"float", arrow::float32()},
      {"float32", arrow::float32()},
      {"double", arrow::float64()},
      {"float64", arrow::float64()},
      {"string", arrow::utf8()},
      {"utf8", arrow::utf8()},
      {"text", arrow::utf8()},
      {"varchar", arrow::utf8()},
      {"large_string", arrow::large_utf8()},
      {"string_view", arrow::utf8_view()},
      {"binary", arrow::binary()},
      {"large_binary", arrow::large_binary()},
      {"binary_view", arrow::binary_view()},
      {"date", arrow::date32()},
      {"date32", arrow::date32()},
      {"date64", arrow::date64()},
      {"timestamp", arrow::timestamp(TimeUnit::MICRO)},
      {"time", arrow::time64(TimeUnit::MICRO)},
  };
  return types;
}

// `name(12, 3)` or `name[us, tz=UTC]`, taken apart.
struct Pieces {
  std::string name;
  std::vector<std::string> parameters;
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Pieces TakeApart(std::string_view text) {
  Pieces pieces;
  text = Trim(text);
  size_t open = text.find_first_of("[(");
  if (open == std::string_view::npos || (text.back() != ']' && text.back() != ')')) {
    pieces.name = Lower(text);
    return pieces;
  }
  pieces.name = Lower(Trim(text.substr(0, open)));
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (true) {
    size_t comma = rest.find(',');
    pieces.parameters.emplace_back(Trim(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return pieces;
}

bool ParseUnit(std::string_view text, TimeUnit::type* unit) {
  std::string lower = Lower(text);
  if (lower == "s") {
    *unit = TimeUnit::SECOND;
  } else if (lower == "ms") {
    *unit = TimeUnit::MILLI;
  } else if (lower == "us") {
    *unit = TimeUnit::MICRO;
  } else if (lower == "ns") {
    *unit = TimeUnit::NANO;
  } else {
    return false;
  }
  return true;
}

bool ParseInt32(std::string_view text, int32_t* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

const char* UnitName(TimeUnit::type unit) {
  switch (unit) {
    case TimeUnit::SECOND:
      return "s";
    case TimeUnit::MILLI:
      return "ms";
    case TimeUnit::MICRO:
      return "us";
    case TimeUnit::NANO:
      return "ns";
  }
  return "";
}

Status Unknown(std::string_view text) {
  return Status::Invalid(
      "`", text,
      "` is no type of this grammar; the types are bool, int8 ... int64, uint8 ... uint64, "
      "float16, "
      "float32, float64, string, large_string, string_view, binary, large_binary, date32, date64, "
      "timestamp[us], timestamp[us, tz=UTC], time32[s], time64[us], duration[s], decimal(p, s)");
}

}  // namespace

arrow::Result<TypePointer> ParseTypeName(std::string_view text) {
  Pieces pieces = TakeApart(text);
  if (pieces.parameters.empty()) {
    auto plain = PlainTypes().find(pieces.name);
    if (plain == PlainTypes().end()) return Unknown(text);
    return plain->second;
  }
  const std::vector<std::string>& parameters = pieces.parameters;
  TimeUnit::type unit;
  if (pieces.name == "timestamp" && ParseUnit(parameters[0], &unit)) {
    if (parameters.size() == 1) return arrow::timestamp(unit);
    if (parameters.size() == 2) {
      std::string_view zone = parameters[1];
      if (zone.substr(0, 3) == "tz=")
        return arrow::timestamp(unit, std::string(Trim(zone.substr(3))));
    }
    return Unknown(text);
  }
  if (parameters.size() == 1 && ParseUnit(parameters[0], &unit)) {
    bool coarse = unit == TimeUnit::SECOND || unit == TimeUnit::MILLI;
    if (pieces.name == "duration") return arrow::duration(unit);
    if (pieces.name == "time") return coarse ? arrow::time32(unit) : arrow::time64(unit);
    if (pieces.name == "time32" && coarse) return arrow::time32(unit);
    if (pieces.name == "time64" && !coarse) return arrow::time64(unit);
    return Unknown(text);
  }
  int32_t precision = 0;
  int32_t scale = 0;
  if (!ParseInt32(parameters[0], &precision)) return Unknown(text);
  if (parameters.size() == 2 && !ParseInt32(parameters[1], &scale)) return Unknown(text);
  if (parameters.size() > 2) return Unknown(text);
  if (pieces.name == "decimal" || pieces.name == "numeric") {
    if (precision <= arrow::Decimal128Type::kMaxPrecision)
      return arrow::Decimal128Type::Make(precision, scale);
    return arrow::Decimal256Type::Make(precision, scale);
  }
  if (pieces.name == "decimal32") return arrow::Decimal32Type::Make(precision, scale);
  if (pieces.name == "decimal64") return arrow::Decimal64Type::Make(precision, scale);
  if (pieces.name == "decimal128") return arrow::Decimal128Type::Make(precision, scale);
  if (pieces.name == "decimal256") return arrow::Decimal256Type::Make(precision, scale);
  if (pieces.name == "fixed_size_binary" && parameters.size() == 1 && precision >= 0) {
    return arrow::fixed_size_binary(precision);
  }
  return Unknown(text);
}

std::string TypeName(const arrow::DataType& type) {
  using arrow::internal::checked_cast;
  auto with_unit = [](const char* name, TimeUnit::type unit) {
    return std::string(name) + "[" + UnitName(unit) + "]";
  };
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "bool";
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return type.name() == "utf8"         ? "string"
             : type.name() == "large_utf8" ? "large_string"
             : type.name() == "utf8_view"  ? "string_view"
                                           : type.name();
    case arrow::Type::HALF_FLOAT:
      return "float16";
    case arrow::Type::FLOAT:
      return "float32";
    case arrow::Type::DOUBLE:
      return "float64";
    case arrow::Type::DATE32:
      return "date32";
    case arrow::Type::DATE64:
      return "date64";
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = checked_cast<const arrow::TimestampType&>(type);
      if (timestamp.timezone().empty()) return with_unit("timestamp", timestamp.unit());
      return std::string("timestamp[") + UnitName(timestamp.unit()) +
             ", tz=" + timestamp.timezone() + "]";
    }
    case arrow::Type::TIME32:
      return with_unit("time32", checked_cast<const arrow::TimeType&>(type).unit());
    case arrow::Type::TIME64:
      return with_unit("time64", checked_cast<const arrow::TimeType&>(type).unit());
    case arrow::Type::DURATION:
      return with_unit("duration", checked_cast<const arrow::DurationType&>(type).unit());
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = checked_cast<const arrow::DecimalType&>(type);
      return type.name() + "(" + std::to_string(decimal.precision()) + ", " +
             std::to_string(decimal.scale()) + ")";
    }
    case arrow::Type::FIXED_SIZE_BINARY:
      return "fixed_size_binary(" +
             std::to_string(checked_cast<const arrow::FixedSizeBinaryType&>(type).byte_width()) +
             ")";
    default:
      return "";
  }
}

}  // namespace shoal::expression
