#include "formats/projection.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>

#include <shoal/file_format.h>

namespace shoal::formats {

namespace {

using arrow::ArrayData;
using arrow::DataType;
using arrow::Type;

bool HasAny(const std::vector<int>& leaves, int first, int end) {
  const auto kept = std::lower_bound(leaves.begin(), leaves.end(), first);
  return kept != leaves.end() && *kept < end;
}

/// `first` is the number of the array's first leaf; `target` has some of its leaves.
std::shared_ptr<ArrayData> Keep(const std::shared_ptr<ArrayData>& data,
                                const std::shared_ptr<DataType>& target, int first,
                                const std::vector<int>& leaves, bool map_entries) {
  const DataType& type = *data->type;
  auto out = std::make_shared<ArrayData>(*data);
  out->type = target;
  if (type.Equals(*target)) return out;
  out->child_data.clear();
  int next = 0;
  for (int i = 0; i < type.num_fields(); ++i) {
    const int end = first + NumLeaves(*type.field(i)->type());
    // All that nests but structs has all its children; so have the entries of maps.
    const bool wanted = type.id() != Type::STRUCT || map_entries || HasAny(leaves, first, end);
    if (wanted && next < target->num_fields()) {
      out->child_data.push_back(Keep(data->child_data[i], target->field(next++)->type(), first,
                                     leaves, type.id() == Type::MAP));
    }
    first = end;
  }
  return out;
}

}  // namespace

std::vector<int> ColumnsOf(const arrow::Schema& schema, const std::vector<int>& leaves) {
  std::vector<int> out;
  int first = 0;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const int end = first + NumLeaves(*schema.field(i)->type());
    if (HasAny(leaves, first, end)) out.push_back(i);
    first = end;
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> KeepLeaves(
    const arrow::RecordBatch& batch, const arrow::Schema& schema, const std::vector<int>& leaves,
    const std::shared_ptr<arrow::Schema>& projected) {
  const auto columns = ColumnsOf(schema, leaves);
  if (batch.num_columns() != static_cast<int>(columns.size()) ||
      projected->num_fields() != batch.num_columns()) {
    return arrow::Status::Invalid("a batch has ", batch.num_columns(), " columns, and not the ",
                                  columns.size(), " wanted");
  }
  std::vector<std::shared_ptr<ArrayData>> kept;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const auto& field = schema.field(columns[i]);
    if (!batch.column(i)->type()->Equals(*field->type())) {
      return arrow::Status::Invalid("column '", field->name(), "' is of type ",
                                    batch.column(i)->type()->ToString(), " where the file's is ",
                                    field->type()->ToString());
    }
    kept.push_back(Keep(batch.column_data(i), projected->field(i)->type(),
                        LeafIndex(schema, columns[i]), leaves, /*map_entries=*/false));
  }
  return arrow::RecordBatch::Make(projected, batch.num_rows(), std::move(kept));
}

}  // namespace shoal::formats
