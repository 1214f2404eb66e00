#include "storage/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>

#include <arrow/io/interfaces.h>
#include <arrow/util/io_util.h>

#include "base/local_version.h"
#include "base/location.h"
#include "store/access.h"

namespace shoal::storage {

namespace {

/// Marks the error of a file that was replaced, so that it is never taken for a corrupt one.
class FileChangedDetail final : public arrow::StatusDetail {
 public:
  static constexpr const char* kTypeId = "shoal::FileChanged";
  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override { return "file changed"; }
};

/// Marks what a store answered, so that it is never taken for a corrupt file. Most stores' errors
/// have a detail of their own.
class StoreErrorDetail final : public arrow::StatusDetail {
 public:
  const char* type_id() const override { return "shoal::StoreError"; }
  std::string ToString() const override { return "the store failed"; }
};

arrow::Status StoreError(const arrow::Status& status, std::string_view what,
                         const std::string& path) {
  auto named = status.WithMessage(what, " '", path, "': ", status.message());
  return status.detail() ? named : named.WithDetail(std::make_shared<StoreErrorDetail>());
}

/// Why a file could not be opened: it is missing, or something else.
arrow::Status OpenError(const arrow::Status& status, const SourceFile& file,
                        const arrow::StopToken& stop) {
  const auto access = store::Access::Of(file.filesystem);
  if (arrow::internal::ErrnoFromStatus(status) == 0) {
    // Not every store says it in its error.
    auto info = access->Call<arrow::fs::FileInfo>(
        file.filesystem, stop, [path = file.path](arrow::fs::FileSystem& filesystem) {
          return filesystem.GetFileInfo(path);
        });
    ARROW_RETURN_NOT_OK(stop.Poll());
    if (info.ok() && info->type() == arrow::fs::FileType::NotFound) {
      return arrow::internal::IOErrorFromErrno(ENOENT, "Cannot open '", access->Name(file.path),
                                               "': ", status.message());
    }
  }
  return StoreError(status, "Cannot open", access->Name(file.path));
}

template <typename... Args>
arrow::Status Changed(const std::string& path, Args&&... how) {
  return arrow::Status::FromDetailAndArgs(
      arrow::StatusCode::IOError, std::make_shared<FileChangedDetail>(), "'", path,
      "' changed after it was listed: ", std::forward<Args>(how)...,
      ". Refresh the dataset, or open it again, and plan the scan again");
}

/// Compares what was found with what was listed.
arrow::Status CheckVersion(const SourceFile& file, const FileVersion& found) {
  const FileVersion& listed = file.version;
  if (listed.MayBe(found)) return arrow::Status::OK();
  if (listed.size != FileVersion::kUnknown && found.size != listed.size) {
    return Changed(file.path, "it had ", listed.size, listed.size == 1 ? " byte" : " bytes",
                   " and now has ", found.size);
  }
  if (listed.mtime_ns != FileVersion::kUnknown && found.mtime_ns != listed.mtime_ns)
    return Changed(file.path, "its modification time differs");
  return Changed(file.path,
                 "it was replaced or changed by something that kept its modification time");
}

arrow::Status NotRegular(const std::string& path) {
  // A pipe would block for ever; a directory has no bytes.
  return arrow::Status::IOError("'", path, "' is not a regular file");
}

arrow::Status FromErrno(int error, std::string_view what, const std::string& path) {
  return arrow::internal::IOErrorFromErrno(error, what, " '", path, "'");
}

class LocalFile final : public OpenFile {
 public:
  static arrow::Result<std::shared_ptr<OpenFile>> Make(std::shared_ptr<const SourceFile> file,
                                                       std::shared_ptr<runtime::Counters> counters,
                                                       arrow::MemoryPool* pool) {
    const std::string& path = file->path;
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return FromErrno(errno, "Cannot open", path);
    std::shared_ptr<LocalFile> opened(
        new LocalFile(fd, std::move(file), std::move(counters), pool));
    struct stat info;
    if (::fstat(fd, &info) != 0) return FromErrno(errno, "Cannot stat", path);
    if (!S_ISREG(info.st_mode)) return NotRegular(path);
    ARROW_RETURN_NOT_OK(opened->SetVersion(base::VersionOf(info)));
    return opened;
  }
  ~LocalFile() override { ::close(fd_); }

