// Amazon S3, a library of its own in Arrow.
#pragma once

#include <arrow/status.h>

namespace shoal::base {

/// Makes `s3:` URIs known to Arrow. The S3 library must be shut down before the process ends, or it
/// crashes then; that is done when main() returns or exit() is called. Thread-safe; cheap after the
/// first time.
arrow::Status InitializeS3();

}  // namespace shoal::base
