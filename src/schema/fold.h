// Names without their case.
#pragma once

#include <string>
#include <string_view>

namespace shoal::schema {

/// The name in lower case, letter by letter (Arrow's `utf8_lower`: the simple lower-case mapping of
/// Unicode, so `SS` is not `ß`, and a final sigma not another one). Of a name that is no UTF-8 the
/// ASCII letters alone.
std::string Fold(std::string_view name);

}  // namespace shoal::schema
