// How the program ends: its exit statuses, and the one line that says what went wrong.
#pragma once

#include <string>
#include <utility>

#include <arrow/status.h>

namespace shoal::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
/// As a shell reports a program that SIGPIPE ended: whoever read the output wanted no more of it.
inline constexpr int kClosedPipe = 141;

/// `status` with another exit status than kFailed.
arrow::Status WithExitStatus(const arrow::Status& status, int exit_status);

/// An error of the command line itself, found before any file is looked at.
template <typename... Args>
arrow::Status UsageError(Args&&... args) {
  return WithExitStatus(arrow::Status::Invalid(std::forward<Args>(args)...), kUsage);
}

int ExitStatusOf(const arrow::Status& status);

/// The message on one line, without names of status codes and places in source code, but with what
/// the operating system said. Control characters are escaped.
std::string OneLine(const arrow::Status& status);

}  // namespace shoal::cli
