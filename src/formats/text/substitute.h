// What values are read as where text can't be read as the table's type.
#pragma once

#include <memory>

#include <arrow/type.h>

namespace shoal::formats::text {

/// See TextTyping::ReadFacts.
inline std::shared_ptr<arrow::DataType> SubstituteOf(const arrow::DataType& type, bool declared) {
  const bool is_text = arrow::is_string(type.id()) || type.id() == arrow::Type::STRING_VIEW;
  return declared || is_text ? arrow::utf8() : arrow::null();
}

}  // namespace shoal::formats::text
