// Tables that a file tells of: Parquet's `_metadata` and `_common_metadata`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/file_format.h>
#include <shoal/listing.h>

#include "base/fork_mutex.h"

namespace shoal::plan {

/// A folder with a file that tells the columns of all files in it, and perhaps which they are and
/// what their row groups hold. The file is read on first need, once; if it has changed meanwhile,
/// that is not seen. Thread-safe.
class SummarySource final : public ListingSource {
 public:
  /// What the source is a path of, if it is of a summary; nullptr: it is none. `path` is normalised
  /// and on `filesystem`. `walk`: lists the folder that it lies in.
  static std::shared_ptr<const SummarySource> Of(const std::string& path,
                                                 std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                                 std::shared_ptr<const FileFormat> format,
                                                 std::shared_ptr<const ListingSource> walk);
  /// Whether the last part of the path is such a name.
  static bool IsSummary(std::string_view path);

  /// The columns of all files, by what the summary says.
  arrow::Result<std::shared_ptr<arrow::Schema>> Columns(const arrow::StopToken& stop) const;
  /// What the summary says of a file; nullptr: nothing. A file of another format than the summary's
  /// has no facts here.
  arrow::Result<std::shared_ptr<const FileFacts>> FactsOf(const std::string& path) const;
  /// An error that names both if a file that was read is not the one that the summary tells of.
  arrow::Status CheckSame(const std::string& path, const FileFacts& read) const;

  std::string Describe() const override { return path_; }
  const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const override { return filesystem_; }
  arrow::Result<ListingReport> List(const ListOptions& options,
                                    const PageSink& sink) const override;
  arrow::Result<FileSample> Sample(const ListOptions& options, int64_t n) const override;

 private:
  struct Summary {
    std::shared_ptr<const FileFacts> facts;
    std::map<std::string, std::vector<int>> row_groups;  // by the path of each file
  };
  SummarySource() = default;
  arrow::Result<std::shared_ptr<const Summary>> Load(const arrow::StopToken& stop) const;
  arrow::Result<std::string> PathOf(const std::string& named) const;

  std::string path_, root_;
  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  std::shared_ptr<const FileFormat> format_;
  std::shared_ptr<const ListingSource> walk_;
  bool names_files_ = false;  // else they are listed
  mutable base::ForkMutex mutex_{base::ForkMutex::Over::kBreaks};
  mutable std::shared_ptr<const Summary> summary_;
};

}  // namespace shoal::plan
