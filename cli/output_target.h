// Where output goes: standard output, or a file that appears under its name only when it is
// complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <shoal/dataset.h>

namespace shoal::cli {

/// A stream that ends in a commit. Not committed, it leaves no file behind. For one thread.
class OutputTarget {
 public:
  /// `-` is standard output. An existing file is overwritten only with `force`; devices and pipes
  /// are written to as they are.
  static arrow::Result<std::unique_ptr<OutputTarget>> Open(const std::string& path, bool force);
  virtual ~OutputTarget() = default;

  virtual arrow::io::OutputStream* stream() = 0;
  /// Puts the output in its place.
  virtual arrow::Status Commit() = 0;
  /// Lets nothing more be written: a writer that is destroyed must not make half an output look
  /// whole.
  virtual void Abandon() = 0;
};

/// An error if the path can't become an output file, so that it is found before any work: it exists
/// and `force` is not given, or it is a folder.
arrow::Status CheckOutputPath(const std::string& path, bool force);

/// An error if the output would overwrite a file that the dataset is made of.
arrow::Status CheckIsNoInput(const std::string& path, const Dataset& dataset);

/// Writes a short report to standard output.
arrow::Status Print(std::string_view text);

}  // namespace shoal::cli
