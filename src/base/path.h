// Paths as text. They are separated by `/` on every store and hold no `//`, no `.` segment and no
// trailing `/`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shoal::base {

/// `a//b/./c/` becomes `a/b/c`. A leading `/` stays, `.` and an empty path become empty. `..` is
/// left alone: what it means depends on links.
std::string NormalizePath(std::string_view path);

/// `directory` + `/` + `name`; either may be empty.
std::string JoinPath(std::string_view directory, std::string_view name);

/// The directory with a trailing `/`, so that names can be put behind it. Empty stays empty.
std::string AsPrefix(std::string_view directory);

/// All before the last `/` (the root `/` stays), and all after it.
std::string_view ParentOf(std::string_view path);
std::string_view NameOf(std::string_view path);

/// Whether `path` is `directory` or lies below it.
bool IsWithin(std::string_view path, std::string_view directory);

/// The names between the slashes.
std::vector<std::string_view> SplitPath(std::string_view path);

/// Whether the name has a `.` that is not its first character and has something behind it.
bool HasExtension(std::string_view path);

/// Whether `text` ends in `ending`, upper and lower case of ASCII letters being the same.
bool EndsWithIgnoringCase(std::string_view text, std::string_view ending);

}  // namespace shoal::base
