#include "json_text.h"

#include <charconv>
#include <cmath>
#include <set>

#include <arrow/extension_type.h>
#include <arrow/util/base64.h>
#include <arrow/util/float16.h>
#include <arrow/util/ree_util.h>
#include <arrow/util/utf8.h>

#include "temporal_text.h"

namespace shoal::cli {

namespace {

using arrow::Array;
using arrow::Status;
using arrow::Type;

constexpr int64_t kMillisecondsPerDay = 86400000;

template <typename T>
const T& As(const Array& array) {
  return static_cast<const T&>(array);
}

template <typename ArrayType>
void AppendInteger(const Array& array, int64_t i, std::string* out) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof(text), As<ArrayType>(array).Value(i)).ptr;
  out->append(text, end);
}

/// The shortest digits that read back as the same value. It looks like a float, so that readers
/// which infer types see one. JSON has no NaN or infinity: they are strings.
template <typename Float>
void AppendFloat(Float value, std::string* out) {
  if (std::isnan(value)) {
    *out += R"("NaN")";
  } else if (std::isinf(value)) {
    *out += value > 0 ? R"("Infinity")" : R"("-Infinity")";
  } else {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    const std::string_view digits(text, end - text);
    *out += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";
  }
}

void AppendDate64(int64_t milliseconds, std::string* out) {
  if (milliseconds % kMillisecondsPerDay == 0) {
    AppendDate(milliseconds / kMillisecondsPerDay, out);
  } else {
    AppendTimestamp(milliseconds, arrow::TimeUnit::MILLI, false, out);
  }
}

/// Types whose JSON is a string that needs no escaping.
bool AppendBareText(const Array& array, int64_t i, std::string* out) {
  const arrow::DataType& type = *array.type();
  switch (type.id()) {
    case Type::DATE32:
      AppendDate(As<arrow::Date32Array>(array).Value(i), out);
      return true;
    case Type::DATE64:
      AppendDate64(As<arrow::Date64Array>(array).Value(i), out);
      return true;
    case Type::TIME32:
      AppendTimeOfDay(As<arrow::Time32Array>(array).Value(i),
                      static_cast<const arrow::Time32Type&>(type).unit(), out);
      return true;
    case Type::TIME64:
      AppendTimeOfDay(As<arrow::Time64Array>(array).Value(i),
                      static_cast<const arrow::Time64Type&>(type).unit(), out);
      return true;
    case Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      AppendTimestamp(As<arrow::TimestampArray>(array).Value(i), timestamp.unit(),
                      !timestamp.timezone().empty(), out);
      return true;
    }
    case Type::DECIMAL32:
      *out += As<arrow::Decimal32Array>(array).FormatValue(i);
      return true;
    case Type::DECIMAL64:
      *out += As<arrow::Decimal64Array>(array).FormatValue(i);
      return true;
    case Type::DECIMAL128:
      *out += As<arrow::Decimal128Array>(array).FormatValue(i);
      return true;
    case Type::DECIMAL256:
      *out += As<arrow::Decimal256Array>(array).FormatValue(i);
      return true;
    case Type::BINARY:
      *out += arrow::util::base64_encode(As<arrow::BinaryArray>(array).GetView(i));
      return true;
    case Type::LARGE_BINARY:
      *out += arrow::util::base64_encode(As<arrow::LargeBinaryArray>(array).GetView(i));
      return true;
    case Type::BINARY_VIEW:
      *out += arrow::util::base64_encode(As<arrow::BinaryViewArray>(array).GetView(i));
      return true;
    case Type::FIXED_SIZE_BINARY:
      *out += arrow::util::base64_encode(As<arrow::FixedSizeBinaryArray>(array).GetView(i));
      return true;
    default:
      return false;
  }
}

bool TextOf(const Array& array, int64_t i, std::string_view* text) {
  switch (array.type_id()) {
    case Type::STRING:
      *text = As<arrow::StringArray>(array).GetView(i);
      return true;
    case Type::LARGE_STRING:
      *text = As<arrow::LargeStringArray>(array).GetView(i);
      return true;
    case Type::STRING_VIEW:
      *text = As<arrow::StringViewArray>(array).GetView(i);
      return true;
    default:
      return false;
  }
}

Status AppendList(const Array& values, int64_t begin, int64_t length, std::string* out) {
  *out += '[';
  for (int64_t j = begin; j < begin + length; ++j) {
    if (j > begin) *out += ',';
    ARROW_RETURN_NOT_OK(AppendJson(values, j, out));
  }
  *out += ']';
  return Status::OK();
}

template <typename ListArray>
Status AppendList(const Array& array, int64_t i, std::string* out) {
  const auto& list = As<ListArray>(array);
  return AppendList(*list.values(), list.value_offset(i), list.value_length(i), out);
}

