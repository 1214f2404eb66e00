#include "storage/why_failed.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

#include <arrow/filesystem/filesystem.h>
#include <arrow/util/io_util.h>

#include "base/location.h"
#include "storage/open_file.h"
#include "store/access.h"
#include "store/failure.h"

namespace shoal::storage {

arrow::Status WhyFailed(const arrow::Status& error, const SourceFile& file,
                        const arrow::StopToken& stop) {
  const bool may_be_of_another_version =
      !base::IsLocal(*file.filesystem) && file.version.size >= 0 && !IsFileChanged(error) &&
      (error.IsIOError() || error.IsInvalid() || error.IsSerializationError()) &&
      store::Classify(error) == store::Failure::kOther;
  if (!may_be_of_another_version) return error;
  const auto access = store::Access::Of(file.filesystem);
  const auto found = access->Call<arrow::fs::FileInfo>(
      file.filesystem, stop, [path = file.path](arrow::fs::FileSystem& filesystem) {
        return filesystem.GetFileInfo(path);
      });
  if (!found.ok()) return error;
  if (found->type() == arrow::fs::FileType::NotFound) {
    return arrow::internal::IOErrorFromErrno(ENOENT, "Cannot open '", access->Name(file.path),
                                             "': ", error.message());
  }
  if (found->size() >= 0 && found->size() != file.version.size) {
    return FileChanged(file.path, "it had " + std::to_string(file.version.size) +
                                      " bytes and now has " + std::to_string(found->size()));
  }
  if (file.version.mtime_ns >= 0 && found->mtime() != arrow::fs::kNoTime) {
    // Listings may have fractions of seconds that looks have not.
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(found->mtime().time_since_epoch());
    constexpr int64_t kSecond = 1'000'000'000;
    if (std::abs(now.count() - file.version.mtime_ns) >= kSecond)
      return FileChanged(file.path, "its modification time differs");
  }
  return error;
}

}  // namespace shoal::storage
