#include "expression/evaluate.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/util/checked_cast.h>

#include "expression/compute_ready.h"
#include "expression/conjuncts.h"

namespace shoal::expression {
namespace {

using arrow::Array;
using arrow::Result;
using arrow::Type;
using arrow::compute::Expression;
using arrow::internal::checked_cast;

bool IsDictionaryOfViews(const arrow::DataType& type) {
  if (type.id() != Type::DICTIONARY) return false;
  return arrow::is_binary_view_like(
      checked_cast<const arrow::DictionaryType&>(type).value_type()->id());
}

Result<std::shared_ptr<Array>> WithoutViews(const arrow::DictionaryArray& array,
                                            arrow::compute::ExecContext* context) {
  auto plain = array.dictionary()->type_id() == Type::STRING_VIEW ? arrow::utf8() : arrow::binary();
  ARROW_ASSIGN_OR_RAISE(auto dictionary,
                        arrow::compute::Cast(*array.dictionary(), plain,
                                             arrow::compute::CastOptions::Safe(), context));
  const auto& type = checked_cast<const arrow::DictionaryType&>(*array.type());
  return arrow::DictionaryArray::FromArrays(
      arrow::dictionary(type.index_type(), plain, type.ordered()), array.indices(), dictionary);
}

struct Input {
  Expression expression;
  std::shared_ptr<arrow::RecordBatch> batch;  // nullptr: the one given
};

// Arrow can't decode a dictionary of views. An expression that uses one is given a dictionary of
// strings, and bound to it: it says the same of both.
Result<Input> Decodable(const Expression& bound, const arrow::RecordBatch& batch,
                        arrow::compute::ExecContext* context) {
  Input input{bound, nullptr};
  if (bound.call() == nullptr) return input;
  bool any = false;
  for (const auto& field : batch.schema()->fields())
    any = any || IsDictionaryOfViews(*field->type());
  if (!any) return input;
  ARROW_ASSIGN_OR_RAISE(std::vector<arrow::FieldPath> used, UsedColumns(bound, *batch.schema()));
  for (const arrow::FieldPath& path : used) {
    int index = path.indices()[0];
    const std::shared_ptr<Array>& column = batch.column(index);
    if (!IsDictionaryOfViews(*column->type())) continue;
    ARROW_ASSIGN_OR_RAISE(
        auto plain, WithoutViews(checked_cast<const arrow::DictionaryArray&>(*column), context));
    auto field = batch.schema()->field(index)->WithType(plain->type());
    const auto& from = input.batch ? *input.batch : batch;
    ARROW_ASSIGN_OR_RAISE(input.batch, from.SetColumn(index, field, plain));
  }
  if (input.batch) {
    ARROW_ASSIGN_OR_RAISE(input.expression, bound.Bind(*input.batch->schema(), context));
  }
  return input;
}

// The error, with the innermost part of the expression that raises it.
arrow::Status NamePart(const Expression& expression, const arrow::Status& error,
                       const arrow::compute::ExecBatch& values,
                       arrow::compute::ExecContext* context) {
  if (error.IsCancelled() || error.IsOutOfMemory() || error.detail() != nullptr) return error;
  if (const auto* parts = expression.call()) {
    for (const Expression& argument : parts->arguments) {
      if (argument.call() == nullptr) continue;
      auto value = arrow::compute::ExecuteScalarExpression(argument, values, context);
      if (!value.ok()) return NamePart(argument, value.status(), values, context);
    }
  }
  return CannotCompute(expression, error);
}

}  // namespace

arrow::Status CannotCompute(const Expression& expression, const arrow::Status& error) {
  return error.WithMessage("`", ToText(expression), "` can't be computed: ", error.message());
}

Result<std::shared_ptr<Array>> Evaluate(const Expression& bound, const arrow::RecordBatch& batch,
                                        arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(MakeComputeReady());
  arrow::compute::ExecContext context(pool);
  ARROW_ASSIGN_OR_RAISE(Input input, Decodable(bound, batch, &context));
  arrow::compute::ExecBatch values(input.batch ? *input.batch : batch);
  auto evaluated = arrow::compute::ExecuteScalarExpression(input.expression, values, &context);
  if (!evaluated.ok()) return NamePart(input.expression, evaluated.status(), values, &context);
  const arrow::Datum& value = *evaluated;
  std::shared_ptr<Array> array;
  if (value.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(array,
                          arrow::MakeArrayFromScalar(*value.scalar(), batch.num_rows(), pool));
  } else if (value.is_chunked_array()) {
    ARROW_ASSIGN_OR_RAISE(array, value.chunked_array()->num_chunks() == 0
                                     ? arrow::MakeEmptyArray(value.type(), pool)
                                     : arrow::Concatenate(value.chunked_array()->chunks(), pool));
  } else {
    array = value.make_array();
  }
  if (array->length() != batch.num_rows()) {
    return arrow::Status::Invalid("`", ToText(bound), "` gave ", array->length(), " values for ",
                                  batch.num_rows(), " rows");
  }
  return array;
}

}  // namespace shoal::expression
