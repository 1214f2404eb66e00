// Record batches of resident bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <arrow/array/data.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <shoal/unit.h>

#include "formats/ipc/layout.h"
#include "formats/ipc/messages.h"

namespace shoal::formats::ipc {

/// Values of dictionaries by their ids; a later batch of a stream may have others.
using Dictionaries = std::map<int64_t, std::shared_ptr<arrow::ArrayData>>;

/// Gives the bytes of a buffer, as they are in the file.
using BufferSource =
    std::function<arrow::Result<std::shared_ptr<arrow::Buffer>>(const BatchHeader::Extent&)>;

/// The buffers of the body that columns with those leaves (ascending) have; empty ones are left
/// out. Errors: the message does not fit the schema.
arrow::Result<std::vector<BatchHeader::Extent>> WantedBuffers(
    const SchemaLayout& layout, const Message& message,
    const std::shared_ptr<arrow::Schema>& schema, const std::vector<int>& leaves);

/// The batch with the columns that `schema` (ProjectLeaves of the file's for those leaves) has.
/// Buffers are not copied unless they are compressed, misaligned or of another byte order. Whatever
/// the bytes are, the batch can be used safely, which an error says otherwise; only text may be
/// other than UTF-8.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> LoadBatch(
    const SchemaLayout& layout, const Message& message,
    const std::shared_ptr<arrow::Schema>& schema, const std::vector<int>& leaves,
    const Dictionaries& dictionaries, const BufferSource& source, arrow::MemoryPool* pool);

/// Takes a dictionary batch into `dictionaries`. A replacement is an error unless `may_replace`.
arrow::Status LoadDictionary(const SchemaLayout& layout, const Message& message, bool may_replace,
                             const BufferSource& source, arrow::MemoryPool* pool,
                             Dictionaries* dictionaries);

}  // namespace shoal::formats::ipc
