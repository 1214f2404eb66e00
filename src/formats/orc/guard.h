// liborc throws, and not all of it is caught by Arrow; shoal does not.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <arrow/status.h>

namespace shoal::formats::orc {

/// Runs `body` (which returns a Status or Result); an error of it, or what it throws, becomes a
/// Status that names the file.
template <typename Body>
auto Guard(const std::string& path, Body&& body) -> decltype(body()) {
  const auto named = [&](const arrow::Status& status) {
    const std::string name = "'" + path + "'";
    if (status.message().starts_with(name)) return status;
    const std::string message = name + ": " + status.message();
    // Arrow does not know all that liborc throws; what it meets in a file is the file's fault.
    return status.IsUnknownError() ? arrow::Status::IOError(message) : status.WithMessage(message);
  };
  try {
    auto result = std::forward<Body>(body)();
    if (result.ok()) return result;
    return named(arrow::Status(result.status()));
  } catch (const std::bad_alloc&) {
    return named(arrow::Status::OutOfMemory("not enough memory"));
  } catch (const std::exception& e) {
    return named(arrow::Status::IOError(e.what()));
  }
}

}  // namespace shoal::formats::orc
