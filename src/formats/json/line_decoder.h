// Rows of well-formed lines, straight into columns.
#pragma once

#include <memory>
#include <string_view>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::formats::json {

/// Whether DecodeLines makes all columns of the schema.
bool CanDecodeLines(const arrow::Schema& schema);

/// A row for each line that is not blank; nullptr if a line is not one object as a careful writer
/// writes it: then Arrow's parser either reads it all the same or says what is wrong. What this
/// function takes, it reads as Arrow's parser does, whichever columns are asked for: an answer does
/// not depend on which of the two gave it. Without columns lines are only checked. Errors are of
/// the memory pool.
///
/// REQUIRES: `text` is UTF-8 and ends with a line end; CanDecodeLines(*schema).
arrow::Result<std::shared_ptr<arrow::RecordBatch>> DecodeLines(
    std::string_view text, const std::shared_ptr<arrow::Schema>& schema, arrow::MemoryPool* pool);

}  // namespace shoal::formats::json
