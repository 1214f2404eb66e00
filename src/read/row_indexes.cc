#include "read/row_indexes.h"

#include <algorithm>
#include <optional>

#include <arrow/array/builder_primitive.h>

namespace shoal::read {

arrow::Result<RowIndexes> RowIndexes::Make(const FileFacts& facts,
                                           const std::vector<int>& row_groups,
                                           const std::string& path) {
  std::vector<std::optional<int64_t>> begins(static_cast<size_t>(facts.num_row_groups()));
  std::optional<int64_t> begin = 0;
  for (int group = 0; group < facts.num_row_groups(); ++group) {
    begins[static_cast<size_t>(group)] = begin;
    const auto rows = facts.row_group_rows(group).exact_value();
    int64_t end = 0;
    if (!begin || !rows || __builtin_add_overflow(*begin, *rows, &end)) {
      begin.reset();
    } else {
      begin = end;
    }
  }
  RowIndexes out;
  int before = -1;
  bool tells = true;  // how many rows there are, the group before
  for (const int group : row_groups) {
    Run run;
    if (const auto rows = facts.row_group_rows(group).exact_value()) run.rows = *rows;
    if (const auto known = begins[static_cast<size_t>(group)]) {
      run.begin = *known;
    } else if (!tells && before + 1 == group) {
      before = group;  // the count of rows goes on
      continue;
    } else {
      return arrow::Status::NotImplemented(
          "'", path, "': the place of the rows of row group ", group,
          " in the file is not known, since not all before it tell how many rows they have");
    }
    out.runs_.push_back(run);
    before = group;
    tells = run.rows != std::numeric_limits<int64_t>::max();
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::Array>> RowIndexes::Next(int64_t rows,
                                                              arrow::MemoryPool* pool) {
  arrow::Int64Builder out(pool);
  ARROW_RETURN_NOT_OK(out.Reserve(rows));
  while (rows > 0) {
    if (run_ == runs_.size()) {
      return arrow::Status::Invalid("there are more rows than the file told before");
    }
    Run& run = runs_[run_];
    const int64_t taken = std::min(rows, run.rows);
    for (int64_t i = 0; i < taken; ++i) out.UnsafeAppend(run.begin + i);
    run.begin += taken;
    run.rows -= taken;
    rows -= taken;
    if (run.rows == 0) ++run_;
  }
  return out.Finish();
}

}  // namespace shoal::read
