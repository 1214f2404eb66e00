// What --help prints.
#pragma once

#include <string>

#include "verb.h"

namespace shoal::cli {

std::string Help();
std::string Help(const VerbInfo& verb);

}  // namespace shoal::cli
