// The lines before the first record: byte order mark, what is to be skipped, the columns' names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "formats/csv/facts.h"

namespace shoal::formats::csv {

/// Nothing if `text`, which is the beginning of the file, does not have all of it yet. A text
/// without a record has no columns.
arrow::Result<std::optional<Head>> ParseHead(const Settings& settings, const std::string& path,
                                             std::string_view text, bool final);

Layout LayoutOf(const Settings& settings, const std::string& path, const Head& head);

/// How Arrow parses records of that layout.
arrow::csv::ParseOptions ParseOptionsOf(const Layout& layout);

/// Whether the last record has an end. Arrow takes an empty value at the end of a text for a quoted
/// one, if the one before it is quoted: it must always see a line's end.
inline bool EndsLine(std::string_view text) {
  return text.empty() || text.back() == '\n' || text.back() == '\r';
}

/// "'PATH', line N: ..."
arrow::Status ErrorAt(const std::string& path, int64_t line, const std::string& message);

/// That record has not the columns of the head.
arrow::Status RaggedRecord(const std::string& path, int64_t line, const RecordReader& reader,
                           int columns);
arrow::Status TooLong(const std::string& path, int64_t line);
arrow::Status Unfinished(const std::string& path, int64_t line);

}  // namespace shoal::formats::csv
