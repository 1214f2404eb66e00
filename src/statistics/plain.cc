#include "statistics/plain.h"

#include <utility>

#include <arrow/compute/cast.h>
#include <arrow/datum.h>

namespace shoal::statistics {

std::shared_ptr<arrow::DataType> PlainType(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::DICTIONARY:
      return PlainType(static_cast<const arrow::DictionaryType&>(*type).value_type());
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> Plain(std::shared_ptr<arrow::Array> array) {
  const auto type = PlainType(array->type());
  if (type->Equals(*array->type())) return array;
  // Not checked as UTF-8: a bound may be cut inside a character.
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_invalid_utf8 = true;
  ARROW_ASSIGN_OR_RAISE(arrow::Datum plain, arrow::compute::Cast(array, options));
  return plain.make_array();
}

}  // namespace shoal::statistics
