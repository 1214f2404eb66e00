#include "growing_dictionary.h"

#include <cstring>
#include <utility>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/api_vector.h>

namespace shoal::cli {

arrow::Result<std::shared_ptr<arrow::Array>> GrowingDictionary::Adopt(
    const std::shared_ptr<arrow::DictionaryArray>& column) {
  const auto& incoming = column->dictionary();
  if (!values_) {
    values_ = incoming;
    return column;
  }
  if (incoming->Equals(*values_)) {
    // Nothing to add, but the writer compares dictionaries by content only after their addresses.
    return arrow::DictionaryArray::FromArrays(column->type(), column->indices(), values_);
  }
  ARROW_ASSIGN_OR_RAISE(
      auto found, arrow::compute::IndexIn(incoming, arrow::compute::SetLookupOptions(values_)));
  const auto known = std::static_pointer_cast<arrow::Int32Array>(found.make_array());
  ARROW_ASSIGN_OR_RAISE(auto place, arrow::AllocateBuffer(incoming->length() * sizeof(int32_t)));
  auto* places = reinterpret_cast<int32_t*>(place->mutable_data());
  arrow::ArrayVector parts = {values_};
  auto length = static_cast<int32_t>(values_->length());
  for (int64_t i = 0; i < incoming->length(); ++i) {
    if (known->IsValid(i)) {
      places[i] = known->Value(i);
    } else {
      places[i] = length++;
      parts.push_back(incoming->Slice(i, 1));
    }
  }
  if (parts.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(values_, arrow::Concatenate(parts));
  }
  return column->Transpose(column->type(), values_, places);
}

}  // namespace shoal::cli
