// From what a person writes (a URI, a path) to a filesystem and a path on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>

namespace shoal::base {

/// Paths on one filesystem, normalised; on local disks absolute. `ends_with_slash[i]`: the i-th was
/// written with a `/` at the end, so it is meant to be a directory.
struct Locations {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::vector<std::string> paths;
  std::vector<bool> ends_with_slash;
};

/// Whether `text` begins with a scheme: `s3://…`, `file:…`. A letter and a colon (a Windows drive)
/// is none.
bool IsUri(std::string_view text);

/// The parts of a URI that say which store it is of: what stands before the path
/// (`s3://key:secret@bucket`), and the query with its `?`.
struct StoreOfUri {
  std::string authority, query;
};
StoreOfUri SplitStore(std::string_view uri);

/// The URI for messages: without names and passwords before the `@`, and without its query.
std::string WithoutSecrets(std::string_view uri);

/// `sources` are URIs or paths of one kind; with `filesystem`, they are paths on it, or URIs of it.
/// The path of a URI may be a glob; its query begins at the first `?` that is followed by `name=`.
/// No file is touched. (A filesystem may look up what its URI leaves open: S3 finds out the region
/// of the bucket if the URI does not tell it.)
arrow::Result<Locations> ResolveLocations(
    const std::vector<std::string>& sources,
    std::shared_ptr<arrow::fs::FileSystem> filesystem = nullptr);

/// Whether paths on `filesystem` are paths of the local disk.
bool IsLocal(const arrow::fs::FileSystem& filesystem);

}  // namespace shoal::base
