#include "store/access.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include <arrow/filesystem/filesystem.h>

#include "runtime/aside.h"
#include "runtime/lingering_thread.h"
#include "store/failure.h"
#include "store/open_again.h"

namespace shoal::store {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{100}, kLongestWait{5'000};
/// What is asked so long after the last answer, or error, is a new question.
constexpr milliseconds kNextQuestion{1'000};
constexpr const char* kAnyBucket = "shoal-is-there-an-answer";

/// Waits that grow, with chance in them, so that many callers do not come back at once.
milliseconds WaitBefore(int attempt) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const auto most = std::min(kFirstWait * (1 << std::min(attempt, 10)), kLongestWait);
  return milliseconds(
      std::uniform_int_distribution<int64_t>(most.count() / 2, most.count())(random));
}

std::string Seconds(milliseconds time) {
  const auto tenths = (time.count() + 50) / 100;
  const std::string whole = std::to_string(tenths / 10);
  return (tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10)) + " s";
}

/// Services write their answers on several lines.
arrow::Status OnOneLine(const arrow::Status& status) {
  std::string text = status.message();
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return status.WithMessage(text);
}

arrow::Status Sleep(milliseconds time, const arrow::StopToken& stop) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    ARROW_RETURN_NOT_OK(stop.Poll());
    std::this_thread::sleep_for(milliseconds(10));
  }
  return stop.Poll();
}

}  // namespace

std::string KindOf(const arrow::fs::FileSystem& filesystem) {
  const auto* tree = dynamic_cast<const arrow::fs::SubTreeFileSystem*>(&filesystem);
  return tree != nullptr ? KindOf(*tree->base_fs()) : filesystem.type_name();
}

Access::Access(const arrow::fs::FileSystem& filesystem)
    : kind_(KindOf(filesystem)), process_(::getpid()) {
  is_store_ = kind_ == "s3" || kind_ == "gcs" || kind_ == "abfs";
  if (!is_store_) return;
  scheme_ = (kind_ == "gcs" ? "gs" : kind_) + "://";
  for (const auto* at = &filesystem;;) {
    const auto* tree = dynamic_cast<const arrow::fs::SubTreeFileSystem*>(at);
    if (tree == nullptr) break;
    at = tree->base_fs().get();
    scheme_.insert(scheme_.find("://") + 3, tree->base_path());
  }
}

std::shared_ptr<Access> Access::Of(const FileSystem& filesystem) {
  struct Known {
    std::weak_ptr<arrow::fs::FileSystem> filesystem;
    std::shared_ptr<Access> access;
  };
  // Never destroyed: threads that were left behind may ask while static objects are destroyed.
  static auto* mutex = new base::ForkMutex;
  static auto* known = new std::unordered_map<const arrow::fs::FileSystem*, Known>;
  const auto find = [&]() -> std::shared_ptr<Access> {
    const auto it = known->find(filesystem.get());
    const bool found = it != known->end() && it->second.filesystem.lock() == filesystem;
    return found ? it->second.access : nullptr;
  };
  {
    std::lock_guard lock(*mutex);
    if (auto access = find()) return access;
  }
  // Made and unmade without the lock: a fork may wait for it.
  std::shared_ptr<Access> made(new Access(*filesystem));
  std::vector<std::shared_ptr<Access>> unused;
  std::lock_guard lock(*mutex);
  if (auto access = find()) return access;
  Known& entry = (*known)[filesystem.get()];
  unused.push_back(std::exchange(entry, {filesystem, made}).access);
  std::erase_if(*known, [&](auto& item) {
    if (!item.second.filesystem.expired()) return false;
    unused.push_back(std::move(item.second.access));
    return true;
  });
  return made;
}

arrow::Result<Access::FileSystem> Access::Usable(const FileSystem& filesystem) {
  if (kind_ == "abfs") ARROW_RETURN_NOT_OK(MayAskAzure());
  if (::getpid() != process_) {
    std::lock_guard lock(opening_);
    if (::getpid() != process_) {
      ARROW_ASSIGN_OR_RAISE(auto opened, OpenAgain(filesystem));
      // What a parent's fork had opened is not closed here: its connections are the parent's.
      if (reopened_) (void)new FileSystem(std::move(reopened_));
      reopened_ = std::move(opened);
      process_ = ::getpid();
    }
  }
  return reopened_ ? reopened_ : filesystem;
}

