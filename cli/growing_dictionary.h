// One dictionary for a column whose batches each bring their own.
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>

namespace shoal::cli {

/// An Arrow file can add values to a column's dictionary, but not replace it. This one only ever
/// grows at its end, and batches are given indices into it.
class GrowingDictionary {
 public:
  /// The column over the dictionary known so far, and the new values of its own.
  arrow::Result<std::shared_ptr<arrow::Array>> Adopt(
      const std::shared_ptr<arrow::DictionaryArray>& column);

 private:
  std::shared_ptr<arrow::Array> values_;
};

}  // namespace shoal::cli
