#include "plan/facts_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include <arrow/filesystem/filesystem.h>
#include <arrow/util/io_util.h>

#define XXH_INLINE_ALL
#include <arrow/vendored/xxhash.h>

#include "base/status_context.h"

namespace shoal::plan {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".facts";
constexpr std::string_view kTemporary = ".facts-tmp-";
/// Clocks of file systems tick: two changes within this time may have one mtime.
constexpr int64_t kTickNs = 2'000'000'000;
/// Writing anew costs about as much as reading one footer in so many.
constexpr int64_t kWorthWriting = 64;
/// More waits for no end of a question.
constexpr int64_t kMostPendingBytes = int64_t{64} << 20;
constexpr std::chrono::hours kAbandoned{1};
constexpr size_t kLongestSubject = 4096;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string Hex(uint64_t number) {
  std::string out(16, '0');
  for (int i = 15; i >= 0; --i, number >>= 4) out[i] = "0123456789abcdef"[number & 15];
  return out;
}

/// Marks the file as used, for those who look for what may go.
void Touch(const std::string& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

/// What tells a filesystem from others on which the same paths mean other files.
std::string NameOf(const arrow::fs::FileSystem& filesystem) {
  const auto* tree = dynamic_cast<const arrow::fs::SubTreeFileSystem*>(&filesystem);
  if (tree == nullptr) return filesystem.type_name();
  return "subtree " + tree->base_path() + " of " + NameOf(*tree->base_fs());
}

}  // namespace

FactsStore::FactsStore(FactsStoreOptions options, std::shared_ptr<const FileFormat> format,
                       std::shared_ptr<arrow::fs::FileSystem> filesystem)
    : options_(std::move(options)),
      format_(std::move(format)),
      filesystem_(std::move(filesystem)),
      process_(::getpid()) {
  subject_ = std::string(format_->name()) + " " + NameOf(*filesystem_) + " " + options_.dataset;
  const XXH128_hash_t hash = XXH3_128bits(subject_.data(), subject_.size());
  path_ = (fs::path(options_.folder) / (Hex(hash.high64) + Hex(hash.low64))).string();
  path_ += kExtension;
  if (subject_.size() > kLongestSubject)
    subject_ = subject_.substr(0, kLongestSubject) + "... " + Hex(hash.high64) + Hex(hash.low64);
  auto opened = FactsFile::Open(path_, subject_, options_.byte_limit);
  if (opened.ok()) {
    file_ = *std::move(opened);
    Touch(path_);
  } else if (arrow::internal::ErrnoFromStatus(opened.status()) != ENOENT) {
    problem_ = "'" + path_ + "' is not used, " + opened.status().message();
  }
}

FactsStore::~FactsStore() { Persist(); }

std::shared_ptr<const FactsFile> FactsStore::file() const {
  std::lock_guard lock(mutex_);
  return file_;
}

bool FactsStore::MayHave(const std::string& path) const {
  const auto file = this->file();
  return file && file->Find(path, [](const KeptFacts&, int64_t) {});
}

std::shared_ptr<const FileFacts> FactsStore::Get(const std::string& path,
                                                 const FileVersion& version) {
  const auto file = this->file();
  if (!file || version.mtime_ns == FileVersion::kUnknown) return nullptr;
  std::shared_ptr<const FileFacts> facts;
  file->Find(path, [&](const KeptFacts& kept, int64_t row) {
    if (kept.version != version) return;
    auto restored = format_->RestoreFacts(
        kept.common, kept.own,
        std::make_shared<const SourceFile>(SourceFile{filesystem_, path, version}));
    if (!restored.ok()) return;
    file->MarkUsed(row);
    used_.fetch_add(1, std::memory_order_relaxed);
    facts = *std::move(restored);
  });
  return facts;
}

void FactsStore::Add(const std::string& path, const FileVersion& version, const FileFacts& facts) {
  if (version.mtime_ns == FileVersion::kUnknown || version.mtime_ns > NowNs() - kTickNs) return;
  auto saved = format_->SaveFacts(facts);
  if (!saved) return;
  bool much = false;
  {
    std::lock_guard lock(mutex_);
    const auto [common, is_new] = commons_.insert(std::move(saved->common));
    pending_bytes_ += static_cast<int64_t>(path.size() + saved->own.size() + sizeof(Pending) +
                                           (is_new ? common->size() : 0));
    pending_[path] = {version, &*common, std::move(saved->own)};
    much = pending_bytes_ > kMostPendingBytes;
  }
  if (much) Persist();
}

void FactsStore::Persist() {
  // Whatever a parent had in hand when it forked, its locks included, is its own.
  if (::getpid() != process_) return;
  std::lock_guard writing(persist_mutex_);
  PendingByPath added;
  std::unordered_set<std::string> commons;  // kept as long as `added` points into it
  {
    std::lock_guard lock(mutex_);
    const int64_t known = file_ ? file_->num_rows() : 0;
    if (pending_.empty() || static_cast<int64_t>(pending_.size()) < known / kWorthWriting) return;
    added.swap(pending_);
    commons.swap(commons_);
    pending_bytes_ = 0;
  }
  // What others have written in the meantime is kept too.
  auto mine = file();
  auto current = FactsFile::Open(path_, subject_, options_.byte_limit);
  std::shared_ptr<const FactsFile> old = current.ok() ? *current : nullptr;
  if (old && mine && old->checksum() == mine->checksum()) old = std::move(mine);
  auto bytes = Merge(old.get(), added);
  if (!bytes.ok() && old) bytes = Merge(nullptr, added);
  arrow::Status status = bytes.ok() ? Write(**bytes) : bytes.status();
  if (!status.ok()) {
    SetProblem("'" + path_ + "' is not written: " + base::MessageWithReason(status));
    return;
  }
  KeepToLimit();
  auto written = FactsFile::Open(path_, subject_, options_.byte_limit);
  std::lock_guard lock(mutex_);
  if (written.ok()) file_ = *std::move(written);
  added_ += static_cast<int64_t>(added.size());
  problem_.clear();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FactsStore::Merge(const FactsFile* old,
                                                                const PendingByPath& added) const {
  const int64_t now = NowNs() / 1'000'000'000;
  using Visit = std::function<arrow::Status(const KeptFacts&)>;
  const auto merged = [&](const Visit& visit) -> arrow::Status {
    auto next = added.begin();
    const auto take_next = [&] {
      const Pending& p = next->second;
      const KeptFacts row{next->first, p.version, now, *p.common, p.own};
      ++next;
      return visit(row);
    };
    if (old) {
      ARROW_RETURN_NOT_OK(old->ForEach([&](KeptFacts row, int64_t number) -> arrow::Status {
        while (next != added.end() && next->first < row.path) ARROW_RETURN_NOT_OK(take_next());
        if (next != added.end() && next->first == row.path) return take_next();
        if (old->IsUsed(number)) row.used = now;
        return visit(row);
      }));
    }
    while (next != added.end()) ARROW_RETURN_NOT_OK(take_next());
    return arrow::Status::OK();
  };
  ARROW_ASSIGN_OR_RAISE(auto bytes, WriteFactsFile(subject_, merged));
  if (bytes->size() <= options_.byte_limit) return bytes;

  // Too large: what was of no use for longest goes.
  struct Row {
    int64_t used, number, bytes;
  };
  std::vector<Row> rows;
  int64_t total = 0;
  ARROW_RETURN_NOT_OK(merged([&](const KeptFacts& row) {
    rows.push_back({row.used, static_cast<int64_t>(rows.size()), row.bytes()});
    total += row.bytes();
    return arrow::Status::OK();
  }));
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(-a.used, a.number) < std::pair(-b.used, b.number);
  });
  double share = 0.9;
  for (int attempt = 0; attempt < 4; ++attempt, share *= 0.7) {
    const double fits =
        static_cast<double>(options_.byte_limit) / static_cast<double>(bytes->size());
    int64_t room = static_cast<int64_t>(static_cast<double>(total) * fits * share);
    std::vector<bool> keep(rows.size(), false);
    for (const Row& row : rows) {
      room -= row.bytes;
      if (room < 0) break;
      keep[row.number] = true;
    }
    ARROW_ASSIGN_OR_RAISE(auto fewer, WriteFactsFile(subject_, [&](const Visit& visit) {
                            size_t number = 0;
                            return merged([&](const KeptFacts& row) {
                              return keep[number++] ? visit(row) : arrow::Status::OK();
                            });
                          }));
    if (fewer->size() <= options_.byte_limit) return fewer;
  }
  return arrow::Status::CapacityError("the limit of ", options_.byte_limit,
                                      " bytes has no room for anything");
}

