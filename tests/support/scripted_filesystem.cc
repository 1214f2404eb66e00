#include "support/scripted_filesystem.h"

#include <algorithm>
#include <thread>

#include <arrow/buffer.h>
#include <arrow/filesystem/mockfs.h>

namespace shoal::testing {

struct ScriptedFileSystem::Script {
  std::mutex mutex;
  CallCounts counts;
  int64_t in_flight = 0;
  std::vector<std::pair<Call, std::string>> log;
  std::map<std::pair<Call, std::string>, arrow::Status> errors;
  std::map<std::pair<Call, std::string>, std::chrono::milliseconds> delays;
  std::function<arrow::Status(Call, const std::string&)> intercept;
};

// One call in flight.
class ScriptedFileSystem::CountedCall {
 public:
  CountedCall(const std::shared_ptr<Script>& script, Call call, const std::string& path,
              int64_t times = 1)
      : script_(script) {
    std::chrono::milliseconds delay{0};
    std::function<arrow::Status(Call, const std::string&)> intercept;
    {
      const std::lock_guard lock(script_->mutex);
      script_->log.emplace_back(call, path);
      script_->counts.most_in_flight =
          std::max(script_->counts.most_in_flight, ++script_->in_flight);
      Count(call) += times;
      for (const std::string& key : {path, std::string()}) {
        if (const auto found = script_->delays.find({call, key}); found != script_->delays.end()) {
          delay = std::max(delay, found->second);
        }
        if (const auto found = script_->errors.find({call, key});
            found != script_->errors.end() && status_.ok()) {
          status_ = found->second;
        }
      }
      intercept = script_->intercept;
    }
    if (delay.count() > 0) std::this_thread::sleep_for(delay);
    if (intercept != nullptr && status_.ok()) status_ = intercept(call, path);
  }
  ~CountedCall() {
    const std::lock_guard lock(script_->mutex);
    --script_->in_flight;
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  const arrow::Status& status() const { return status_; }

 private:
  int64_t& Count(Call call) {
    CallCounts& counts = script_->counts;
    switch (call) {
      case Call::kStat:
        return counts.stat;
      case Call::kList:
        return counts.list;
      case Call::kListRecursive:
        return counts.list_recursive;
      case Call::kOpenInputStream:
        return counts.open_input_stream;
      case Call::kOpenInputFile:
        return counts.open_input_file;
      case Call::kRead:
        return counts.read;
      case Call::kWrite:
        return counts.write;
      case Call::kChange:
        break;
    }
    return counts.change;
  }

  const std::shared_ptr<Script> script_;
  arrow::Status status_;
};

class ScriptedFileSystem::ScriptedFile final : public arrow::io::RandomAccessFile {
 public:
  ScriptedFile(std::shared_ptr<Script> script, std::string path,
               std::shared_ptr<arrow::io::RandomAccessFile> base)
      : script_(std::move(script)), path_(std::move(path)), base_(std::move(base)) {}

