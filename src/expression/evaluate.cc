#include "expression/evaluate.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/util/checked_cast.h>

#include "expression/compute_ready.h"

namespace shoal::expression {
namespace {

using arrow::Array;
using arrow::Result;
using arrow::Type;
using arrow::compute::Expression;
using arrow::internal::checked_cast;

// Arrow can't decode a dictionary of views, so the expression is given one of strings.
Result<std::shared_ptr<Array>> WithoutViewsInDictionary(const std::shared_ptr<Array>& column,
                                                        arrow::compute::ExecContext* context) {
  if (column->type_id() != Type::DICTIONARY) return column;
  const auto& array = checked_cast<const arrow::DictionaryArray&>(*column);
  Type::type values = array.dictionary()->type_id();
  if (!arrow::is_binary_view_like(values)) return column;
  auto plain = values == Type::STRING_VIEW ? arrow::utf8() : arrow::binary();
  ARROW_ASSIGN_OR_RAISE(auto dictionary, arrow::compute::Cast(*array.dictionary(), plain,
                                                              arrow::compute::CastOptions::Safe(), context));
  const auto& type = checked_cast<const arrow::DictionaryType&>(*column->type());
  return arrow::DictionaryArray::FromArrays(arrow::dictionary(type.index_type(), plain, type.ordered()),
                                            array.indices(), dictionary);
}

}  // namespace

Result<std::shared_ptr<Array>> Evaluate(const Expression& bound, const arrow::RecordBatch& batch,
                                        arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(MakeComputeReady());
  arrow::compute::ExecContext context(pool);
  arrow::compute::ExecBatch input(batch);
  if (bound.call() != nullptr) {
    for (int i = 0; i < batch.num_columns(); ++i) {
      if (batch.schema()->field(i)->type()->id() != Type::DICTIONARY) continue;
      ARROW_ASSIGN_OR_RAISE(input.values[i], WithoutViewsInDictionary(batch.column(i), &context));
    }
  }
  ARROW_ASSIGN_OR_RAISE(arrow::Datum value, arrow::compute::ExecuteScalarExpression(bound, input, &context));
  std::shared_ptr<Array> array;
  if (value.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(array, arrow::MakeArrayFromScalar(*value.scalar(), batch.num_rows(), pool));
  } else if (value.is_chunked_array()) {
    ARROW_ASSIGN_OR_RAISE(array, value.chunked_array()->num_chunks() == 0
                                     ? arrow::MakeEmptyArray(value.type(), pool)
                                     : arrow::Concatenate(value.chunked_array()->chunks(), pool));
  } else {
    array = value.make_array();
  }
  if (array->length() != batch.num_rows()) {
    return arrow::Status::Invalid("`", bound.ToString(), "` gave ", array->length(), " values for ", batch.num_rows(),
                                  " rows");
  }
  return array;
}

}  // namespace shoal::expression
