// Arrow's errors about values, which know a row of what it was given, for a person who looks at the
// file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/status.h>

#include "formats/csv/facts.h"

namespace shoal::formats::csv {

struct RowError {
  /// Takes the row's number off the message; without one it is the first.
  explicit RowError(const arrow::Status& error);
  /// Bytes that are no text are a fault of the file, whatever its types.
  bool IsNoText() const;
  /// "column 'NAME': MESSAGE", and what to do about bytes that are no text.
  std::string InColumn(const std::string& name) const;

  int64_t row = 0;
  std::string message;
};

/// The record that is that row of `text`, which begins where a record does and has so many.
std::string_view RecordOfRow(const Layout& layout, std::string_view text, int64_t row);

}  // namespace shoal::formats::csv
