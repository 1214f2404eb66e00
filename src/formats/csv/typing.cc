#include "formats/csv/typing.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <arrow/csv/converter.h>

#include "formats/text/numbers.h"

namespace shoal::formats::csv {

namespace {

using arrow::Status;
using arrow::Type;
using arrow::csv::BlockParser;

/// In the order of CsvOptions; the text type is the last.
const std::array<std::shared_ptr<arrow::DataType>, 11>& Types() {
  static const std::array<std::shared_ptr<arrow::DataType>, 11> types = {
      arrow::null(),
      arrow::int64(),
      arrow::boolean(),
      arrow::date32(),
      arrow::time32(arrow::TimeUnit::SECOND),
      arrow::timestamp(arrow::TimeUnit::SECOND),
      arrow::timestamp(arrow::TimeUnit::NANO),
      arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"),
      arrow::timestamp(arrow::TimeUnit::NANO, "UTC"),
      arrow::float64(),
      arrow::utf8(),
  };
  return types;
}

using text::IsExactDouble;
using text::Trimmed;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// An integer, as far as converters take it for one, that formats back to the same digits.
bool IsPlainInteger(std::string_view value) {
  value = Trimmed(value);
  if (value.empty()) return false;
  if (value[0] == '+' || value == "-0") return false;
  if (value[0] == '-') value.remove_prefix(1);
  return value.size() <= 1 || value[0] != '0';
}

/// A number without digits that mean nothing in front.
bool IsPlainNumber(std::string_view value) {
  value = Trimmed(value);
  if (value.empty() || value[0] == '+' || value == "-0") return false;
  if (value[0] == '-') value.remove_prefix(1);
  return value.size() <= 1 || value[0] != '0' || !IsDigit(value[1]);
}

bool IsNull(std::string_view value, bool quoted, const arrow::csv::ConvertOptions& options) {
  return (!quoted || options.quoted_strings_can_be_null) &&
         std::find(options.null_values.begin(), options.null_values.end(), value) !=
             options.null_values.end();
}

}  // namespace

TypeSet TypeSet::All() { return TypeSet((uint32_t{1} << Types().size()) - 1); }

std::shared_ptr<arrow::DataType> TypeSet::First(bool all_seen) const {
  const auto& types = Types();
  if (bits_ & 1) return all_seen ? types.front() : types.back();
  for (size_t i = 1; i < types.size(); ++i) {
    if (bits_ >> i & 1) return types[i];
  }
  return types.back();
}

std::vector<std::shared_ptr<arrow::DataType>> TypeSet::Others(bool all_seen) const {
  const auto& types = Types();
  std::vector<std::shared_ptr<arrow::DataType>> out;
  if (bits_ & 1) {
    if (!all_seen) out.push_back(types.front());
    return out;
  }
  const auto first = First(all_seen);
  for (size_t i = 1; i < types.size(); ++i) {
    if ((bits_ >> i & 1) && types[i] != first) out.push_back(types[i]);
  }
  return out;
}

arrow::Result<TypeSet> TypeFinder::Narrow(TypeSet before, const BlockParser& parser, int column) {
  const auto& types = Types();
  uint32_t bits = before.bits_;
  for (size_t i = 0; i < types.size(); ++i) {
    const uint32_t bit = uint32_t{1} << i;
    if (!(bits & bit)) continue;
    ARROW_ASSIGN_OR_RAISE(auto converter, arrow::csv::Converter::Make(types[i], *options_.convert));
    const auto converted = converter->Convert(parser, column);
    if (i + 1 == types.size()) {
      ARROW_RETURN_NOT_OK(converted.status());
      break;
    }
    if (!converted.ok() || !CheckKept(parser, column, *types[i], false, options_).ok()) {
      bits &= ~bit;
    } else if ((*converted)->null_count() == (*converted)->length()) {
      break;  // nulls alone are of any type
    }
  }
  return TypeSet(bits);
}

Status CheckKept(const BlockParser& parser, int column, const arrow::DataType& type, bool declared,
                 const ValueOptions& options) {
  const auto& convert = *options.convert;
  const auto visit = [&](auto&& is_kept) {
    return parser.VisitColumn(
        column, [&](const uint8_t* data, uint32_t size, bool quoted, bool missing) -> Status {
          const std::string_view value(reinterpret_cast<const char*>(data), size);
          if (is_kept(value, quoted) || IsNull(value, quoted, convert)) return Status::OK();
          return Status::Invalid("CSV conversion error to ", type.ToString(), ": the value '",
                                 value, "' would be altered");
        });
  };
  const bool checks_quotes = options.quoted_text && !declared;
  const bool is_text = arrow::is_base_binary_like(type.id()) || type.id() == Type::STRING_VIEW ||
                       type.id() == Type::BINARY_VIEW || type.id() == Type::NA;
  if (checks_quotes && !is_text) {
    ARROW_RETURN_NOT_OK(visit([](std::string_view, bool quoted) { return !quoted; }));
  }
  if (type.id() == Type::INT64 && !declared) {
    return visit([](std::string_view value, bool) { return IsPlainInteger(value); });
  }
  if (type.id() == Type::FLOAT) {
    return visit([](std::string_view value, bool) { return !text::IsOutOfRange<float>(value); });
  }
  if (type.id() == Type::DOUBLE) {
    return visit([declared](std::string_view value, bool) {
      return IsExactDouble(value) && (declared || IsPlainNumber(value));
    });
  }
  return Status::OK();
}

}  // namespace shoal::formats::csv
