#include "statistics_check.h"

#include <string>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api.h>

#include "must.h"
#include "plain_comparison.h"
#include "plain_evaluator.h"

namespace shoal::oracle {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using Bound = Precision<std::shared_ptr<arrow::Scalar>>;

ArrayPtr Call(const std::string& function, const ArrayPtr& values) {
  return Must(arrow::compute::CallFunction(function, {values})).make_array();
}

// The values that bounds speak of: decoded, not null, not NaN.
ArrayPtr Ordinary(const ArrayPtr& column) {
  ArrayPtr values = Must(PlainValues(column));
  ArrayPtr keep = Call("is_valid", values);
  if (arrow::is_floating(values->type_id())) {
    const ArrayPtr equal_to_itself = Must(ComparePlainly("equal", values, values));
    keep = Must(arrow::compute::CallFunction("and_kleene", {keep, equal_to_itself})).make_array();
  }
  return Must(arrow::compute::Filter(values, keep)).make_array();
}

int64_t CountTrue(const ArrayPtr& booleans) {
  return static_cast<const arrow::BooleanArray&>(*booleans).true_count();
}

AssertionResult CheckBound(const std::string& what, const Bound& bound,
                           const std::string& comparison, const arrow::DataType& type,
                           const ArrayPtr& ordinary) {
  if (bound.is_absent()) return AssertionSuccess();
  const auto& value = bound.value();
  const auto claim = [&] {
    return AssertionFailure() << what << " is said to be " << (bound.is_exact() ? "" : "about ")
                              << value->ToString() << " (" << *value->type << "), ";
  };
  if (!value->is_valid) return claim() << "which is null";
  if (!value->type->Equals(type)) return claim() << "but the column is " << type;
  const ArrayPtr repeated =
      Must(PlainValues(Must(arrow::MakeArrayFromScalar(*value, ordinary->length()))));
  const ArrayPtr within = Must(ComparePlainly(comparison, ordinary, repeated));
  if (CountTrue(within) != ordinary->length()) return claim() << "but there are values beyond it";
  if (bound.is_exact() && CountTrue(Must(ComparePlainly("equal", ordinary, repeated))) == 0) {
    return claim() << "but no row has it";
  }
  return AssertionSuccess();
}

AssertionResult CheckColumn(const std::string& name, const ColumnStatistics& claimed,
                            const ArrayPtr& column) {
  if (claimed.null_count.is_exact() && claimed.null_count.value() != column->null_count()) {
    return AssertionFailure() << name << " is said to have " << claimed.null_count.value()
                              << " nulls, but has " << column->null_count();
  }
  if (claimed.min.is_absent() && claimed.max.is_absent()) return AssertionSuccess();
  const ArrayPtr ordinary = Ordinary(column);
  // Of a dictionary, bounds are values.
  auto type = column->type();
  if (type->id() == arrow::Type::DICTIONARY) {
    type = static_cast<const arrow::DictionaryType&>(*type).value_type();
  }
  const auto min = CheckBound("min of " + name, claimed.min, "greater_equal", *type, ordinary);
  return min ? CheckBound("max of " + name, claimed.max, "less_equal", *type, ordinary) : min;
}

}  // namespace

AssertionResult StatisticsAreTrue(const ScanPlan& plan, const MadeDataset& dataset,
                                  const std::shared_ptr<arrow::Schema>& schema) {
  std::vector<arrow::ArrayVector> parts(schema->num_fields());
  int64_t rows = 0;
  for (const auto& fragment : plan.fragments) {
    const MadeFile* file = nullptr;
    for (const auto& made : dataset.files) {
      if (made.path == fragment.path) file = &made;
    }
    if (file == nullptr) return AssertionFailure() << fragment.path << " is no file of the dataset";
    const auto batch = Must(ReadPlainly(*file, fragment.row_groups, schema));
    const auto& claimed = fragment.num_rows;
    if (claimed.is_exact() && claimed.value() != batch->num_rows()) {
      return AssertionFailure() << fragment.path << " is said to have " << claimed.value()
                                << " rows, but has " << batch->num_rows();
    }
    rows += batch->num_rows();
    for (int c = 0; c < batch->num_columns(); ++c) parts[c].push_back(batch->column(c));
  }
  const auto& claimed = plan.statistics.num_rows;
  if (claimed.is_exact() && claimed.value() != rows) {
    return AssertionFailure() << "there are said to be " << claimed.value() << " rows, but are "
                              << rows;
  }
  if (plan.statistics.columns.empty()) return AssertionSuccess();
  for (int c = 0; c < schema->num_fields(); ++c) {
    parts[c].push_back(Must(arrow::MakeEmptyArray(schema->field(c)->type())));
    const auto checked = CheckColumn(schema->field(c)->name(), plan.statistics.columns.at(c),
                                     Must(arrow::Concatenate(parts[c])));
    if (!checked) return checked;
  }
  return AssertionSuccess();
}

}  // namespace shoal::oracle
