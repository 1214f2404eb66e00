// JSON lines: one object a line.
#pragma once

#include <memory>

#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/infer_from.h>

namespace shoal {

/// Keys become columns, in order of first appearance; a key that a line lacks is null there.
/// Numbers are int64 if they all are integers of that range, else uint64 if they are of that one,
/// else double; where a double would alter an integer that was seen, the column must be declared.
/// Strings stay strings, whatever they look like; declare a type to read them as timestamps, dates
/// or decimals. Objects are structs with all keys that were seen, arrays are lists. A key that has
/// values of different kinds must be declared, too. A value that turns up later and does not fit is
/// an error that names file, line and value. A key that turns up later is not read, and is in the
/// scan's report (ScanMetrics::unseen_columns) or, if ListingIssue::kUnseenColumn is strict, an
/// error.
struct JsonOptions {
  InferFrom infer = InferFrom::kSample;
};

/// Files are unpacked by the end of their names: .gz (of any number of members), .bz2, .zst
/// or .zstd, .lz4.
arrow::Result<std::shared_ptr<const FileFormat>> MakeJsonFormat(JsonOptions options = {});

}  // namespace shoal
