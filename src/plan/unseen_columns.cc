#include "plan/unseen_columns.h"

#include <algorithm>

#include "plan/file_mapping.h"
#include "plan/virtual_columns.h"
#include "schema/column_mapping.h"
#include "schema/unseen_column.h"

namespace shoal::plan {

namespace {

constexpr size_t kMostKnown = 64;

bool HasNoRows(const FileFacts& facts) {
  for (int group = 0; group < facts.num_row_groups(); ++group) {
    if (facts.row_group_rows(group).exact_value() != 0) return false;
  }
  return true;
}

}  // namespace

UnseenColumns::UnseenColumns(const ScanPlan& plan)
    : table_(plan.table_schema),
      casts_(CastsOf(plan)),
      wanted_(!plan.schema_declared),
      strict_(plan.strict_columns) {
  arrow::FieldVector fields;
  const auto table = WithoutVirtualColumns(plan.table_schema, plan.virtual_columns);
  for (const auto& field : table->fields()) {
    if (plan.partition_schema->GetFieldIndex(field->name()) < 0) fields.push_back(field);
  }
  of_files_ = arrow::schema(std::move(fields));
}

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

arrow::Status UnseenColumns::OfRows(const std::string& column, const std::string& path) const {
  if (!strict_) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "'", path, "' has rows with the key '", column,
      "', which inspection did not meet. Inspect all files (inspect=\"all\") and all of each "
      "(infer=\"all\"), declare the schema, or take 'unseen_column' out of strict to read the "
      "table without it.");
}

arrow::Status ReportUnseenKeys(const FileTable& files, const std::vector<bool>& keep,
                               const Inspection& inspection, ListingReport* report) {
  for (const auto& column : files.keys().columns) {
    if (inspection.partition_schema->GetFieldIndex(column.name) >= 0) continue;
    const bool in_files = inspection.table_schema->GetFieldIndex(column.name) >= 0;
    if (!in_files && inspection.schema_declared) continue;
    for (int64_t i = 0; i < files.num_files(); ++i) {
      if (!keep[i] || column.index[i] == KeyColumn::kAbsent) continue;
      if (in_files) {
        return arrow::Status::Invalid(
            "'", files.path(i), "' carries the key '", column.name,
            "', which is a column of files too, and no inspected path had it: inspect more "
            "files, or declare the partitioning");
      }
      if (inspection.list.strict.contains(ListingIssue::kUnseenColumn)) {
        return arrow::Status::Invalid(
            "'", files.path(i), "' carries the key '", column.name,
            "', which no inspected path had. Inspect more files, declare the partitioning, or "
            "take 'unseen_column' out of strict to read the table without it.");
      }
      report->Add(ListingIssue::kUnseenColumn, files.path(i) + " (key '" + column.name + "')");
    }
  }
  return arrow::Status::OK();
}

arrow::Status UnseenColumns::CheckTypes(const FileFacts& facts, const std::string& path) {
  if (!wanted_) return arrow::Status::OK();
  {
    std::lock_guard lock(mutex_);
    if (std::count(fit_.begin(), fit_.end(), facts.schema()) > 0) return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(
      schema::ColumnMapping::Make(*facts.schema(), *of_files_, {}, path, casts_).status());
  for (const auto& field : of_files_->fields()) {
    if (field->nullable() || facts.schema()->GetFieldIndex(field->name()) >= 0) continue;
    if (HasNoRows(facts)) return arrow::Status::OK();
    return arrow::Status::Invalid(
        "file ", path, " lacks column `", field->name(),
        "`, which the table's schema says has no nulls; declare it nullable, or inspect all files");
  }
  std::lock_guard lock(mutex_);
  if (fit_.size() < kMostKnown) fit_.push_back(facts.schema());
  return arrow::Status::OK();
}

}  // namespace shoal::plan
