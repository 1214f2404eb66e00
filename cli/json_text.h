// Values of Arrow arrays as JSON. docs/cli.md states the mapping; each type's text can be read back
// to the same value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/array.h>
#include <arrow/status.h>
#include <arrow/type.h>

namespace shoal::cli {

/// `text` as it stands within a JSON string: quotes, backslashes and control characters escaped.
void AppendEscaped(std::string_view text, std::string* out);

/// `text` for one line of a terminal: control characters escaped, everything else as it is.
void AppendVisible(std::string_view text, std::string* out);

/// A JSON string: escaped, between quotes.
void AppendJsonString(std::string_view text, std::string* out);

/// Whether values of the type can be written; an error names what in `column` can't.
arrow::Status CheckJsonType(const std::string& column, const arrow::DataType& type);

/// The value in one slot. Text that is not UTF-8 is an error: JSON could not say it.
arrow::Status AppendJson(const arrow::Array& array, int64_t i, std::string* out);

/// The same for people: text is not quoted, and AppendVisible.
arrow::Status AppendPlain(const arrow::Array& array, int64_t i, std::string* out);

}  // namespace shoal::cli
