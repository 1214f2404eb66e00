#include "output_target.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <arrow/filesystem/filesystem.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_status.h"
#include "interrupt.h"

namespace shoal::cli {

namespace {

using arrow::Status;

constexpr size_t kBufferBytes = size_t{1} << 18;

Status CannotWrite(const std::string& name, int error) {
  return Status::IOError("Can't write ", name, ": ", std::strerror(error));
}

/// Collects small writes. `name` is for errors.
class DescriptorStream : public arrow::io::OutputStream {
 public:
  DescriptorStream(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)) {}

  using arrow::io::OutputStream::Write;
  Status Write(const void* data, int64_t size) override {
    ARROW_RETURN_NOT_OK(status_);
    position_ += size;
    const std::string_view bytes(static_cast<const char*>(data), size);
    if (buffer_.size() + bytes.size() > kBufferBytes) ARROW_RETURN_NOT_OK(Flush());
    if (bytes.size() >= kBufferBytes) return WriteNow(bytes);
    buffer_ += bytes;
    return Status::OK();
  }

  Status Flush() override {
    ARROW_RETURN_NOT_OK(status_);
    const Status written = WriteNow(buffer_);
    buffer_.clear();
    return written;
  }

  arrow::Result<int64_t> Tell() const override { return position_; }
  Status Close() override {
    closed_ = true;
    return Flush();
  }
  bool closed() const override { return closed_; }

  /// Drops what is buffered; every later write fails.
  void Abandon() {
    buffer_.clear();
    if (status_.ok()) status_ = Status::Cancelled("The output was abandoned");
  }

 private:
  Status WriteNow(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(written);
      } else if (errno != EINTR) {
        status_ = CannotWrite(name_, errno);
        if (errno == EPIPE) status_ = WithExitStatus(status_, kClosedPipe);
        return status_;
      }
    }
    return Status::OK();
  }

  const int descriptor_;
  const std::string name_;
  std::string buffer_;
  int64_t position_ = 0;
  bool closed_ = false;
  Status status_;  // the first error; it stays
};

/// Standard output, a device or a pipe: what is written is written.
class DirectTarget : public OutputTarget {
 public:
  DirectTarget(int descriptor, const std::string& name)
      : descriptor_(descriptor), stream_(descriptor, name) {}
  ~DirectTarget() override {
    if (descriptor_ != STDOUT_FILENO) close(descriptor_);
  }

  arrow::io::OutputStream* stream() override { return &stream_; }
  Status Commit() override { return stream_.Flush(); }
  void Abandon() override { stream_.Abandon(); }

 private:
  const int descriptor_;
  DescriptorStream stream_;
};

/// A file beside the wanted one, which takes its name when it is complete.
class FileTarget : public OutputTarget {
 public:
  FileTarget(int descriptor, std::string unfinished, std::string path, const std::string& name,
             bool force)
      : descriptor_(descriptor),
        unfinished_(std::move(unfinished)),
        path_(std::move(path)),
        name_(name),
        force_(force),
        stream_(descriptor, name) {}

  ~FileTarget() override {
    if (descriptor_ >= 0) close(descriptor_);
    if (!unfinished_.empty()) unlink(unfinished_.c_str());
    SetUnfinishedFile("");
  }

  arrow::io::OutputStream* stream() override { return &stream_; }

  Status Commit() override {
    ARROW_RETURN_NOT_OK(stream_.Flush());
    // A name that outlives a crash of the machine must stand for bytes that do.
    if (fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS)
      return CannotWrite(name_, errno);
    if (close(std::exchange(descriptor_, -1)) != 0) return CannotWrite(name_, errno);
    ARROW_RETURN_NOT_OK(TakeName());
    unfinished_.clear();
    return Status::OK();
  }

  void Abandon() override { stream_.Abandon(); }

