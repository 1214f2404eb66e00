// The formats shoal knows.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <shoal/file_format.h>

namespace shoal::formats {

/// One new instance of each format.
std::vector<std::shared_ptr<const FileFormat>> AllFormats();

/// The format whose extension the path ends in (letter case aside), if any.
std::shared_ptr<const FileFormat> FormatOfPath(std::string_view path);
/// The format whose magic bytes `head` begins with, if any.
std::shared_ptr<const FileFormat> FormatOfMagic(std::string_view head);

}  // namespace shoal::formats
