// For the parts of a test that make its data: they don't fail, or the test is wrong.
#pragma once

#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

namespace shoal::oracle {

inline void Must(const arrow::Status& status) {
  if (!status.ok()) status.Abort();
}
template <typename T>
T Must(arrow::Result<T> result) {
  return std::move(result).ValueOrDie();
}

}  // namespace shoal::oracle
