// A word where the cache folder could not be used.
#pragma once

#include <shoal/dataset.h>

namespace shoal::cli {

/// One line on standard error, if anything went wrong with the cache. The answer is right anyway.
void WarnOfCache(const Dataset& dataset);

}  // namespace shoal::cli
