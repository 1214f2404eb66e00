// Parquet.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::parquet {

std::shared_ptr<const FileFormat> MakeFormat();

}  // namespace shoal::formats::parquet
