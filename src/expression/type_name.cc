#include "expression/type_name.h"

#include <charconv>
#include <map>
#include <set>
#include <vector>

#include <arrow/util/checked_cast.h>

#include <shoal/filter.h>

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
      {"null", arrow::null()},
      // As Arrow prints them.
      {"date32[day]", arrow::date32()},
      {"date64[ms]", arrow::date64()},
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
      "` is no type; the types are bool, int8 ... int64, uint8 ... uint64, "
      "float16, "
      "float32, float64, string, large_string, string_view, binary, large_binary, date32, date64, "
      "timestamp[us], timestamp[us, tz=UTC], time32[s], time64[us], duration[s], decimal(p, s), "
      "list<T>, struct<a: T, b: U>, map<K, V>");
}

// The index of the first of `symbols` outside brackets and double quotes; npos: there is none.
size_t FindOutside(std::string_view text, std::string_view symbols) {
  int open = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (open == 0 && symbols.find(c) != std::string_view::npos) return i;
    if (c == '<' || c == '(' || c == '[') ++open;
    if (c == '>' || c == ')' || c == ']') --open;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = FindOutside(text, ",");
    parts.push_back(Trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

arrow::Result<TypePointer> ParseType(std::string_view text, int depth);

// `a: int64`, `"odd, name": string not null`.
arrow::Result<std::shared_ptr<arrow::Field>> ParseField(std::string_view text, int depth) {
  const size_t colon = FindOutside(text, ":");
  std::string_view name = Trim(text.substr(0, colon));
  if (colon == std::string_view::npos || name.empty()) {
    return Status::Invalid("`", text,
                           "` is no column: write a name, a colon and a type, as in a: int64");
  }
  std::string plain(name);
  if (name.front() == '"') {
    if (name.size() < 2 || name.back() != '"') {
      return Status::Invalid("`", name, "` is no name: a double quote is not closed");
    }
    plain.clear();
    for (size_t i = 1; i + 1 < name.size(); ++i) {
      plain += name[i];
      if (name[i] == '"') ++i;  // doubled
    }
  }
  std::string_view type = Trim(text.substr(colon + 1));
  constexpr std::string_view kNotNull = " not null";
  const bool not_null = type.size() > kNotNull.size() &&
                        Lower(type.substr(type.size() - kNotNull.size())) == kNotNull;
  if (not_null) type.remove_suffix(kNotNull.size());
  auto parsed = ParseType(type, depth);
  if (!parsed.ok()) {
    return parsed.status().WithMessage("column '", plain, "': ", parsed.status().message());
  }
  return arrow::field(std::move(plain), *std::move(parsed), !not_null);
}

arrow::Result<arrow::FieldVector> ParseFields(std::string_view text, int depth) {
  arrow::FieldVector fields;
  for (const std::string_view part : SplitAtCommas(text)) {
    ARROW_ASSIGN_OR_RAISE(auto field, ParseField(part, depth));
    fields.push_back(std::move(field));
  }
  return fields;
}

// A list's values: a type, or a field as Arrow prints them (`list<item: int64>`).
arrow::Result<std::shared_ptr<arrow::Field>> ParseItem(std::string_view text, int depth) {
  if (FindOutside(text, ":") != std::string_view::npos) return ParseField(text, depth);
  ARROW_ASSIGN_OR_RAISE(auto type, ParseType(text, depth));
  return arrow::field("item", std::move(type));
}

// `name<...>`; nullptr: it is no such type.
arrow::Result<TypePointer> ParseNested(std::string_view text, int depth) {
  const size_t open = text.find('<');
  const size_t close = text.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return nullptr;
  }
  const std::string name = Lower(Trim(text.substr(0, open)));
  const std::string_view inner = Trim(text.substr(open + 1, close - open - 1));
  const std::string_view rest = Trim(text.substr(close + 1));
  if (name == "fixed_size_list" && rest.size() > 2 && rest.front() == '[' && rest.back() == ']') {
    int32_t length = 0;
    if (!ParseInt32(rest.substr(1, rest.size() - 2), &length) || length < 0) return nullptr;
    ARROW_ASSIGN_OR_RAISE(auto item, ParseItem(inner, depth));
    return arrow::fixed_size_list(std::move(item), length);
  }
  if (!rest.empty()) return nullptr;
  if (name == "struct") {
    if (inner.empty()) return arrow::struct_({});
    ARROW_ASSIGN_OR_RAISE(auto fields, ParseFields(inner, depth));
    return arrow::struct_(std::move(fields));
  }
  if (name == "list" || name == "large_list") {
    ARROW_ASSIGN_OR_RAISE(auto item, ParseItem(inner, depth));
    return name == "list" ? arrow::list(std::move(item)) : arrow::large_list(std::move(item));
  }
  const std::vector<std::string_view> parts = SplitAtCommas(inner);
  if (name == "map" && parts.size() == 2) {
    ARROW_ASSIGN_OR_RAISE(auto key, ParseType(parts[0], depth));
    ARROW_ASSIGN_OR_RAISE(auto item, ParseType(parts[1], depth));
    return arrow::map(std::move(key), std::move(item));
  }
  if (name == "dictionary" && parts.size() >= 2) {
    TypePointer values, indices;
    bool ordered = false;
    for (const std::string_view part : parts) {
      const size_t equals = part.find('=');
      const std::string_view key = part.substr(0, equals);
      if (equals == std::string_view::npos) return nullptr;
      const std::string_view value = part.substr(equals + 1);
      if (key == "values") {
        ARROW_ASSIGN_OR_RAISE(values, ParseType(value, depth));
      } else if (key == "indices") {
        ARROW_ASSIGN_OR_RAISE(indices, ParseType(value, depth));
      } else if (key == "ordered") {
        ordered = value == "1";
      } else {
        return nullptr;
      }
    }
    if (!values || !indices) return nullptr;
    return arrow::DictionaryType::Make(std::move(indices), std::move(values), ordered);
  }
  return nullptr;
}

arrow::Result<TypePointer> ParseType(std::string_view text, int depth) {
  constexpr int kMaxDepth = 64;
  if (depth >= kMaxDepth) {
    return Status::Invalid("A type is nested more than ", kMaxDepth, " deep; write it flatter");
  }
  text = Trim(text);
  ARROW_ASSIGN_OR_RAISE(TypePointer nested, ParseNested(text, depth + 1));
  if (nested) return nested;
  Pieces pieces = TakeApart(text);
  if (auto plain = PlainTypes().find(Lower(text)); plain != PlainTypes().end()) {
    return plain->second;
  }
  if (pieces.parameters.empty()) return Unknown(text);
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

}  // namespace

arrow::Result<TypePointer> ParseTypeName(std::string_view text) { return ParseType(text, 0); }

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
    default: {
      // Nested types as Arrow writes them, where that says all of it.
      std::string text = type.ToString();
      auto parsed = ParseTypeName(text);
      return parsed.ok() && (*parsed)->Equals(type, /*check_metadata=*/true) ? text : "";
    }
  }
}

}  // namespace shoal::expression

namespace shoal {

arrow::Result<std::shared_ptr<arrow::Schema>> ParseSchema(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) {
    return arrow::Status::Invalid("The schema is empty; write columns as in a: int64, b: string");
  }
  ARROW_ASSIGN_OR_RAISE(auto fields, expression::ParseFields(text, 0));
  std::set<std::string> names;
  for (const auto& field : fields) {
    if (!names.insert(field->name()).second) {
      return arrow::Status::Invalid("The schema names the column '", field->name(), "' twice");
    }
  }
  return arrow::schema(std::move(fields));
}

}  // namespace shoal
