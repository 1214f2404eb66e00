// Text columns read by way of their dictionaries.
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <parquet/metadata.h>

namespace shoal::formats::parquet {

/// Whether reading the chunk as a dictionary and spreading its values afterwards is cheaper than
/// decoding each value: all its pages refer to a dictionary, and that is small.
bool PrefersDictionary(const ::parquet::ColumnChunkMetaData& chunk, const arrow::DataType& type);

/// The batch, of which every index of every dictionary column, nested ones included, lies in its
/// dictionary; an error if the file has others, which libparquet hands on as they are. What lies
/// below a null struct is no index and becomes null.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> WithSoundIndices(
    std::shared_ptr<arrow::RecordBatch> batch);

/// The values of a dictionary of text as an array of `type` (text or a view of it). Views share the
/// dictionary's bytes. REQUIRES: the indices have been checked.
arrow::Result<std::shared_ptr<arrow::Array>> SpreadDictionary(
    const arrow::DictionaryArray& encoded, const std::shared_ptr<arrow::DataType>& type,
    arrow::MemoryPool* pool);

}  // namespace shoal::formats::parquet
