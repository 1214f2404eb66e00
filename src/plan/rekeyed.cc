#include "plan/rekeyed.h"

namespace shoal::plan {

FileTable Rekeyed(const FileTable& files,
                  const std::function<std::vector<PartitionKey>(int64_t)>& keys_of,
                  const std::function<FileVersion(int64_t)>& version_of) {
  FileTable out;
  int32_t directory = -1;
  for (int64_t i = 0; i < files.num_files(); ++i) {
    if (i == 0 || files.directory(i) != files.directory(i - 1))
      directory = out.AddDirectory(files.directory(i));
    out.AddFile(directory, files.name(i), version_of(i), keys_of(i));
  }
  return out;
}

}  // namespace shoal::plan
