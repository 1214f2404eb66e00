// How a store is asked: again where it fails for a moment, and not for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

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
  /// A store that has never answered gets only so long: it is most likely not there.
  std::chrono::milliseconds first_answer{4'000};
};

/// Of one filesystem. Thread-safe.
class Access {
 public:
  /// That of the filesystem; the same for all who ask while it lives.
  static std::shared_ptr<Access> Of(const std::shared_ptr<arrow::fs::FileSystem>& filesystem);

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
  /// so it must own all that it uses. Errors say what to do, but not what was asked. On filesystems
  /// that are no stores, `attempt` is simply called.
  template <typename T>
  arrow::Result<T> Call(const arrow::StopToken& stop, std::function<arrow::Result<T>()> attempt,
                        Answer answer = Answer::kOne) const {
    if (!is_store_) return attempt();
    std::shared_ptr<arrow::Result<T>> result;
    ARROW_RETURN_NOT_OK(Repeat(stop, answer, [&]() -> std::function<arrow::Status()> {
      // One for each attempt: an earlier one may still write into its own.
      result = std::make_shared<arrow::Result<T>>(arrow::Status::Cancelled("not asked"));
      return [result, attempt] {
        *result = attempt();
        return result->status();
      };
    }));
    return *std::move(result);
  }

 private:
  explicit Access(const arrow::fs::FileSystem& filesystem);
  arrow::Status Repeat(const arrow::StopToken& stop, Answer answer,
                       const std::function<std::function<arrow::Status()>()>& next) const;

  bool is_store_;
  std::string kind_, scheme_;
  Limits limits_;
  mutable std::atomic<bool> has_answered_{false};
  std::shared_ptr<std::atomic<int64_t>> retries_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace shoal::store