/// Beside a call that waits: whether the store is there at all.
void Access::AskForAnyAnswer(const FileSystem& filesystem) {
  ++*retries_;
  try {
    runtime::LingeringThread([self = shared_from_this(), filesystem] {
      try {
        // Whether there is such a bucket does not matter.
        const auto info = filesystem->GetFileInfo(kAnyBucket);
        if (info.ok() || Classify(info.status()) != Failure::kNoAnswer) self->has_answered_ = true;
      } catch (const std::exception&) {
        return;
      }
    }).Abandon();
  } catch (const std::system_error&) {
    return;
  }
}

/// A call of a store that may not have answered yet.
class Access::Silence {
 public:
  explicit Silence(Access* access) : access_(access) {
    const auto now = Clock::now();
    std::lock_guard lock(access_->mutex_);
    if (access_->calls_++ == 0 && now - access_->last_end_ > kNextQuestion) {
      access_->first_call_ = now;
      access_->asked_for_any_ = false;
    }
    since_ = access_->first_call_;
  }
  ~Silence() {
    std::lock_guard lock(access_->mutex_);
    --access_->calls_;
    access_->last_end_ = Clock::now();
  }
  /// Of the first call of the question.
  Clock::time_point since() const { return since_; }

 private:
  Access* const access_;
  Clock::time_point since_;
};

arrow::Status Access::Repeat(const FileSystem& filesystem, const arrow::StopToken& stop,
                             Answer answer,
                             const std::function<std::function<arrow::Status()>()>& next) {
  const auto start = Clock::now();
  const Silence silence(this);
  // Where it has not answered, the time is that of all calls together.
  const auto limit = [&] {
    const auto whole = start + limits_.deadline;
    return has_answered_ ? whole : std::min(whole, silence.since() + limits_.first_answer);
  };
  // The last attempt is often cut off by the deadline; what earlier ones were told says more than
  // its silence.
  arrow::Status told = arrow::Status::IOError("there was no answer");
  Failure reason = Failure::kNoAnswer;
  const auto given_up = [&](int attempts) {
    return told.WithMessage("given up after ",
                            Seconds(std::chrono::duration_cast<milliseconds>(
                                Clock::now() - (has_answered_ ? start : silence.since()))),
                            " and ", attempts,
                            attempts == 1 ? " attempt: " : " attempts: ", told.message(), ". ",
                            Advice(reason, kind_));
  };
  for (int attempt = 0;; ++attempt) {
    const auto left = std::chrono::ceil<milliseconds>(limit() - Clock::now());
    if (left <= milliseconds(0)) return given_up(attempt);
    const auto status = std::make_shared<arrow::Status>();
    const auto work = [status, call = next()] {
      try {
        *status = call();
      } catch (const std::exception& error) {
        *status = arrow::Status::UnknownError(error.what());
      }
    };
    bool heard = has_answered_;
    const auto judge = [&](runtime::Sign sign) -> std::optional<milliseconds> {
      if (sign == runtime::Sign::kTold) has_answered_ = true;
      if (!has_answered_) {
        if (Clock::now() >= silence.since() + limits_.first_answer * 3 / 5 &&
            !asked_for_any_.exchange(true)) {
          AskForAnyAnswer(filesystem);
        }
        return std::nullopt;
      }
      // It did answer, though perhaps to someone else.
      if (!std::exchange(heard, true)) return limits_.attempt;
      const bool gets_on = sign == runtime::Sign::kTold ||
                           (sign == runtime::Sign::kWorked && answer == Answer::kMany);
      return gets_on ? std::optional(limits_.attempt) : std::nullopt;
    };
    const bool ended = runtime::RunAside(work, std::min(left, limits_.attempt), stop, judge);
    ARROW_RETURN_NOT_OK(stop.Poll());
    if (ended && status->ok()) {
      has_answered_ = true;
      return arrow::Status::OK();
    }
    if (ended) {
      const arrow::Status failed = OnOneLine(*status);
      const Failure failure = Classify(failed);
      if (failure != Failure::kNoAnswer) has_answered_ = true;
      if (failure != Failure::kNoAnswer && failure != Failure::kBusy) {
        const std::string advice = Advice(failure, kind_);
        return advice.empty() ? failed : failed.WithMessage(failed.message(), ". ", advice);
      }
      told = failed;
      reason = failure;
    }
    const auto wait = WaitBefore(attempt);
    if (Clock::now() + wait >= limit()) return given_up(attempt + 1);
    ARROW_RETURN_NOT_OK(Sleep(wait, stop));
    ++*retries_;
  }
}

}  // namespace shoal::store