 protected:
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t offset,
                                                       int64_t length) const override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(length, pool_));
    uint8_t* out = buffer->mutable_data();
    int64_t done = 0;
    while (done < length) {
      ssize_t n = ::pread(fd_, out + done, length - done, offset + done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return FromErrno(errno, "Cannot read", source().path);
      if (n == 0) break;
      done += n;
    }
    if (done < length) return arrow::SliceBuffer(std::move(buffer), 0, done);
    return buffer;
  }

 private:
  LocalFile(int fd, std::shared_ptr<const SourceFile> file,
            std::shared_ptr<runtime::Counters> counters, arrow::MemoryPool* pool)
      : OpenFile(std::move(file), std::move(counters)), fd_(fd), pool_(pool) {}
  const int fd_;
  arrow::MemoryPool* const pool_;
};

/// On GCS Arrow opens a file with a request for its metadata and one for all of its bytes, before
/// the first range is asked for, and each range is a request for all that follows it; what nobody
/// reads of an answer is underway all the same until the connection breaks. A file of up to so many
/// bytes costs less when it is read whole, by one request: of 50 files of 1.6 MB, two columns of
/// ten moved 158 MB in 200 requests, and all of them are 81 MB in 50.
constexpr int64_t kReadWhole = int64_t{4} << 20;
/// What is held of such files at once lies beside the memory that a scan plans with.
constexpr int64_t kMostWhole = int64_t{128} << 20;

/// A part of kMostWhole.
class WholeBytes {
 public:
  /// nullptr if there is not so much left.
  static std::unique_ptr<WholeBytes> Take(int64_t bytes) {
    if (held_.fetch_add(bytes) + bytes > kMostWhole) {
      held_ -= bytes;
      return nullptr;
    }
    return std::unique_ptr<WholeBytes>(new WholeBytes(bytes));
  }
  ~WholeBytes() { held_ -= bytes_; }
  WholeBytes(const WholeBytes&) = delete;
  WholeBytes& operator=(const WholeBytes&) = delete;

 private:
  explicit WholeBytes(int64_t bytes) : bytes_(bytes) {}
  static inline std::atomic<int64_t> held_{0};
  const int64_t bytes_;
};

class FilesystemFile final : public OpenFile {
 public:
  static arrow::Result<std::shared_ptr<OpenFile>> Make(std::shared_ptr<const SourceFile> file,
                                                       std::shared_ptr<runtime::Counters> counters,
                                                       arrow::StopToken stop) {
    arrow::fs::FileInfo info(file->path, arrow::fs::FileType::File);
    if (file->version.size >= 0) info.set_size(file->version.size);
    if (file->version.mtime_ns >= 0) {
      info.set_mtime(arrow::fs::TimePoint(std::chrono::nanoseconds(file->version.mtime_ns)));
    }
    auto access = store::Access::Of(file->filesystem);
    const bool gcs = store::KindOf(*file->filesystem) == "gcs";
    std::unique_ptr<WholeBytes> held;
    if (gcs && file->version.size >= 0 && file->version.size <= kReadWhole)
      held = WholeBytes::Take(file->version.size);
    const bool whole = held != nullptr;
    if (!whole && (gcs || file->version.size < 0)) ++counters->heads;
    if (gcs) ++counters->gets;
    if (whole) counters->get_bytes += file->version.size;
    auto input = access->Call<Opened>(
        file->filesystem, stop,
        [info, whole](arrow::fs::FileSystem& filesystem) -> arrow::Result<Opened> {
          Opened out;
          if (whole) {
            ARROW_ASSIGN_OR_RAISE(auto stream, filesystem.OpenInputStream(info));
            // One byte more tells a file that has grown.
            ARROW_ASSIGN_OR_RAISE(out.content, stream->Read(info.size() + 1));
            out.size = out.content->size();
            return out;
          }
          ARROW_ASSIGN_OR_RAISE(out.input, filesystem.OpenInputFile(info));
          ARROW_ASSIGN_OR_RAISE(out.size, out.input->GetSize());
          return out;
        });
    if (!input.ok()) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      return OpenError(input.status(), *file, stop);
    }
    std::shared_ptr<FilesystemFile> opened(
        new FilesystemFile(std::move(file), std::move(counters), std::move(access),
                           std::move(input->input), std::move(input->content), std::move(stop)));
    opened->held_ = std::move(held);
    // A store does not tell the time of what it opens. What is read is the version that was listed,
    // or a later one, and then the next listing tells another time.
    ARROW_RETURN_NOT_OK(opened->SetVersion({input->size, opened->source().version.mtime_ns}));
    return opened;
  }

 protected:
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t offset,
                                                       int64_t length) const override {
    if (content_) return arrow::SliceBuffer(content_, offset, length);
    ++counters().gets;
    counters().get_bytes += length;
    auto read = access_->Call<std::shared_ptr<arrow::Buffer>>(
        source().filesystem, stop_, [input = input_, offset, length](arrow::fs::FileSystem&) {
          return input->ReadAt(offset, length);
        });
    if (!read.ok()) {
      ARROW_RETURN_NOT_OK(stop_.Poll());
      return StoreError(read.status(), "Cannot read", access_->Name(source().path));
    }
    return read;
  }

 private:
  struct Opened {
    std::shared_ptr<arrow::io::RandomAccessFile> input;
    std::shared_ptr<arrow::Buffer> content;
    int64_t size = 0;
  };

  FilesystemFile(std::shared_ptr<const SourceFile> file,
                 std::shared_ptr<runtime::Counters> counters, std::shared_ptr<store::Access> access,
                 std::shared_ptr<arrow::io::RandomAccessFile> input,
                 std::shared_ptr<arrow::Buffer> content, arrow::StopToken stop)
      : OpenFile(std::move(file), std::move(counters)),
        access_(std::move(access)),
        input_(std::move(input)),
        content_(std::move(content)),
        stop_(std::move(stop)) {}
  const std::shared_ptr<store::Access> access_;
  const std::shared_ptr<arrow::io::RandomAccessFile> input_;
  const std::shared_ptr<arrow::Buffer> content_;  // all of it, instead of input_
  std::unique_ptr<WholeBytes> held_;              // for content_
  const arrow::StopToken stop_;
};

}  // namespace

