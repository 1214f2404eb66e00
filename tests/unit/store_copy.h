// Datasets of the oracle on a store, beside the local disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <arrow/filesystem/type_fwd.h>

namespace shoal::oracle {

/// A copy of a local folder on the store that SHOAL_ORACLE_STORE names (`s3://bucket/folder`), with
/// the storage options in SHOAL_ORACLE_STORE_OPTIONS (`name=value;name=value`). Without a store all
/// paths stay what they are.
class StoreCopy {
 public:
  StoreCopy(std::filesystem::path folder, uint64_t seed);
  ~StoreCopy();
  StoreCopy(const StoreCopy&) = delete;
  StoreCopy& operator=(const StoreCopy&) = delete;

  /// All files below the folder.
  void Upload();
  /// nullptr: the local disk.
  const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const { return filesystem_; }
  /// Where a path in the folder lies, and back.
  std::string At(const std::string& local) const;
  std::string Local(const std::string& path) const;

 private:
  const std::filesystem::path folder_;
  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  std::string root_;  // of the copy, on the filesystem
};

}  // namespace shoal::oracle
