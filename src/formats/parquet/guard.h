// libparquet throws; shoal does not.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <arrow/status.h>
#include <parquet/exception.h>

namespace shoal::formats::parquet {

/// Runs `body` (which returns a Status or Result) and turns what libparquet throws into a Status
/// that names the file.
template <typename Body>
auto Guard(const std::string& path, Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const ::parquet::ParquetStatusException& e) {
    return e.status().WithMessage("'", path, "': ", e.status().message());
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("'", path, "': not enough memory");
  } catch (const std::exception& e) {
    return arrow::Status::IOError("'", path, "': ", e.what());
  }
}

}  // namespace shoal::formats::parquet
