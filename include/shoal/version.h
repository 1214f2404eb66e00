// The version of the library.
#pragma once

#include <string_view>

namespace shoal {

/// The version of the library that is linked, as "major.minor.patch".
std::string_view Version();

}  // namespace shoal