/// Under another name first, so that nobody sees half of it. It is not forced to the disk: what a
/// crash leaves of it has a wrong checksum, and is made again.
arrow::Status FactsStore::Write(const arrow::Buffer& bytes) const {
  std::error_code error;
  // Names of files and bounds of their columns are no one else's business.
  if (fs::create_directories(options_.folder, error))
    fs::permissions(options_.folder, fs::perms::owner_all, error);
  if (error)
    return base::ErrnoError(error.value(), "cannot make the folder '", options_.folder, "'");
  std::string name = path_.substr(0, path_.size() - kExtension.size());
  static std::atomic<int64_t> count{0};
  name.append(kTemporary).append(std::to_string(::getpid())).append("-");
  name.append(std::to_string(count++));
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return base::ErrnoError(errno, "cannot make '", name, "'");
  int64_t done = 0;
  int failed = 0;
  while (done < bytes.size() && failed == 0) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n >= 0) {
      done += n;
    } else if (errno != EINTR) {
      failed = errno;
    }
  }
  if (::close(fd) != 0 && failed == 0) failed = errno;
  if (failed == 0 && ::rename(name.c_str(), path_.c_str()) != 0) failed = errno;
  if (failed == 0) return arrow::Status::OK();
  ::unlink(name.c_str());
  return base::ErrnoError(failed, "cannot write '", name, "'");
}

/// Of the folder's files those that were used least recently go, and what writers that died have
/// left behind.
void FactsStore::KeepToLimit() const {
  struct Found {
    fs::file_time_type time;
    int64_t bytes;
    fs::path path;
  };
  std::vector<Found> found;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(options_.folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code gone;
    const auto time = it->last_write_time(gone);
    const auto bytes = it->is_regular_file(gone) ? static_cast<int64_t>(it->file_size(gone)) : 0;
    if (gone) continue;
    if (name.find(kTemporary) != std::string::npos) {
      if (fs::file_time_type::clock::now() - time > kAbandoned) fs::remove(it->path(), gone);
    } else if (name.ends_with(kExtension)) {
      total += bytes;
      if (it->path() != fs::path(path_)) found.push_back({time, bytes, it->path()});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.time < b.time; });
  for (size_t i = 0; i < found.size() && total > options_.byte_limit; ++i) {
    std::error_code gone;
    fs::remove(found[i].path, gone);
    total -= found[i].bytes;
  }
}

void FactsStore::SetProblem(std::string problem) {
  std::lock_guard lock(mutex_);
  problem_ = std::move(problem);
}

FactsStore::Report FactsStore::report() const {
  std::lock_guard lock(mutex_);
  return {path_, file_ ? file_->num_rows() : 0, used_.load(), added_, problem_};
}

}  // namespace shoal::plan
