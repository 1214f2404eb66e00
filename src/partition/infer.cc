#include "partition/infer.h"

#include <charconv>
#include <string_view>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>
#include <arrow/util/value_parsing.h>

namespace shoal::partition {

namespace {

template <typename Int>
bool FormatsBack(std::string_view text) {
  Int value;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return false;
  char formatted[24];
  const auto end = std::to_chars(formatted, formatted + sizeof(formatted), value).ptr;
  return text == std::string_view(formatted, end - formatted);
}

template <typename Predicate>
bool AllValues(const KeyColumn& column, Predicate predicate) {
  bool any = false;
  for (const auto& value : column.distinct) {
    if (!value) continue;
    any = true;
    if (!predicate(*value)) return false;
  }
  return any;
}

// Decimal digits and a sign; leading zeros are fine where the type was declared.
template <typename Int>
bool ParseInteger(std::string_view text, Int* out) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

/// Appends a text to a builder of the type, if it fits.
struct TextReader {
  std::string_view text;
  std::shared_ptr<arrow::DataType> type;
  arrow::ArrayBuilder* builder;
  bool fits = false;

  template <typename T, typename Value>
  arrow::Status Append(const T&, const Value& value) {
    fits = true;
    return static_cast<typename arrow::TypeTraits<T>::BuilderType*>(builder)->Append(value);
  }

  template <typename T>
    requires arrow::is_integer_type<T>::value
  arrow::Status Visit(const T& integer) {
    typename T::c_type value;
    return ParseInteger(text, &value) ? Append(integer, value) : arrow::Status::OK();
  }

  arrow::Status Visit(const arrow::TimestampType& timestamp) {
    int64_t value;
    bool has_zone = false;
    if (!arrow::internal::ParseTimestampISO8601(text.data(), text.size(), timestamp.unit(), &value,
                                                &has_zone)) {
      return arrow::Status::OK();
    }
    // A text without a zone is no instant, and one with a zone is no wall-clock time.
    if (has_zone == timestamp.timezone().empty()) return arrow::Status::OK();
    return Append(timestamp, value);
  }

  template <typename T>
    requires arrow::is_decimal_type<T>::value
  arrow::Status Visit(const T& decimal) {
    auto whole = arrow::Decimal256::FromString(text);
    int32_t precision = 0, scale = 0;
    arrow::Decimal256 value;
    if (!whole.ok() || !arrow::Decimal256::FromString(text, &value, &precision, &scale).ok()) {
      return arrow::Status::OK();
    }
    auto exact = value.Rescale(scale, decimal.scale());  // fails where digits would be lost
    if (!exact.ok() || !exact->FitsInPrecision(decimal.precision())) return arrow::Status::OK();
    const auto wide =
        std::make_shared<arrow::Decimal256Scalar>(*exact, arrow::decimal256(76, decimal.scale()));
    return Cast(wide);
  }

  template <typename T>
    requires(arrow::is_base_binary_type<T>::value || arrow::is_binary_view_like_type<T>::value)
  arrow::Status Visit(const T& any_text) {
    return Append(any_text, text);
  }

  arrow::Status Visit(const arrow::NullType&) { return arrow::Status::OK(); }

  // All others: as Arrow reads them from text.
  arrow::Status Visit(const arrow::DataType&) { return Cast(arrow::MakeScalar(std::string(text))); }

