#include "store/access.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>

#include <arrow/filesystem/filesystem.h>

#include "runtime/aside.h"
#include "store/failure.h"

namespace shoal::store {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{100}, kLongestWait{5'000};

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
  const auto until = Clock::now() + time;
  while (Clock::now() < until) {
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

Access::Access(const arrow::fs::FileSystem& filesystem) : kind_(KindOf(filesystem)) {
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

std::shared_ptr<Access> Access::Of(const std::shared_ptr<arrow::fs::FileSystem>& filesystem) {
  struct Known {
    std::weak_ptr<arrow::fs::FileSystem> filesystem;
    std::shared_ptr<Access> access;
  };
  static std::mutex mutex;
  // Never destroyed: threads that were left behind may ask while static objects are destroyed.
  static auto* known = new std::unordered_map<const arrow::fs::FileSystem*, Known>;
  std::lock_guard lock(mutex);
  Known& entry = (*known)[filesystem.get()];
  if (entry.access == nullptr || entry.filesystem.lock() != filesystem) {
    entry = {filesystem, std::shared_ptr<Access>(new Access(*filesystem))};
    std::erase_if(*known, [](const auto& item) { return item.second.filesystem.expired(); });
    return (*known)[filesystem.get()].access;
  }
  return entry.access;
}

arrow::Status Access::Repeat(const arrow::StopToken& stop, Answer answer,
                             const std::function<std::function<arrow::Status()>()>& next) const {
  const auto start = Clock::now();
  // The last attempt is often cut off by the deadline; what earlier ones were told says more than its silence.
  arrow::Status told;
  for (int attempt = 0;; ++attempt) {
    const auto status = std::make_shared<arrow::Status>();
    const auto work = [status, call = next()] {
      try {
        *status = call();
      } catch (const std::exception& error) {
        *status = arrow::Status::UnknownError(error.what());
      }
    };
    auto limit = [&] {
      return has_answered_ ? limits_.deadline : std::min(limits_.deadline, limits_.first_answer);
    };
    const auto left = std::chrono::ceil<milliseconds>(start + limit() - Clock::now());
    const bool ended =
        runtime::RunAside(work, std::min(left, limits_.attempt), stop, answer == Answer::kMany);
    ARROW_RETURN_NOT_OK(stop.Poll());
    if (ended && status->ok()) {
      has_answered_ = true;
      return arrow::Status::OK();
    }
    const arrow::Status failed =
        ended ? OnOneLine(*status) : arrow::Status::IOError("there was no answer");
    const Failure failure = ended ? Classify(failed) : Failure::kNoAnswer;
    if (failure != Failure::kNoAnswer) has_answered_ = true;
    if (failure != Failure::kNoAnswer && failure != Failure::kBusy) {
      const std::string advice = Advice(failure, kind_);
      return advice.empty() ? failed : failed.WithMessage(failed.message(), ". ", advice);
    }
    if (ended) told = failed;
    const auto wait = WaitBefore(attempt);
    if (Clock::now() + wait >= start + limit()) {
      const arrow::Status& reason = told.ok() ? failed : told;
      return reason.WithMessage(
          "given up after ",
          Seconds(std::chrono::duration_cast<milliseconds>(Clock::now() - start)), " and ",
          attempt + 1, attempt == 0 ? " attempt: " : " attempts: ", reason.message(), ". ",
          Advice(Classify(reason), kind_));
    }
    ARROW_RETURN_NOT_OK(Sleep(wait, stop));
    ++*retries_;
  }
}

}  // namespace shoal::store
