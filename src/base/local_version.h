// The version of a file on a local disk.
#pragma once

#include <sys/stat.h>

#include <shoal/unit.h>

namespace shoal::base {

/// Of what a stat told. Nothing is asked of the disk.
FileVersion VersionOf(const struct stat& info);

}  // namespace shoal::base
