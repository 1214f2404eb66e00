// How keys and values are spelled in paths.
#pragma once

#include <string>
#include <string_view>

#include <arrow/result.h>

namespace shoal::partition {

/// A key or value as a path has it, decoded if asked for. What was never encoded stays as it is.
std::string DecodeText(std::string_view raw, bool percent_decode);

/// Where a text is put.
enum class Place {
  kHiveKey,    // before `=`
  kHiveValue,  // behind `=`: nothing can make the segment special but its end
  kSegment,    // a whole directory name
  kNamePart,   // up to the next `_`
};

/// The spelling of `text` that DecodeText reads back as `text`, free of separators, of characters
/// that stores or shells treat in a special way, and of anything that would make a path hidden or
/// lead it upwards. Without `percent_decode` nothing can be encoded: a text that needs it is an
/// error naming `key`.
arrow::Result<std::string> EncodeText(std::string_view key, std::string_view text, Place place,
                                      bool percent_decode);

}  // namespace shoal::partition