  arrow::Status Cast(const std::shared_ptr<arrow::Scalar>& from) {
    auto cast = arrow::compute::Cast(arrow::Datum(from), type);
    if (cast.ok()) {
      fits = true;
      return builder->AppendScalar(*cast->scalar());
    }
    if (cast.status().IsNotImplemented() || cast.status().IsTypeError()) return cast.status();
    return arrow::Status::OK();
  }
};

/// Of types that Arrow reads from text: all values at once, which takes a fraction of the time.
/// nullptr where one of them does not fit, or the type has rules of its own.
arrow::Result<std::shared_ptr<arrow::Array>> ReadAtOnce(
    const KeyColumn& column, const std::shared_ptr<arrow::DataType>& type) {
  const auto id = type->id();
  if (!arrow::is_floating(id) && id != arrow::Type::BOOL && !arrow::is_date(id) &&
      !arrow::is_time(id)) {
    return nullptr;
  }
  arrow::StringBuilder texts;
  for (const auto& value : column.distinct)
    ARROW_RETURN_NOT_OK(value ? texts.Append(*value) : texts.AppendNull());
  ARROW_ASSIGN_OR_RAISE(auto array, texts.Finish());
  auto cast = arrow::compute::Cast(*array, type);
  return cast.ok() ? *std::move(cast) : nullptr;
}

std::string FirstPath(const KeyColumn& column, size_t value,
                      const std::function<std::string(int64_t row)>& path_of) {
  for (size_t row = 0; row < column.index.size(); ++row) {
    if (column.index[row] == static_cast<int32_t>(value)) return path_of(static_cast<int64_t>(row));
  }
  return {};
}

}  // namespace

std::shared_ptr<arrow::DataType> InferKeyType(const KeyColumn& column) {
  if (AllValues(column, FormatsBack<int32_t>)) return arrow::int32();
  if (AllValues(column, FormatsBack<int64_t>)) return arrow::int64();
  return arrow::utf8();
}

arrow::Result<TypedKeyColumn> TypedKeys(const KeyColumn& column,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        const std::function<std::string(int64_t row)>& path_of,
                                        bool inferred) {
  std::shared_ptr<arrow::DataType> value_type = type;
  if (type->id() == arrow::Type::DICTIONARY) {
    value_type = static_cast<const arrow::DictionaryType&>(*type).value_type();
  }
  TypedKeyColumn typed{column.name, nullptr, column.index};
  ARROW_ASSIGN_OR_RAISE(typed.values, ReadAtOnce(column, value_type));
  if (typed.values == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(value_type));
    const bool as_written = inferred && arrow::is_integer(value_type->id());
    for (size_t i = 0; i < column.distinct.size(); ++i) {
      if (!column.distinct[i]) {
        ARROW_RETURN_NOT_OK(builder->AppendNull());
        continue;
      }
      const std::string& text = *column.distinct[i];
      TextReader reader{text, value_type, builder.get()};
      const arrow::Status status = arrow::VisitTypeInline(*value_type, &reader);
      if (!status.ok()) {
        return arrow::Status::TypeError(
            "Key '", column.name, "' cannot have the type ", type->ToString(),
            "; declare it as text and cast it in the query. ", status.message());
      }
      if (!reader.fits) {
        return arrow::Status::Invalid("Key '", column.name, "' has the value '", text,
                                      "' in the path '", FirstPath(column, i, path_of),
                                      "', which is no ", value_type->ToString(),
                                      "; declare the key as string in the partitioning.");
      }
      if (int64_t value = 0; as_written && !FormatsBack<int64_t>(text)) {
        ParseInteger(text, &value);
        return arrow::Status::Invalid(
            "Key '", column.name, "' has the value '", text, "' in the path '",
            FirstPath(column, i, path_of), "', which as ", value_type->ToString(), " would be ",
            value, ", and no inspected path had such a value: declare the key in ",
            "the partitioning, as string to keep it, or inspect more files.");
      }
    }
    ARROW_RETURN_NOT_OK(builder->Finish(&typed.values));
  }
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
    ARROW_ASSIGN_OR_RAISE(arrow::Datum encoded, arrow::compute::DictionaryEncode(typed.values));
    const std::shared_ptr<arrow::Array> encoded_array = encoded.make_array();
    const auto& array = static_cast<const arrow::DictionaryArray&>(*encoded_array);
    ARROW_ASSIGN_OR_RAISE(auto indices,
                          arrow::compute::Cast(*array.indices(), dictionary.index_type()));
    ARROW_ASSIGN_OR_RAISE(typed.values,
                          arrow::DictionaryArray::FromArrays(type, indices, array.dictionary()));
  }
  return typed;
}

}  // namespace shoal::partition
