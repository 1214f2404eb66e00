// Selecting rows of every column type. Arrow's kernels do most; what they lack is built here from
// its parts: a view is sixteen bytes that can be moved about while the bytes it points at stay
// where they are, and a nested column is its children at computed indices.
#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/array.h>

#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/extension_type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>

#include <arrow/util/checked_cast.h>

#include "expression/compute_ready.h"
#include "expression/evaluate.h"

namespace shoal::expression {
namespace {

using arrow::Array;
using arrow::ArrayData;
using arrow::Buffer;
using arrow::DataType;
using arrow::MemoryPool;
using arrow::Result;
using arrow::Status;
using arrow::Type;
using arrow::internal::checked_cast;
using ArrayPointer = std::shared_ptr<Array>;
using DataPointer = std::shared_ptr<ArrayData>;

// Whether Arrow's take and filter kernels do the type.
bool HasKernels(const DataType& type) {
  switch (type.id()) {
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
    case Type::RUN_END_ENCODED:
      return false;
    // Their children stay as they are.
    case Type::LIST_VIEW:
    case Type::LARGE_LIST_VIEW:
    case Type::DICTIONARY:
      return true;
    case Type::EXTENSION:
      return HasKernels(*checked_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      break;
  }
  for (const auto& field : type.fields()) {
    if (!HasKernels(*field->type())) return false;
  }
  return true;
}

Result<ArrayPointer> TakeWithKernel(const Array& values, const Array& indices, MemoryPool* pool) {
  arrow::compute::ExecContext context(pool);
  return arrow::compute::Take(values, indices, arrow::compute::TakeOptions::NoBoundsCheck(),
                              &context);
}

int64_t IndexAt(const Array& indices, int64_t i) {
  if (indices.type_id() == Type::INT32)
    return checked_cast<const arrow::Int32Array&>(indices).Value(i);
  return checked_cast<const arrow::Int64Array&>(indices).Value(i);
}

Result<ArrayPointer> Int64Indices(std::shared_ptr<arrow::ResizableBuffer> buffer, int64_t count) {
  return std::make_shared<arrow::Int64Array>(count, std::move(buffer));
}

struct Validity {
  std::shared_ptr<Buffer> bitmap;  // nullptr: no nulls
  int64_t null_count = 0;
};

Result<Validity> TakeValidity(const Array& values, const Array& indices, MemoryPool* pool) {
  if (values.null_bitmap_data() == nullptr || values.null_count() == 0) return Validity{};
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> bitmap,
                        arrow::AllocateEmptyBitmap(indices.length(), pool));
  uint8_t* bits = bitmap->mutable_data();
  int64_t null_count = 0;
  for (int64_t i = 0; i < indices.length(); ++i) {
    if (values.IsValid(IndexAt(indices, i))) {
      arrow::bit_util::SetBit(bits, i);
    } else {
      ++null_count;
    }
  }
  return Validity{std::move(bitmap), null_count};
}

Result<ArrayPointer> TakeViews(const Array& values, const Array& indices, MemoryPool* pool) {
  const ArrayData& data = *values.data();
  auto moved =
      ArrayData::Make(arrow::fixed_size_binary(sizeof(arrow::BinaryViewType::c_type)), data.length,
                      {data.buffers[0], data.buffers[1]}, data.null_count.load(), data.offset);
  ARROW_ASSIGN_OR_RAISE(ArrayPointer taken,
                        TakeWithKernel(*arrow::MakeArray(std::move(moved)), indices, pool));
  DataPointer result = taken->data()->Copy();
  result->type = data.type;
  result->buffers.insert(result->buffers.end(), data.buffers.begin() + 2, data.buffers.end());
  return arrow::MakeArray(std::move(result));
}

Result<ArrayPointer> TakeStruct(const Array& values, const Array& indices, MemoryPool* pool) {
  const auto& structs = checked_cast<const arrow::StructArray&>(values);
  ARROW_ASSIGN_OR_RAISE(Validity validity, TakeValidity(values, indices, pool));
  std::vector<DataPointer> children;
  for (int i = 0; i < structs.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(ArrayPointer child, Take(*structs.field(i), indices, pool));
    children.push_back(child->data());
  }
  return arrow::MakeArray(ArrayData::Make(values.type(), indices.length(),
                                          {std::move(validity.bitmap)}, std::move(children),
                                          validity.null_count));
}

// Lists, large lists and maps (whose child is the struct of keys and values).
template <typename ListArrayType>
Result<ArrayPointer> TakeLists(const Array& values, const Array& indices, MemoryPool* pool) {
  using Offset = typename ListArrayType::offset_type;
  const auto& lists = checked_cast<const ListArrayType&>(values);
  const Offset* offsets = lists.raw_value_offsets();
  ARROW_ASSIGN_OR_RAISE(Validity validity, TakeValidity(values, indices, pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> new_offsets,
                        arrow::AllocateBuffer((indices.length() + 1) * sizeof(Offset), pool));
  auto* out = reinterpret_cast<Offset*>(new_offsets->mutable_data());
  int64_t total = 0;
  out[0] = 0;
  for (int64_t i = 0; i < indices.length(); ++i) {
    int64_t index = IndexAt(indices, i);
    if (values.IsValid(index)) total += offsets[index + 1] - offsets[index];
    if (total > std::numeric_limits<Offset>::max()) {
      return Status::CapacityError("Selected lists of ", values.type()->ToString(),
                                   " have more than 2^31 elements");
    }
    out[i + 1] = static_cast<Offset>(total);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> child_indices,
                        arrow::AllocateResizableBuffer(total * sizeof(int64_t), pool));
  auto* next = reinterpret_cast<int64_t*>(child_indices->mutable_data());
  for (int64_t i = 0; i < indices.length(); ++i) {
    int64_t index = IndexAt(indices, i);
    if (values.IsNull(index)) continue;
    for (int64_t j = offsets[index]; j < offsets[index + 1]; ++j) *next++ = j;
  }
  ARROW_ASSIGN_OR_RAISE(ArrayPointer child_at, Int64Indices(std::move(child_indices), total));
  ARROW_ASSIGN_OR_RAISE(ArrayPointer child, Take(*lists.values(), *child_at, pool));
  return arrow::MakeArray(ArrayData::Make(values.type(), indices.length(),
                                          {std::move(validity.bitmap), std::move(new_offsets)},
                                          {child->data()}, validity.null_count));
}

Result<ArrayPointer> TakeFixedSizeLists(const Array& values, const Array& indices,
                                        MemoryPool* pool) {
  const auto& lists = checked_cast<const arrow::FixedSizeListArray&>(values);
  int64_t size = checked_cast<const arrow::FixedSizeListType&>(*values.type()).list_size();
  ARROW_ASSIGN_OR_RAISE(Validity validity, TakeValidity(values, indices, pool));
  int64_t total = indices.length() * size;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> child_indices,
                        arrow::AllocateResizableBuffer(total * sizeof(int64_t), pool));
  auto* next = reinterpret_cast<int64_t*>(child_indices->mutable_data());
  for (int64_t i = 0; i < indices.length(); ++i) {
    // A null list has its elements too.
    int64_t first = (IndexAt(indices, i) + values.offset()) * size;
    for (int64_t j = 0; j < size; ++j) *next++ = first + j;
  }
  ARROW_ASSIGN_OR_RAISE(ArrayPointer child_at, Int64Indices(std::move(child_indices), total));
  ARROW_ASSIGN_OR_RAISE(ArrayPointer child, Take(*lists.values(), *child_at, pool));
  return arrow::MakeArray(ArrayData::Make(values.type(), indices.length(),
                                          {std::move(validity.bitmap)}, {child->data()},
                                          validity.null_count));
}

template <typename RunEnd>
Result<ArrayPointer> TakeRuns(const Array& values, const Array& indices, MemoryPool* pool) {
  const auto& runs = checked_cast<const arrow::RunEndEncodedArray&>(values);
  using RunEndArray = typename arrow::CTypeTraits<RunEnd>::ArrayType;
  const auto& run_ends = checked_cast<const RunEndArray&>(*runs.run_ends());
  if (indices.length() > std::numeric_limits<RunEnd>::max()) {
    return Status::CapacityError(indices.length(), " rows are too many for ",
                                 values.type()->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> at,
                        arrow::AllocateResizableBuffer(indices.length() * sizeof(int64_t), pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> ends,
                        arrow::AllocateResizableBuffer(indices.length() * sizeof(RunEnd), pool));
  auto* physical = reinterpret_cast<int64_t*>(at->mutable_data());
  auto* end = reinterpret_cast<RunEnd*>(ends->mutable_data());
  int64_t count = 0;
  for (int64_t i = 0; i < indices.length(); ++i) {
    int64_t logical = IndexAt(indices, i) + values.offset();
    const RunEnd* first = run_ends.raw_values();
    const RunEnd* run =
        std::upper_bound(first, first + run_ends.length(), logical,
                         [](int64_t value, RunEnd run_end) { return value < run_end; });
    int64_t index = run - first;
    if (count == 0 || physical[count - 1] != index) physical[count++] = index;
    end[count - 1] = static_cast<RunEnd>(i + 1);
  }
  ARROW_ASSIGN_OR_RAISE(ArrayPointer physical_indices, Int64Indices(std::move(at), count));
  ARROW_ASSIGN_OR_RAISE(ArrayPointer taken, Take(*runs.values(), *physical_indices, pool));
  auto new_ends = ArrayData::Make(run_ends.type(), count, {nullptr, std::move(ends)}, 0);
  return arrow::MakeArray(ArrayData::Make(values.type(), indices.length(), {nullptr},
                                          {std::move(new_ends), taken->data()}, 0));
}

Result<ArrayPointer> TakeSparseUnion(const Array& values, const Array& indices, MemoryPool* pool) {
  const auto& unions = checked_cast<const arrow::SparseUnionArray&>(values);
  auto ids = arrow::MakeArray(ArrayData::Make(
      arrow::int8(), values.length(), {nullptr, values.data()->buffers[1]}, 0, values.offset()));
  ARROW_ASSIGN_OR_RAISE(ArrayPointer taken_ids, TakeWithKernel(*ids, indices, pool));
  std::vector<DataPointer> children;
  for (int i = 0; i < unions.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(ArrayPointer child, Take(*unions.field(i), indices, pool));
    children.push_back(child->data());
  }
  return arrow::MakeArray(ArrayData::Make(values.type(), indices.length(),
                                          {nullptr, taken_ids->data()->buffers[1]},
                                          std::move(children), 0));
}

// The children stay; the places in them move.
Result<ArrayPointer> TakeDenseUnion(const Array& values, const Array& indices, MemoryPool* pool) {
  const auto& buffers = values.data()->buffers;
  auto ids = arrow::MakeArray(
      ArrayData::Make(arrow::int8(), values.length(), {nullptr, buffers[1]}, 0, values.offset()));
  auto places = arrow::MakeArray(
      ArrayData::Make(arrow::int32(), values.length(), {nullptr, buffers[2]}, 0, values.offset()));
  ARROW_ASSIGN_OR_RAISE(ArrayPointer taken_ids, TakeWithKernel(*ids, indices, pool));
  ARROW_ASSIGN_OR_RAISE(ArrayPointer taken_places, TakeWithKernel(*places, indices, pool));
  return arrow::MakeArray(
      ArrayData::Make(values.type(), indices.length(),
                      {nullptr, taken_ids->data()->buffers[1], taken_places->data()->buffers[1]},
                      values.data()->child_data, 0));
}

Result<ArrayPointer> TakeStorage(const Array& values, const Array& indices, MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(
      ArrayPointer storage,
      Take(*checked_cast<const arrow::ExtensionArray&>(values).storage(), indices, pool));
  DataPointer data = storage->data()->Copy();
  data->type = values.type();
  return arrow::MakeArray(std::move(data));
}

// The first and last rows that are true, and how many are.
struct Selected {
  int64_t count = 0;
  int64_t first = 0;
  int64_t last = -1;
};

bool IsSelected(const arrow::BooleanArray& mask, int64_t i) {
  return mask.IsValid(i) && mask.Value(i);
}

Selected Count(const arrow::BooleanArray& mask) {
  Selected selected;
  selected.count = mask.true_count();
  if (selected.count == 0) return selected;
  while (!IsSelected(mask, selected.first)) ++selected.first;
  selected.last = mask.length() - 1;
  while (!IsSelected(mask, selected.last)) --selected.last;
  return selected;
}

Result<ArrayPointer> SelectedIndices(const arrow::BooleanArray& mask, const Selected& selected,
                                     MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer,
                        arrow::AllocateResizableBuffer(selected.count * sizeof(int64_t), pool));
  auto* next = reinterpret_cast<int64_t*>(buffer->mutable_data());
  for (int64_t i = selected.first; i <= selected.last; ++i) {
    if (IsSelected(mask, i)) *next++ = i;
  }
  return Int64Indices(std::move(buffer), selected.count);
}

}  // namespace

Result<ArrayPointer> Take(const Array& values, const Array& indices, MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(MakeComputeReady());
  if (indices.type_id() != Type::INT32 && indices.type_id() != Type::INT64) {
    return Status::TypeError("Indices must be int32 or int64, not ", indices.type()->ToString());
  }
  if (HasKernels(*values.type())) return TakeWithKernel(values, indices, pool);
  switch (values.type_id()) {
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return TakeViews(values, indices, pool);
    case Type::STRUCT:
      return TakeStruct(values, indices, pool);
    case Type::LIST:
      return TakeLists<arrow::ListArray>(values, indices, pool);
    case Type::MAP:
      return TakeLists<arrow::MapArray>(values, indices, pool);
    case Type::LARGE_LIST:
      return TakeLists<arrow::LargeListArray>(values, indices, pool);
    case Type::FIXED_SIZE_LIST:
      return TakeFixedSizeLists(values, indices, pool);
    case Type::SPARSE_UNION:
      return TakeSparseUnion(values, indices, pool);
    case Type::DENSE_UNION:
      return TakeDenseUnion(values, indices, pool);
    case Type::EXTENSION:
      return TakeStorage(values, indices, pool);
    case Type::RUN_END_ENCODED:
      switch (checked_cast<const arrow::RunEndEncodedType&>(*values.type()).run_end_type()->id()) {
        case Type::INT16:
          return TakeRuns<int16_t>(values, indices, pool);
        case Type::INT32:
          return TakeRuns<int32_t>(values, indices, pool);
        default:
          return TakeRuns<int64_t>(values, indices, pool);
      }
    default:
      return TakeWithKernel(values, indices, pool);
  }
}

Result<std::shared_ptr<arrow::RecordBatch>> FilterBatch(
    const std::shared_ptr<arrow::RecordBatch>& batch, const arrow::BooleanArray& mask,
    MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(MakeComputeReady());
  if (mask.length() != batch->num_rows()) {
    return Status::Invalid("A mask of ", mask.length(), " rows can't select from a batch of ",
                           batch->num_rows());
  }
  Selected selected = Count(mask);
  if (selected.count == batch->num_rows()) return batch;
  if (selected.count == 0) return batch->Slice(0, 0);
  // One run is a slice. A small slice would keep a large batch in memory, so it is copied.
  constexpr int64_t kLeastShareOfSlice = 4;
  bool one_run = selected.last - selected.first + 1 == selected.count;
  if (one_run && selected.count * kLeastShareOfSlice >= batch->num_rows()) {
    return batch->Slice(selected.first, selected.count);
  }
  arrow::compute::ExecContext context(pool);
  ArrayPointer indices;
  arrow::ArrayVector columns;
  columns.reserve(batch->num_columns());
  for (const ArrayPointer& column : batch->columns()) {
    if (HasKernels(*column->type())) {
      ARROW_ASSIGN_OR_RAISE(
          arrow::Datum filtered,
          arrow::compute::Filter(column, arrow::Datum(mask.data()),
                                 arrow::compute::FilterOptions::Defaults(), &context));
      columns.push_back(filtered.make_array());
      continue;
    }
    if (!indices) {
      ARROW_ASSIGN_OR_RAISE(indices, SelectedIndices(mask, selected, pool));
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPointer taken, Take(*column, *indices, pool));
    columns.push_back(std::move(taken));
  }
  return arrow::RecordBatch::Make(batch->schema(), selected.count, std::move(columns));
}

}  // namespace shoal::expression
