#include "schema/fold.h"

#include <algorithm>

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/scalar.h>

namespace shoal::schema {

namespace {

arrow::Result<std::string> FoldByUnicode(std::string_view name) {
  static const arrow::Status ready = arrow::compute::Initialize();
  ARROW_RETURN_NOT_OK(ready);
  ARROW_ASSIGN_OR_RAISE(
      auto folded, arrow::compute::CallFunction(
                       "utf8_lower", {std::make_shared<arrow::StringScalar>(std::string(name))}));
  return static_cast<const arrow::StringScalar&>(*folded.scalar()).value->ToString();
}

}  // namespace

std::string Fold(std::string_view name) {
  if (std::any_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; })) {
    if (auto folded = FoldByUnicode(name); folded.ok()) return *std::move(folded);
  }
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace shoal::schema