 private:
  Status TakeName() {
    if (!force_) {
      // A file that came into being meanwhile is not overwritten either.
      if (renameat2(AT_FDCWD, unfinished_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) ==
          0) {
        return Status::OK();
      }
      if (errno != EINVAL && errno != ENOSYS) return CannotWrite(name_, errno);
      ARROW_RETURN_NOT_OK(CheckOutputPath(path_, false));
    }
    if (rename(unfinished_.c_str(), path_.c_str()) == 0) return Status::OK();
    return CannotWrite(name_, errno);
  }

  int descriptor_;
  std::string unfinished_;
  const std::string path_;
  const std::string name_;
  const bool force_;
  DescriptorStream stream_;
};

std::string Quoted(const std::string& path) { return "'" + path + "'"; }

/// A hidden name, so that no listing takes it for data.
std::string UnfinishedName(const std::filesystem::path& path, int attempt) {
  const std::string name = path.filename().string().substr(0, 200);
  const std::string serial = std::to_string(getpid()) + "-" + std::to_string(attempt);
  return (path.parent_path() / ("." + name + "." + serial + ".unfinished")).string();
}

}  // namespace

Status CheckOutputPath(const std::string& path, bool force) {
  if (path == "-") return Status::OK();
  if (path.find("://") != std::string::npos) {
    return UsageError("--output ", path,
                      " is not a path on this machine; write a local file and copy it");
  }
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) {
    return errno == ENOENT && path.back() != '/' ? Status::OK() : CannotWrite(Quoted(path), errno);
  }
  if (S_ISDIR(found.st_mode)) {
    return Status::IOError("Can't write ", Quoted(path), ": it is a folder; name a file in it");
  }
  if (S_ISREG(found.st_mode) && !force) {
    return Status::IOError("Can't write ", Quoted(path),
                           ": it exists; add --force to overwrite it");
  }
  return Status::OK();
}

Status CheckIsNoInput(const std::string& path, const Dataset& dataset) {
  struct stat output = {};
  if (path == "-" || stat(path.c_str(), &output) != 0) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto filesystem, dataset.filesystem());
  if (filesystem->type_name() != "local") return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto files, dataset.files());
  for (int64_t i = 0; i < files->num_files(); ++i) {
    struct stat input = {};
    if (stat(files->path(i).c_str(), &input) != 0) continue;
    // Links and other spellings of a path lead to the same file.
    if (input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
      return Status::IOError("Can't write ", Quoted(path),
                             ": it is one of the files that are read; name another");
    }
  }
  return Status::OK();
}

arrow::Result<std::unique_ptr<OutputTarget>> OutputTarget::Open(const std::string& path,
                                                                bool force) {
  if (path == "-") return std::make_unique<DirectTarget>(STDOUT_FILENO, "standard output");
  ARROW_RETURN_NOT_OK(CheckOutputPath(path, force));
  struct stat found = {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return CannotWrite(Quoted(path), errno);
    return std::make_unique<DirectTarget>(descriptor, Quoted(path));
  }
  // The file that a link leads to is overwritten, not the link.
  std::error_code error;
  const auto real = exists ? std::filesystem::canonical(path, error) : std::filesystem::path(path);
  if (error) return CannotWrite(Quoted(path), error.value());
  if (exists && access(real.c_str(), W_OK) != 0) return CannotWrite(Quoted(path), errno);

  std::string unfinished;
  int descriptor = -1;
  // A killed process of the same number may have left its file behind.
  for (int attempt = 0; descriptor < 0; ++attempt) {
    unfinished = UnfinishedName(real, attempt);
    descriptor = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && (errno != EEXIST || attempt == 100))
      return CannotWrite(Quoted(path), errno);
  }
  SetUnfinishedFile(unfinished.c_str());
  if (exists) (void)fchmod(descriptor, found.st_mode & 07777);
  return std::make_unique<FileTarget>(descriptor, std::move(unfinished), real.string(),
                                      Quoted(path), force);
}

Status Print(std::string_view text) {
  DescriptorStream out(STDOUT_FILENO, "standard output");
  ARROW_RETURN_NOT_OK(out.Write(text.data(), static_cast<int64_t>(text.size())));
  return out.Flush();
}

}  // namespace shoal::cli
