#include "base/s3.h"

#include <cstdlib>
#include <mutex>

#include <arrow/filesystem/s3fs.h>

namespace shoal::base {

arrow::Status InitializeS3() {
  ARROW_RETURN_NOT_OK(arrow::fs::EnsureS3Initialized());
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit([] {
      const arrow::Status ignored = arrow::fs::EnsureS3Finalized();
      static_cast<void>(ignored);
    });
  });
  return arrow::Status::OK();
}

}  // namespace shoal::base
