// A filesystem for tests: it hands every call on to another one, counts it, and fails or delays the
// ones it is told to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

namespace shoal::testing {

enum class Call {
  kStat,
  kList,
  kListRecursive,
  kOpenInputStream,
  kOpenInputFile,
  kRead,
  kWrite,
  kChange
};

/// What has been asked of the filesystem since the last Reset.
struct CallCounts {
  int64_t stat = 0;            // GetFileInfo of one path, or of each of several
  int64_t list = 0;            // GetFileInfo of a directory's entries
  int64_t list_recursive = 0;  // the same with all that is below
  int64_t open_input_stream = 0;
  int64_t open_input_file = 0;
  int64_t read = 0;  // ReadAt, Read
  int64_t bytes_read = 0;
  int64_t write = 0;           // opened for writing
  int64_t change = 0;          // created, moved, copied, deleted
  int64_t most_in_flight = 0;  // calls at the same time

  int64_t lists() const { return list + list_recursive; }
};

/// Thread rule: any thread may call anything at any time.
class ScriptedFileSystem final : public arrow::fs::FileSystem {
 public:
  /// `type_name`: what it claims to be ("s3" makes the library treat it as an object store).
  explicit ScriptedFileSystem(std::shared_ptr<arrow::fs::FileSystem> base,
                              std::string type_name = "scripted");
  ~ScriptedFileSystem() override;

  /// An empty filesystem in memory, and a file put into one.
  static std::shared_ptr<ScriptedFileSystem> InMemory(std::string type_name = "scripted");
  arrow::Status CreateFile(const std::string& path, std::string_view content = "data");

  CallCounts counts() const;
  void ResetCounts();
  /// The calls since the last reset, in the order of their beginning.
  std::vector<std::pair<Call, std::string>> log() const;

  /// From now on `call` on `path` fails with `error`; an OK status takes that back.
  void Fail(Call call, std::string path, arrow::Status error);
  /// Each such call takes that much longer. An empty path means all paths.
  void Delay(Call call, std::string path, std::chrono::milliseconds delay);
  /// Called before each call, on its thread. What it does can be seen by the call: a file that is
  /// replaced at just the wrong moment. An error fails the call.
  void Intercept(std::function<arrow::Status(Call, const std::string& path)> intercept);

  std::string type_name() const override { return type_name_; }
  arrow::Result<std::string> NormalizePath(std::string path) override;
  arrow::Result<std::string> PathFromUri(const std::string& uri) const override;
  bool Equals(const arrow::fs::FileSystem& other) const override { return this == &other; }

  using arrow::fs::FileSystem::CreateDir;
  using arrow::fs::FileSystem::DeleteDirContents;
  using arrow::fs::FileSystem::GetFileInfo;
  using arrow::fs::FileSystem::OpenAppendStream;
  using arrow::fs::FileSystem::OpenInputFile;
  using arrow::fs::FileSystem::OpenInputStream;
  using arrow::fs::FileSystem::OpenOutputStream;
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override;
  arrow::Result<arrow::fs::FileInfoVector> GetFileInfo(
      const arrow::fs::FileSelector& select) override;
  arrow::Status CreateDir(const std::string& path, bool recursive) override;
  arrow::Status DeleteDir(const std::string& path) override;
  arrow::Status DeleteDirContents(const std::string& path, bool missing_dir_ok) override;
  arrow::Status DeleteRootDirContents() override;
  arrow::Status DeleteFile(const std::string& path) override;
  arrow::Status Move(const std::string& from, const std::string& to) override;
  arrow::Status CopyFile(const std::string& from, const std::string& to) override;
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(
      const std::string& path) override;
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const std::string& path) override;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(
      const std::string& path,
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(
      const std::string& path,
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override;

 private:
  struct Script;
  class CountedCall;
  class ScriptedFile;

  const std::shared_ptr<arrow::fs::FileSystem> base_;
  const std::string type_name_;
  // Files and abandoned requests may outlive the filesystem.
  const std::shared_ptr<Script> script_;
};

}  // namespace shoal::testing
