#include "engine_reader.h"

#include <numeric>

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

namespace shoal::oracle {

namespace {

/// All leaves of some top-level columns.
std::vector<int> LeavesOf(const arrow::Schema& schema, const std::vector<int>& columns) {
  std::vector<int> out;
  for (int column : columns) {
    const int first = LeafIndex(schema, column);
    for (int i = 0; i < NumLeaves(*schema.field(column)->type()); ++i) out.push_back(first + i);
  }
  return out;
}

}  // namespace

arrow::Result<arrow::RecordBatchVector> ReadAsEngine(const FileScanConfig& config,
                                                     const Fragment& fragment, Reads reads,
                                                     int64_t batch_rows) {
  ARROW_ASSIGN_OR_RAISE(auto input, config.filesystem->OpenInputFile(fragment.path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(input, arrow::default_memory_pool()));
  reader->set_batch_size(batch_rows);
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  ARROW_ASSIGN_OR_RAISE(auto adapter, config.MakeAdapter(fragment, *schema));
  std::vector<int> groups(reader->num_row_groups());
  std::iota(groups.begin(), groups.end(), 0);
  if (fragment.row_groups) groups = *fragment.row_groups;
  std::vector<int> leaves = adapter->leaves();
  if (reads == Reads::kColumns) leaves = LeavesOf(*schema, adapter->columns());
  if (reads == Reads::kAll) {
    leaves.resize(NumLeaves(*schema));
    std::iota(leaves.begin(), leaves.end(), 0);
  }
  arrow::RecordBatchVector out;
  if (leaves.empty()) {
    int64_t rows = 0;
    for (int group : groups)
      rows += reader->parquet_reader()->metadata()->RowGroup(group)->num_rows();
    const auto nothing = arrow::RecordBatch::Make(arrow::schema({}), rows, arrow::ArrayVector{});
    ARROW_ASSIGN_OR_RAISE(out.emplace_back(), adapter->Adapt(*nothing));
    return out;
  }
  ARROW_ASSIGN_OR_RAISE(auto batches, reader->GetRecordBatchReader(groups, leaves));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
    if (!batch) return out;
    ARROW_ASSIGN_OR_RAISE(out.emplace_back(), adapter->Adapt(*batch));
    // Arrow's reader makes batches that are not valid themselves: below a struct that is null, it
    // leaves indices into an empty dictionary.
    if (batch->ValidateFull().ok()) ARROW_RETURN_NOT_OK(out.back()->ValidateFull());
  }
}

}  // namespace shoal::oracle
