// From a file's own columns to those of the table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

#include "schema/column_mapping.h"

namespace shoal::plan {

/// Files are cast to a declared schema, and else only widened, or as far as the rules permit.
schema::CastPolicy CastsOf(const ScanPlan& plan);

/// Some columns (or nested leaves) of a table, and which of them are partition keys.
struct KeyedSchema {
  std::shared_ptr<arrow::Schema> schema;
  /// Per column of `schema`: its index in the partition schema, or -1.
  std::vector<int> partition_key;
  schema::CastPolicy casts = schema::CastPolicy::kWidening;

  /// The part of the plan's table schema that has these leaves (ascending).
  static KeyedSchema Project(const ScanPlan& plan, const std::vector<int>& leaves);
};

/// How batches of one file become batches of `to.schema`. A key that this path carries is its value
/// in all rows; a key that it does not carry is the file's column of that name, or null.
arrow::Result<std::shared_ptr<const schema::ColumnMapping>> MapFile(const KeyedSchema& to,
                                                                    const FileFacts& facts,
                                                                    const PartitionValues& values,
                                                                    const std::string& path);

}  // namespace shoal::plan