Status AppendMap(const arrow::MapArray& map, int64_t i, std::string* out) {
  *out += '[';
  const int64_t begin = map.value_offset(i);
  for (int64_t j = begin; j < begin + map.value_length(i); ++j) {
    *out += j > begin ? R"(,{"key":)" : R"({"key":)";
    ARROW_RETURN_NOT_OK(AppendJson(*map.keys(), j, out));
    *out += R"(,"value":)";
    ARROW_RETURN_NOT_OK(AppendJson(*map.items(), j, out));
    *out += '}';
  }
  *out += ']';
  return Status::OK();
}

Status AppendStruct(const arrow::StructArray& array, int64_t i, std::string* out) {
  *out += '{';
  for (int f = 0; f < array.num_fields(); ++f) {
    if (f > 0) *out += ',';
    AppendJsonString(array.struct_type()->field(f)->name(), out);
    *out += ':';
    ARROW_RETURN_NOT_OK(AppendJson(*array.field(f), i, out));
  }
  *out += '}';
  return Status::OK();
}

void AppendDuration(const arrow::DurationArray& array, int64_t i, std::string* out) {
  *out += R"({"value":)";
  AppendInteger<arrow::DurationArray>(array, i, out);
  *out += R"(,"unit":")";
  *out += UnitName(static_cast<const arrow::DurationType&>(*array.type()).unit());
  *out += R"("})";
}

void AppendInterval(const Array& array, int64_t i, std::string* out) {
  if (array.type_id() == Type::INTERVAL_MONTHS) {
    *out += R"({"months":)" + std::to_string(As<arrow::MonthIntervalArray>(array).Value(i)) + "}";
  } else if (array.type_id() == Type::INTERVAL_DAY_TIME) {
    const auto value = As<arrow::DayTimeIntervalArray>(array).GetValue(i);
    *out += R"({"days":)" + std::to_string(value.days) + R"(,"milliseconds":)" +
            std::to_string(value.milliseconds) + "}";
  } else {
    const auto value = As<arrow::MonthDayNanoIntervalArray>(array).GetValue(i);
    *out += R"({"months":)" + std::to_string(value.months) + R"(,"days":)" +
            std::to_string(value.days) + R"(,"nanoseconds":)" + std::to_string(value.nanoseconds) +
            "}";
  }
}

void AppendEscapedControl(char c, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '\n':
      *out += "\\n";
      break;
    case '\r':
      *out += "\\r";
      break;
    case '\t':
      *out += "\\t";
      break;
    default:
      *out += "\\u00";
      *out += kHex[static_cast<unsigned char>(c) / 16];
      *out += kHex[static_cast<unsigned char>(c) % 16];
  }
}

}  // namespace

void AppendEscaped(std::string_view text, std::string* out) {
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out->append(text, begin, i - begin);
    begin = i + 1;
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else {
      AppendEscapedControl(c, out);
    }
  }
  out->append(text, begin);
}

void AppendVisible(std::string_view text, std::string* out) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      AppendEscapedControl(c, out);
    } else {
      *out += c;
    }
  }
}

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  AppendEscaped(text, out);
  *out += '"';
}

