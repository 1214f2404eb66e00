// Casts from a file's types to the table's that never alter a value without a word.
#pragma once

#include <memory>

#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::schema {

/// Which types of a file may stand for another type of the table.
enum class CastPolicy {
  kWidening,    // where the table's type holds every value of the file's (see MergeTypes)
  kPermissive,  // besides, where Promote::kPermissive goes; a value that does not fit is an error
  kChecked,  // wherever Arrow casts; a value that does not fit is an error. A timestamp never gains
             // or loses its zone.
};

/// Whether arrays of `from` are cast to `to` under that policy. Where one of them is nested, their
/// children are asked instead.
bool MayCast(const std::shared_ptr<arrow::DataType>& from,
             const std::shared_ptr<arrow::DataType>& to, CastPolicy policy);

/// False for a zoned and a naive timestamp, of which no cast is the same instant.
bool ZonesAgree(const arrow::DataType& a, const arrow::DataType& b);

/// Invalid, with the value, if one does not fit the type.
arrow::Result<std::shared_ptr<arrow::Array>> CastArray(const arrow::Array& array,
                                                       const std::shared_ptr<arrow::DataType>& type,
                                                       arrow::MemoryPool* pool);

}  // namespace shoal::schema
