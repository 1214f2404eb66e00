// Directories of the local disk. The names and types come in large pieces from the system; a stat
// is only made where the type is not told, or the size is asked for.
#include "list/directory_reader.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "base/local_version.h"
#include "base/path.h"
#include "base/status_context.h"

namespace shoal::list {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

EntryType TypeOfMode(mode_t mode) {
  if (S_ISREG(mode)) return EntryType::kFile;
  if (S_ISDIR(mode)) return EntryType::kDirectory;
  return EntryType::kSpecial;
}

EntryType TypeOfEntry(unsigned char type) {
  switch (type) {
    case DT_REG:
      return EntryType::kFile;
    case DT_DIR:
      return EntryType::kDirectory;
    case DT_LNK:
    case DT_UNKNOWN:
      return EntryType::kUnresolved;
    default:
      return EntryType::kSpecial;
  }
}

void AddEntry(const char* name, unsigned char type, RawListing* out) {
  if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) return;
  out->Add(name, {TypeOfEntry(type)});
}

// Zero or an error number.
int ReadEntries(Descriptor* directory, RawListing* out) {
#ifdef __linux__
  // readdir() allocates and frees such a buffer for each directory.
  struct alignas(8) Buffer {
    char bytes[1 << 16];
  };
  static thread_local std::unique_ptr<Buffer> buffer;
  if (buffer == nullptr) buffer = std::make_unique<Buffer>();
  struct Entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    unsigned char type;
    char name[1];
  };
  while (true) {
    const auto got =
        syscall(SYS_getdents64, directory->get(), buffer->bytes, sizeof(buffer->bytes));
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (got == 0) return 0;
    for (int64_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer->bytes + at);
      AddEntry(buffer->bytes + at + offsetof(Entry, name), entry->type, out);
      at += entry->length;
    }
  }
#else
  DIR* stream = fdopendir(directory->get());
  if (stream == nullptr) return errno;
  directory->release();
  errno = 0;
  while (const dirent* entry = readdir(stream)) AddEntry(entry->d_name, entry->d_type, out);
  const int error = errno;
  closedir(stream);
  return error;
#endif
}

arrow::Status CannotRead(int error, std::string_view what, const std::string& path) {
  const std::string_view advice = error == EACCES || error == EPERM
                                      ? "Make it readable, or name only what is."
                                  : error == EMFILE ? "Raise the limit of open files."
                                                    : "";
  return base::ErrnoError(error, "Cannot read ", what, " '", path, "'. ", advice);
}

class LocalReader final : public DirectoryReader {
 public:
  arrow::Result<RawListing> Read(const std::string& prefix, bool missing_ok) const override {
    RawListing listing;
    Descriptor directory(open(prefix.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() < 0) {
      if (missing_ok && (errno == ENOENT || errno == ENOTDIR)) return listing;
      return CannotRead(errno, "the directory", prefix);
    }
    const int error = ReadEntries(&directory, &listing);
    if (error != 0) return CannotRead(error, "the directory", prefix);
    return listing;
  }

  arrow::Result<RawTree> ReadRecursive(const std::string& prefix) const override {
    return arrow::Status::NotImplemented("Local disks have no recursive request.");
  }

  arrow::Result<PathInfo> Look(const std::string& path, bool* dangling) const override {
    struct stat info;
    if (stat(path.c_str(), &info) == 0) {
      return PathInfo{TypeOfMode(info.st_mode), base::VersionOf(info)};
    }
    const int error = errno;
    if (error == ENAMETOOLONG) return PathInfo{};  // nothing can have that name
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) {
      const bool is_link = lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
      if (error == ELOOP) {
        return arrow::Status::Invalid("The link '", path, "' leads back to itself; remove it.");
      }
      if (dangling != nullptr) *dangling = is_link;
      return PathInfo{};
    }
    return CannotRead(error, "the path", path);
  }

  bool is_local() const override { return true; }
  bool is_object_store() const override { return false; }
  bool prefers_recursive() const override { return false; }
  bool requires_recursive() const override { return false; }
  std::string NameOf(const std::string& path) const override { return path; }

  arrow::Result<bool> ClosesLoop(const std::string& root, const std::string& path) const override {
    struct stat target;
    if (stat(path.c_str(), &target) != 0) return CannotRead(errno, "the link", path);
    const auto same = [&](const std::string& directory) {
      struct stat info;
      return stat(directory.c_str(), &info) == 0 && info.st_dev == target.st_dev &&
             info.st_ino == target.st_ino;
    };
    std::string_view above = base::ParentOf(path);
    for (; above.size() >= root.size() && !above.empty(); above = base::ParentOf(above)) {
      if (same(std::string(above))) return true;
      if (above == "/") break;
    }
    // A directory above the root leads down to it again.
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(root.c_str(), nullptr),
                                                           &std::free);
    if (real == nullptr) return false;
    above = real.get();
    while (above != "/" && !above.empty()) {
      if (same(std::string(above))) return true;
      above = base::ParentOf(above);
    }
    return same("/");
  }
};

}  // namespace

std::shared_ptr<const DirectoryReader> MakeLocalReader() { return std::make_shared<LocalReader>(); }

}  // namespace shoal::list
