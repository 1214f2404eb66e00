#include "testing/same_rows.h"

#include <memory>

#include <arrow/chunked_array.h>
#include <arrow/compute/api.h>

namespace shoal::testing {

namespace {

arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Plain(
    const std::shared_ptr<arrow::ChunkedArray>& column) {
  if (column->type()->id() != arrow::Type::DICTIONARY) return column;
  const auto& type = static_cast<const arrow::DictionaryType&>(*column->type());
  arrow::ArrayVector chunks;
  for (const auto& chunk : column->chunks()) {
    ARROW_ASSIGN_OR_RAISE(auto values, arrow::compute::CallFunction("dictionary_decode", {chunk}));
    chunks.push_back(values.make_array());
  }
  return arrow::ChunkedArray::Make(std::move(chunks), type.value_type());
}

}  // namespace

arrow::Status SameRows(const arrow::Table& got, const arrow::Table& expected) {
  if (!got.schema()->Equals(*expected.schema(), /*check_metadata=*/false)) {
    return arrow::Status::Invalid("the schema is\n", got.schema()->ToString(), "\nand should be\n",
                                  expected.schema()->ToString());
  }
  if (got.num_rows() != expected.num_rows()) {
    return arrow::Status::Invalid("there are ", got.num_rows(), " rows, and should be ",
                                  expected.num_rows());
  }
  for (int i = 0; i < got.num_columns(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto a, Plain(got.column(i)));
    ARROW_ASSIGN_OR_RAISE(auto b, Plain(expected.column(i)));
    if (!a->Equals(*b, arrow::EqualOptions::Defaults().nans_equal(true))) {
      return arrow::Status::Invalid("column '", got.schema()->field(i)->name(), "' is\n",
                                    a->ToString(), "\nand should be\n", b->ToString());
    }
  }
  return arrow::Status::OK();
}

}  // namespace shoal::testing
