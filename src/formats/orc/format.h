// ORC.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::orc {

std::shared_ptr<const FileFormat> MakeFormat();

}  // namespace shoal::formats::orc
