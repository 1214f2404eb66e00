#include "store/open_again.h"

#include <unistd.h>

#include <atomic>

#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/gcsfs.h>
#include <arrow/filesystem/s3fs.h>

namespace shoal::store {

using FileSystem = std::shared_ptr<arrow::fs::FileSystem>;

arrow::Result<FileSystem> OpenAgain(const FileSystem& filesystem) {
  const arrow::fs::FileSystem* at = filesystem.get();
  if (const auto* tree = dynamic_cast<const arrow::fs::SubTreeFileSystem*>(at)) {
    ARROW_ASSIGN_OR_RAISE(FileSystem base, OpenAgain(tree->base_fs()));
    return std::make_shared<arrow::fs::SubTreeFileSystem>(tree->base_path(), std::move(base));
  }
  if (const auto* s3 = dynamic_cast<const arrow::fs::S3FileSystem*>(at))
    return arrow::fs::S3FileSystem::Make(s3->options(), s3->io_context());
  if (const auto* gcs = dynamic_cast<const arrow::fs::GcsFileSystem*>(at))
    return arrow::fs::GcsFileSystem::Make(gcs->options(), gcs->io_context());
  return filesystem;
}

arrow::Status MayAskAzure() {
  static std::atomic<pid_t> asked_by{0};
  pid_t asked = 0;
  if (asked_by.compare_exchange_strong(asked, ::getpid()) || asked == ::getpid())
    return arrow::Status::OK();
  return arrow::Status::Invalid(
      "this process was forked from one that has asked Azure, and they would share its client's "
      "connections; start processes by another method (in Python multiprocessing's 'spawn' or "
      "'forkserver')");
}

}  // namespace shoal::store
