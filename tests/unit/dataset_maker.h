// Random folders of files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type.h>

#include <shoal/partitioning.h>

#include "random_source.h"

namespace shoal::oracle {

struct MadeFile {
  std::string path;                // absolute
  std::vector<PartitionKey> keys;  // those its path carries, as text
};

struct MadeDataset {
  std::string root;
  std::shared_ptr<const Partitioning> partitioning;
  std::vector<std::string> key_names;
  bool keys_declared = false;   // with their types, all of them
  std::vector<MadeFile> files;  // in the order of their paths
  std::string description;      // of the layout, for people
};

/// The format of a dataset's files; of Arrow IPC they are files and streams, as it comes.
enum class MadeFormat { kParquet, kIpc };

/// Writes a dataset below `root`, which must exist.
MadeDataset MakeDataset(const std::filesystem::path& root, Random& random,
                        MadeFormat format = MadeFormat::kParquet);

}  // namespace shoal::oracle