Status CheckJsonType(const std::string& column, const arrow::DataType& type) {
  if (type.id() == Type::EXTENSION) {
    return CheckJsonType(column, *static_cast<const arrow::ExtensionType&>(type).storage_type());
  }
  if (type.id() == Type::DICTIONARY) {
    return CheckJsonType(column, *static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  std::set<std::string> names;
  for (const auto& field : type.fields()) {
    if (type.id() == Type::STRUCT && !names.insert(field->name()).second) {
      return Status::Invalid("Column '", column, "' has a struct with two fields named '",
                             field->name(),
                             "', which a JSON object can't hold; write it with --to arrow");
    }
    ARROW_RETURN_NOT_OK(CheckJsonType(column, *field->type()));
  }
  return Status::OK();
}

Status AppendJson(const Array& array, int64_t i, std::string* out) {
  if (array.IsNull(i)) {
    *out += "null";
    return Status::OK();
  }
  if (std::string_view text; TextOf(array, i, &text)) {
    if (!arrow::util::ValidateUTF8(text)) {
      return Status::Invalid("holds text that is not UTF-8, which JSON can't hold");
    }
    AppendJsonString(text, out);
    return Status::OK();
  }
  switch (array.type_id()) {
    case Type::NA:
      *out += "null";
      return Status::OK();
    case Type::BOOL:
      *out += As<arrow::BooleanArray>(array).Value(i) ? "true" : "false";
      return Status::OK();
    case Type::INT8:
      AppendInteger<arrow::Int8Array>(array, i, out);
      return Status::OK();
    case Type::INT16:
      AppendInteger<arrow::Int16Array>(array, i, out);
      return Status::OK();
    case Type::INT32:
      AppendInteger<arrow::Int32Array>(array, i, out);
      return Status::OK();
    case Type::INT64:
      AppendInteger<arrow::Int64Array>(array, i, out);
      return Status::OK();
    case Type::UINT8:
      AppendInteger<arrow::UInt8Array>(array, i, out);
      return Status::OK();
    case Type::UINT16:
      AppendInteger<arrow::UInt16Array>(array, i, out);
      return Status::OK();
    case Type::UINT32:
      AppendInteger<arrow::UInt32Array>(array, i, out);
      return Status::OK();
    case Type::UINT64:
      AppendInteger<arrow::UInt64Array>(array, i, out);
      return Status::OK();
    case Type::HALF_FLOAT:
      AppendFloat(
          arrow::util::Float16::FromBits(As<arrow::HalfFloatArray>(array).Value(i)).ToFloat(), out);
      return Status::OK();
    case Type::FLOAT:
      AppendFloat(As<arrow::FloatArray>(array).Value(i), out);
      return Status::OK();
    case Type::DOUBLE:
      AppendFloat(As<arrow::DoubleArray>(array).Value(i), out);
      return Status::OK();
    case Type::DURATION:
      AppendDuration(As<arrow::DurationArray>(array), i, out);
      return Status::OK();
    case Type::INTERVAL_MONTHS:
    case Type::INTERVAL_DAY_TIME:
    case Type::INTERVAL_MONTH_DAY_NANO:
      AppendInterval(array, i, out);
      return Status::OK();
    case Type::LIST:
      return AppendList<arrow::ListArray>(array, i, out);
    case Type::LARGE_LIST:
      return AppendList<arrow::LargeListArray>(array, i, out);
    case Type::LIST_VIEW:
      return AppendList<arrow::ListViewArray>(array, i, out);
    case Type::LARGE_LIST_VIEW:
      return AppendList<arrow::LargeListViewArray>(array, i, out);
    case Type::FIXED_SIZE_LIST: {
      const auto& list = As<arrow::FixedSizeListArray>(array);
      return AppendList(*list.values(), list.value_offset(i), list.value_length(i), out);
    }
    case Type::MAP:
      return AppendMap(As<arrow::MapArray>(array), i, out);
    case Type::STRUCT:
      return AppendStruct(As<arrow::StructArray>(array), i, out);
    case Type::SPARSE_UNION: {
      const auto& all = As<arrow::SparseUnionArray>(array);
      return AppendJson(*all.field(all.child_id(i)), i, out);
    }
    case Type::DENSE_UNION: {
      const auto& all = As<arrow::DenseUnionArray>(array);
      return AppendJson(*all.field(all.child_id(i)), all.value_offset(i), out);
    }
    case Type::DICTIONARY: {
      const auto& encoded = As<arrow::DictionaryArray>(array);
      return AppendJson(*encoded.dictionary(), encoded.GetValueIndex(i), out);
    }
    case Type::RUN_END_ENCODED: {
      const int64_t run = arrow::ree_util::FindPhysicalIndex(*array.data(), i, array.offset());
      return AppendJson(*As<arrow::RunEndEncodedArray>(array).values(), run, out);
    }
    case Type::EXTENSION:
      return AppendJson(*As<arrow::ExtensionArray>(array).storage(), i, out);
    default:
      *out += '"';
      if (!AppendBareText(array, i, out)) {
        return Status::NotImplemented("has type ", array.type()->ToString(),
                                      ", which can't be shown");
      }
      *out += '"';
      return Status::OK();
  }
}

Status AppendPlain(const Array& array, int64_t i, std::string* out) {
  if (array.type_id() == Type::DICTIONARY && !array.IsNull(i)) {
    const auto& encoded = As<arrow::DictionaryArray>(array);
    return AppendPlain(*encoded.dictionary(), encoded.GetValueIndex(i), out);
  }
  if (array.type_id() == Type::EXTENSION) {
    return AppendPlain(*As<arrow::ExtensionArray>(array).storage(), i, out);
  }
  if (!array.IsNull(i)) {
    if (std::string_view text; TextOf(array, i, &text)) {
      AppendVisible(text, out);
      return Status::OK();
    }
    if (AppendBareText(array, i, out)) return Status::OK();
    if (array.type_id() == Type::DURATION) {
      AppendInteger<arrow::DurationArray>(array, i, out);
      *out += UnitName(static_cast<const arrow::DurationType&>(*array.type()).unit());
      return Status::OK();
    }
  }
  const size_t begin = out->size();
  ARROW_RETURN_NOT_OK(AppendJson(array, i, out));
  // NaN and the infinities are strings in JSON only.
  if (arrow::is_floating(array.type_id()) && (*out)[begin] == '"') {
    out->pop_back();
    out->erase(begin, 1);
  }
  return Status::OK();
}

}  // namespace shoal::cli
