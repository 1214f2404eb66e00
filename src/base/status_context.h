// Errors that say what was being done: a sentence is put in front, code and detail stay.
#pragma once

#include <cstring>
#include <string>

#include <arrow/status.h>
#include <arrow/util/io_util.h>

namespace shoal::base {

/// "`context`: `status`". OK stays OK.
inline arrow::Status WithContext(const arrow::Status& status, const std::string& context) {
  if (status.ok()) return status;
  return status.WithMessage(context, ": ", status.message());
}

/// The message, with what the operating system said if the status carries that.
inline std::string MessageWithReason(const arrow::Status& status) {
  const int number = arrow::internal::ErrnoFromStatus(status);
  return status.message() + (number == 0 ? "" : std::string(": ") + std::strerror(number));
}

/// An error that carries `error_number`, so that callers can tell a missing file from a forbidden
/// one.
template <typename... Args>
arrow::Status ErrnoError(int error_number, Args&&... message) {
  return arrow::internal::IOErrorFromErrno(error_number, std::forward<Args>(message)...);
}

}  // namespace shoal::base
