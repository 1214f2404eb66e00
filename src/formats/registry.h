// The formats shoal knows.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <shoal/file_format.h>
#include <shoal/infer_from.h>

namespace shoal::formats {

/// One new instance of each format; those of text find types so.
std::vector<std::shared_ptr<const FileFormat>> AllFormats(InferFrom infer = InferFrom::kSample);
/// GetFileFormat() without options but that one.
arrow::Result<std::shared_ptr<const FileFormat>> FormatOfName(std::string_view name,
                                                              InferFrom infer);

/// The format whose extension the path ends in (letter case aside), if any.
std::shared_ptr<const FileFormat> FormatOfPath(
    std::string_view path, const std::vector<std::shared_ptr<const FileFormat>>& formats);

/// The name of the format of tables whose files are each of the format that their name tells.
inline constexpr std::string_view kByExtension = "by_extension";
/// That format, of its OptionsJson().
arrow::Result<std::shared_ptr<const FileFormat>> ByExtensionFromJson(std::string_view json);
/// The format whose magic bytes `head` begins with, if any.
std::shared_ptr<const FileFormat> FormatOfMagic(
    std::string_view head, const std::vector<std::shared_ptr<const FileFormat>>& formats);

}  // namespace shoal::formats
