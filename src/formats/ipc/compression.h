// Buffers that are compressed one by one.
#pragma once

#include <memory>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/util/type_fwd.h>

namespace shoal::formats::ipc {

/// What a buffer holds: the length of its bytes (-1: they are as they are), then the bytes
/// compressed. See "Compression" in the Arrow columnar format specification. A length that no
/// compression reaches is an error, and nothing is allocated for it.
arrow::Result<std::shared_ptr<arrow::Buffer>> Inflate(const std::shared_ptr<arrow::Buffer>& buffer,
                                                      arrow::Compression::type compression,
                                                      arrow::MemoryPool* pool);

}  // namespace shoal::formats::ipc
