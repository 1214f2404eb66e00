#include "plan/unseen_columns.h"

#include <algorithm>

#include "schema/unseen_column.h"

namespace shoal::plan {

namespace {

constexpr size_t kMostKnown = 64;

}  // namespace

UnseenColumns::UnseenColumns(const ScanPlan& plan)
    : table_(plan.table_schema), wanted_(!plan.schema_declared), strict_(plan.strict_columns) {}

arrow::Result<std::string> UnseenColumns::Of(const FileFacts& facts, const std::string& path) {
  if (!wanted_) return std::string();
  {
    std::lock_guard lock(mutex_);
    if (std::count(known_.begin(), known_.end(), facts.schema()) > 0) return std::string();
  }
  std::string column = schema::UnseenColumn(*facts.schema(), *table_);
  if (column.empty()) {
    std::lock_guard lock(mutex_);
    if (known_.size() < kMostKnown) known_.push_back(facts.schema());
  } else if (strict_) {
    return arrow::Status::Invalid(
        "'", path, "' has the column '", column,
        "', which no inspected file had. Inspect more files, declare the schema, or take "
        "'unseen_column' out of strict to read the table without it.");
  }
  return column;
}

}  // namespace shoal::plan
