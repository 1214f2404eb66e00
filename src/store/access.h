// How a store is asked: again where it fails for a moment, and not for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include "base/fork_mutex.h"

namespace shoal::store {

/// "s3", "gcs", "abfs", or what else the filesystem, or the one that it is a subtree of, says of
/// itself.
std::string KindOf(const arrow::fs::FileSystem& filesystem);

struct Limits {
  /// Of one operation (a listing, a range of a file) with all that is done to repeat it. An attempt
  /// that gets on is not cut off by it: a listing of many pages takes its time.
  std::chrono::milliseconds deadline{60'000};
  /// An attempt without a sign for so long is given up, and made again.
  std::chrono::milliseconds attempt{15'000};
  /// A store that has never answered gets only so long, for all that is asked of it together: it is
  /// most likely not there. Where one request takes most of that time, another is made beside it,
  /// to which any answer will do.
  std::chrono::milliseconds first_answer{3'500};
};

/// Of one filesystem. Thread-safe. A child of fork() may use it, but asks through a filesystem that
/// is opened anew: the connections are its parent's.
class Access : public std::enable_shared_from_this<Access> {
 public:
  using FileSystem = std::shared_ptr<arrow::fs::FileSystem>;

  /// That of the filesystem; the same for all who ask while it lives.
  static std::shared_ptr<Access> Of(const FileSystem& filesystem);

  /// A path as messages name it: on stores a URI.
  std::string Name(const std::string& path) const { return scheme_ + path; }
  void SetLimits(Limits limits) { limits_ = limits; }  // before the first call
  /// Where the client counts what it repeats itself. Before the first call.
  void SetRetries(std::shared_ptr<std::atomic<int64_t>> retries) { retries_ = std::move(retries); }
  /// Requests made again so far, on this filesystem.
  int64_t retries() const { return *retries_; }

  /// How a question is answered: by one request, or by many that only its end tells of.
  enum class Answer : bool { kOne, kMany };

  /// What `attempt` returns, which may be called several times, and left behind in another thread:
  /// so it must own all that it uses. It is given the filesystem to ask, which is the one that this
  /// is of, or the same opened again. Errors say what to do, but not what was asked. On filesystems
  /// that are no stores, `attempt` is simply called.
  template <typename T>
  arrow::Result<T> Call(const FileSystem& filesystem, const arrow::StopToken& stop,
                        std::function<arrow::Result<T>(arrow::fs::FileSystem&)> attempt,
                        Answer answer = Answer::kOne) {
    if (!is_store_) return attempt(*filesystem);
    ARROW_ASSIGN_OR_RAISE(FileSystem usable, Usable(filesystem));
    std::shared_ptr<arrow::Result<T>> result;
    ARROW_RETURN_NOT_OK(Repeat(usable, stop, answer, [&]() -> std::function<arrow::Status()> {
      // One for each attempt: an earlier one may still write into its own.
      result = std::make_shared<arrow::Result<T>>(arrow::Status::Cancelled("not asked"));
      return [result, attempt, usable] {
        *result = attempt(*usable);
        return result->status();
      };
    }));
    return *std::move(result);
  }

 private:
  using Clock = std::chrono::steady_clock;
  class Silence;

  explicit Access(const arrow::fs::FileSystem& filesystem);
  arrow::Result<FileSystem> Usable(const FileSystem& filesystem);
  arrow::Status Repeat(const FileSystem& filesystem, const arrow::StopToken& stop, Answer answer,
                       const std::function<std::function<arrow::Status()>()>& next);
  void AskForAnyAnswer(const FileSystem& filesystem);

  bool is_store_;
  std::string kind_, scheme_;
  Limits limits_;
  std::shared_ptr<std::atomic<int64_t>> retries_ = std::make_shared<std::atomic<int64_t>>(0);
  std::atomic<bool> has_answered_{false};
  base::ForkMutex opening_{base::ForkMutex::Over::kBreaks};
  std::atomic<pid_t> process_;  // whose the connections are
  FileSystem reopened_;         // in a child
  base::ForkMutex mutex_;
  // Of a store that has not answered: the calls of one question, which share its patience.
  int calls_ = 0;
  Clock::time_point first_call_, last_end_;
  std::atomic<bool> asked_for_any_{false};
};

}  // namespace shoal::store