int64_t RetriesOn(const std::shared_ptr<arrow::fs::FileSystem>& filesystem) {
  return store::Access::Of(filesystem)->retries();
}

arrow::Status FileChanged(const std::string& path, const std::string& how) {
  return Changed(path, how);
}

bool IsFileChanged(const arrow::Status& status) {
  return status.detail() &&
         status.detail()->type_id() == std::string_view(FileChangedDetail::kTypeId);
}

arrow::Result<std::optional<FileVersion>> Identify(const SourceFile& file) {
  if (!base::IsLocal(*file.filesystem)) {
    if (file.version.size < 0 || file.version.mtime_ns < 0) return std::nullopt;
    return file.version;
  }
  struct stat info;
  if (::stat(file.path.c_str(), &info) != 0) return FromErrno(errno, "Cannot open", file.path);
  if (!S_ISREG(info.st_mode)) return NotRegular(file.path);
  const FileVersion found = base::VersionOf(info);
  ARROW_RETURN_NOT_OK(CheckVersion(file, found));
  return found;
}

arrow::Result<std::shared_ptr<OpenFile>> OpenFile::Open(std::shared_ptr<const SourceFile> file,
                                                        std::shared_ptr<runtime::Counters> counters,
                                                        arrow::MemoryPool* pool,
                                                        arrow::StopToken stop) {
  ++counters->files_opened;
  if (base::IsLocal(*file->filesystem))
    return LocalFile::Make(std::move(file), std::move(counters), pool);
  return FilesystemFile::Make(std::move(file), std::move(counters), std::move(stop));
}

arrow::Status OpenFile::SetVersion(const FileVersion& version) {
  version_ = version;
  return CheckVersion(*file_, version);
}

ByteRange OpenFile::Resolve(ByteRange range) const {
  if (!range.from_end()) return range;
  int64_t length = std::min(range.length, size());
  return {size() - length, length};
}

arrow::Result<std::shared_ptr<arrow::Buffer>> OpenFile::Read(ByteRange range) const {
  ByteRange r = Resolve(range);
  if (r.offset < 0 || r.length < 0 || r.offset > size() || r.length > size() - r.offset) {
    return arrow::Status::IOError("'", file_->path, "' has ", size(),
                                  size() == 1 ? " byte" : " bytes", ", but refers to bytes ",
                                  r.offset, " to ", r.end(), ": it is truncated or corrupt");
  }
  ++counters_->requests;
  counters_->bytes_read += r.length;
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(r.offset, r.length));
  if (buffer->size() != r.length) {
    return arrow::Status::IOError("'", file_->path, "' ended at byte ", r.offset + buffer->size(),
                                  " while bytes up to ", r.end(),
                                  " were wanted: it was truncated while it was read");
  }
  return buffer;
}

}  // namespace shoal::storage
