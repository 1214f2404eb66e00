// Amazon S3, a library of its own in Arrow.
#pragma once

#include <arrow/status.h>

namespace shoal::base {

/// Makes `s3:` URIs known to Arrow. Thread-safe; cheap after the first time.
arrow::Status InitializeS3();

/// The S3 library must be shut down before the process ends, or it crashes then: this has that done
/// when main() returns or exit() is called. To be called once a filesystem has been made: what is
/// set up later is gone earlier, and the library needs what it sets up with its first client to
/// shut down. Thread-safe; cheap after the first time.
void FinalizeS3AtExit();

}  // namespace shoal::base