  arrow::Status Close() override { return base_->Close(); }
  bool closed() const override { return base_->closed(); }
  arrow::Result<int64_t> Tell() const override { return base_->Tell(); }
  arrow::Status Seek(int64_t position) override { return base_->Seek(position); }
  arrow::Result<int64_t> GetSize() override { return base_->GetSize(); }

  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override {
    const CountedCall call(script_, Call::kRead, path_);
    ARROW_RETURN_NOT_OK(call.status());
    return Counted(base_->Read(nbytes, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override {
    const CountedCall call(script_, Call::kRead, path_);
    ARROW_RETURN_NOT_OK(call.status());
    return Counted(base_->Read(nbytes));
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override {
    const CountedCall call(script_, Call::kRead, path_);
    ARROW_RETURN_NOT_OK(call.status());
    return Counted(base_->ReadAt(position, nbytes, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override {
    const CountedCall call(script_, Call::kRead, path_);
    ARROW_RETURN_NOT_OK(call.status());
    return Counted(base_->ReadAt(position, nbytes));
  }

 private:
  arrow::Result<int64_t> Counted(arrow::Result<int64_t> got) {
    if (got.ok()) Add(*got);
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Counted(
      arrow::Result<std::shared_ptr<arrow::Buffer>> got) {
    if (got.ok()) Add((*got)->size());
    return got;
  }
  void Add(int64_t bytes) {
    const std::lock_guard lock(script_->mutex);
    script_->counts.bytes_read += bytes;
  }

  const std::shared_ptr<Script> script_;
  const std::string path_;
  const std::shared_ptr<arrow::io::RandomAccessFile> base_;
};

ScriptedFileSystem::ScriptedFileSystem(std::shared_ptr<arrow::fs::FileSystem> base,
                                       std::string type_name)
    : base_(std::move(base)),
      type_name_(std::move(type_name)),
      script_(std::make_shared<Script>()) {}
ScriptedFileSystem::~ScriptedFileSystem() = default;

std::shared_ptr<ScriptedFileSystem> ScriptedFileSystem::InMemory(std::string type_name) {
  const auto now = arrow::fs::TimePoint(std::chrono::seconds(1700000000));
  return std::make_shared<ScriptedFileSystem>(
      std::make_shared<arrow::fs::internal::MockFileSystem>(now), std::move(type_name));
}

arrow::Status ScriptedFileSystem::CreateFile(const std::string& path, std::string_view content) {
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos)
    ARROW_RETURN_NOT_OK(base_->CreateDir(path.substr(0, slash), true));
  ARROW_ASSIGN_OR_RAISE(auto stream, base_->OpenOutputStream(path));
  ARROW_RETURN_NOT_OK(stream->Write(content));
  return stream->Close();
}

CallCounts ScriptedFileSystem::counts() const {
  const std::lock_guard lock(script_->mutex);
  return script_->counts;
}

void ScriptedFileSystem::ResetCounts() {
  const std::lock_guard lock(script_->mutex);
  script_->counts = {};
  script_->log.clear();
}

std::vector<std::pair<Call, std::string>> ScriptedFileSystem::log() const {
  const std::lock_guard lock(script_->mutex);
  return script_->log;
}

void ScriptedFileSystem::Fail(Call call, std::string path, arrow::Status error) {
  const std::lock_guard lock(script_->mutex);
  script_->errors[{call, std::move(path)}] = std::move(error);
}

void ScriptedFileSystem::Delay(Call call, std::string path, std::chrono::milliseconds delay) {
  const std::lock_guard lock(script_->mutex);
  script_->delays[{call, std::move(path)}] = delay;
}

void ScriptedFileSystem::Intercept(
    std::function<arrow::Status(Call, const std::string&)> intercept) {
  const std::lock_guard lock(script_->mutex);
  script_->intercept = std::move(intercept);
}

arrow::Result<std::string> ScriptedFileSystem::NormalizePath(std::string path) {
  return base_->NormalizePath(std::move(path));
}
arrow::Result<std::string> ScriptedFileSystem::PathFromUri(const std::string& uri) const {
  return base_->PathFromUri(uri);
}

arrow::Result<arrow::fs::FileInfo> ScriptedFileSystem::GetFileInfo(const std::string& path) {
  const CountedCall call(script_, Call::kStat, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->GetFileInfo(path);
}

arrow::Result<arrow::fs::FileInfoVector> ScriptedFileSystem::GetFileInfo(
    const arrow::fs::FileSelector& select) {
  const CountedCall call(script_, select.recursive ? Call::kListRecursive : Call::kList,
                         select.base_dir);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->GetFileInfo(select);
}

arrow::Status ScriptedFileSystem::CreateDir(const std::string& path, bool recursive) {
  const CountedCall call(script_, Call::kChange, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->CreateDir(path, recursive);
}
arrow::Status ScriptedFileSystem::DeleteDir(const std::string& path) {
  const CountedCall call(script_, Call::kChange, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->DeleteDir(path);
}
arrow::Status ScriptedFileSystem::DeleteDirContents(const std::string& path, bool missing_dir_ok) {
  const CountedCall call(script_, Call::kChange, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->DeleteDirContents(path, missing_dir_ok);
}
arrow::Status ScriptedFileSystem::DeleteRootDirContents() {
  const CountedCall call(script_, Call::kChange, "");
  ARROW_RETURN_NOT_OK(call.status());
  return base_->DeleteRootDirContents();
}
arrow::Status ScriptedFileSystem::DeleteFile(const std::string& path) {
  const CountedCall call(script_, Call::kChange, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->DeleteFile(path);
}
arrow::Status ScriptedFileSystem::Move(const std::string& from, const std::string& to) {
  const CountedCall call(script_, Call::kChange, from);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->Move(from, to);
}
arrow::Status ScriptedFileSystem::CopyFile(const std::string& from, const std::string& to) {
  const CountedCall call(script_, Call::kChange, from);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->CopyFile(from, to);
}

arrow::Result<std::shared_ptr<arrow::io::InputStream>> ScriptedFileSystem::OpenInputStream(
    const std::string& path) {
  const CountedCall call(script_, Call::kOpenInputStream, path);
  ARROW_RETURN_NOT_OK(call.status());
  ARROW_ASSIGN_OR_RAISE(auto file, base_->OpenInputFile(path));
  return std::make_shared<ScriptedFile>(script_, path, std::move(file));
}
arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> ScriptedFileSystem::OpenInputFile(
    const std::string& path) {
  const CountedCall call(script_, Call::kOpenInputFile, path);
  ARROW_RETURN_NOT_OK(call.status());
  ARROW_ASSIGN_OR_RAISE(auto file, base_->OpenInputFile(path));
  return std::make_shared<ScriptedFile>(script_, path, std::move(file));
}
arrow::Result<std::shared_ptr<arrow::io::OutputStream>> ScriptedFileSystem::OpenOutputStream(
    const std::string& path, const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  const CountedCall call(script_, Call::kWrite, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->OpenOutputStream(path, metadata);
}
arrow::Result<std::shared_ptr<arrow::io::OutputStream>> ScriptedFileSystem::OpenAppendStream(
    const std::string& path, const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  const CountedCall call(script_, Call::kWrite, path);
  ARROW_RETURN_NOT_OK(call.status());
  return base_->OpenAppendStream(path, metadata);
}

}  // namespace shoal::testing
