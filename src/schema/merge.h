// One table schema from the schemas of many files, without loss.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/schema_rules.h>

namespace shoal::schema {

struct FileSchema {
  std::string path;
  std::shared_ptr<arrow::Schema> schema;
};

/// Columns by name, in order of first appearance, each of the type that holds what all files have
/// (see MergeTypes). A column is nullable if a file lacks it or allows
/// null; metadata of fields and schemas: the first wins. Errors: TypeError naming column, both
/// types and both files; Invalid where one file has a name twice.
arrow::Result<std::shared_ptr<arrow::Schema>> MergeSchemas(std::span<const FileSchema> files,
                                                           Promote promote = Promote::kLossless);

/// The type that holds every value of both, unchanged; TypeError if there is none. Fields inside
/// are nullable if they are in either. Null merges with any type. Integers go to a wider one,
/// 32-bit integers and floats to double, units of time to the finer, decimals to enough digits,
/// string to large_string, a dictionary to its values, structs to the union of their fields by
/// name; the same inside lists and maps. Timestamps of two zones are the same instants and take the
/// zone of `a`; one with and one without a zone do not merge.
/// Permissive besides, where no type holds all values: uint64 and a signed integer go to int64, a
/// 64-bit integer or a decimal and a float to double, an integer and a decimal to a decimal of
/// enough digits, string and binary to binary.
arrow::Result<std::shared_ptr<arrow::DataType>> MergeTypes(
    const std::shared_ptr<arrow::DataType>& a, const std::shared_ptr<arrow::DataType>& b,
    Promote promote = Promote::kLossless);

}  // namespace shoal::schema
