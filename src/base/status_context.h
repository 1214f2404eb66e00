// Errors that say what was being done: a sentence is put in front, code and detail stay.
#pragma once

#include <string>

#include <arrow/status.h>
#include <arrow/util/io_util.h>

namespace shoal::base {

/// "`context`: `status`". OK stays OK.
inline arrow::Status WithContext(const arrow::Status& status, const std::string& context) {
  if (status.ok()) return status;
  return status.WithMessage(context, ": ", status.message());
}

/// An error that carries `error_number`, so that callers can tell a missing file from a forbidden
/// one.
template <typename... Args>
arrow::Status ErrnoError(int error_number, Args&&... message) {
  return arrow::internal::IOErrorFromErrno(error_number, std::forward<Args>(message)...);
}

}  // namespace shoal::base
