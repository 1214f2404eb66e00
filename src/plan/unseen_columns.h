// Columns of files that nobody has inspected: those that the table has not, and those whose types
// it cannot hold.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/listing.h>
#include <shoal/plan.h>

#include "plan/inspection.h"
#include "schema/cast.h"

namespace shoal::plan {

/// Of the files of one plan. Thread-safe.
class UnseenColumns {
 public:
  explicit UnseenColumns(const ScanPlan& plan);

  /// The first column of the file that the table has not, or nothing; an error where the plan is
  /// strict about them. A declared schema names the columns that are wanted, and nothing else is
  /// missed.
  arrow::Result<std::string> Of(const FileFacts& facts, const std::string& path);
  /// Whether somebody wants to know.
  bool wanted() const { return wanted_; }
  /// What to say of a column that was met among the rows of a file: an error where the plan is
  /// strict.
  arrow::Status OfRows(const std::string& column, const std::string& path) const;
  /// An error if the table cannot hold the type of some column, or says that it has no nulls and
  /// the file lacks it, whether or not the question needs it: for files whose rows are counted or
  /// read. With a declared schema casting tells.
  arrow::Status CheckTypes(const FileFacts& facts, const std::string& path);

 private:
  const std::shared_ptr<arrow::Schema> table_;
  std::shared_ptr<arrow::Schema> of_files_;  // its columns but those that paths may give
  const schema::CastPolicy casts_;
  const bool wanted_, strict_;
  std::mutex mutex_;
  /// Schemas of files that have none, and those that fit: files of one writer share one.
  std::vector<std::shared_ptr<arrow::Schema>> known_, fit_;
};

/// A key that only paths carry which nobody inspected is no column of the table, and not read: it
/// goes into the report, or is an error where that is asked for. Where files have such a column it
/// is an error in any case: it would read as null there, though its value is known. Of the files
/// that are kept.
arrow::Status ReportUnseenKeys(const FileTable& files, const std::vector<bool>& keep,
                               const Inspection& inspection, ListingReport* report);

}  // namespace shoal::plan
