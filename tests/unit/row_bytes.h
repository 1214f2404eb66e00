// Rows as strings of bytes: equal where the rows are equal, bit by bit, nulls included.
// Dictionaries and views count as their values, so that it does not matter how they are laid out.
#pragma once

#include <string>
#include <vector>

#include <arrow/record_batch.h>

namespace shoal::oracle {

/// Appends one string for each row of the batch.
void AppendRows(const arrow::RecordBatch& batch, std::vector<std::string>* rows);

/// The row for people.
std::string RowText(const arrow::RecordBatch& batch, int64_t row);

}  // namespace shoal::oracle
