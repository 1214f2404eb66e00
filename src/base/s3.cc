#include "base/s3.h"

#include <cstdlib>
#include <mutex>

#include <arrow/filesystem/s3fs.h>

namespace shoal::base {

arrow::Status InitializeS3() { return arrow::fs::EnsureS3Initialized(); }

void FinalizeS3AtExit() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit([] {
      const arrow::Status ignored = arrow::fs::EnsureS3Finalized();
      static_cast<void>(ignored);
    });
  });
}

}  // namespace shoal::base
