// Random filters over the columns of a table, with literals that its rows are likely to meet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/record_batch.h>

#include "random_source.h"

namespace shoal::oracle {

/// Something a filter or a projection can name: a column, or a field inside structs.
struct Operand {
  arrow::FieldRef ref;
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::shared_ptr<arrow::Array> values;  // decoded
};

class FilterMaker {
 public:
  /// Columns named in `favourites` (partition keys, say) come more often.
  FilterMaker(const arrow::RecordBatch& rows, const std::vector<std::string>& favourites,
              Random& random);

  arrow::compute::Expression Filter(int depth);
  const std::vector<Operand>& operands() const { return operands_; }

 private:
  void AddOperands(const arrow::FieldRef& ref, const std::string& name,
                   const std::shared_ptr<arrow::DataType>& type, const arrow::RecordBatch& rows);
  arrow::compute::Expression Predicate();
  arrow::compute::Expression Comparison(const Operand& operand);
  arrow::compute::Expression IsIn(const Operand& operand);
  arrow::compute::Expression Pattern(const Operand& operand);
  arrow::compute::Expression Cast(const Operand& operand);
  arrow::compute::Expression Computed(const Operand& operand);
  /// A value of the operand's plain type: of a row, near one, or special.
  std::shared_ptr<arrow::Scalar> Near(const Operand& operand);
  std::shared_ptr<arrow::Scalar> LiteralFor(const Operand& operand);

  std::vector<Operand> operands_;
  std::vector<size_t> favourites_;
  Random& random_;
};

}  // namespace shoal::oracle
