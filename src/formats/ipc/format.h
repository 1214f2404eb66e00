// Arrow IPC: files (which are Feather of version 2, too) and streams.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::ipc {

std::shared_ptr<const FileFormat> MakeFormat();

}  // namespace shoal::formats::ipc
