// From the paths of a table's sources to the files and trees that are read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/listing.h>

#include "base/location.h"
#include "list/directory_reader.h"
#include "list/tree.h"

namespace shoal::list {

/// One source, looked at.
struct Start {
  bool is_file = false;
  std::string path;                        // of the file, or of the tree's root
  PathInfo info;                           // of the file
  std::shared_ptr<const base::Glob> glob;  // of the tree; null: all of it
  std::shared_ptr<RawTree> read_ahead;     // what a look at the tree's root has read
  ListingReport cost;                      // of the look

  /// What the paths of all its files begin with (a file: its path).
  std::string Prefix() const;
};

/// `..` means the parent of where a link leads to, which only the local disk can tell.
std::string ResolveParents(const std::string& path);

/// Starts that can hold the same files; their order is the order of the files' paths, and no file
/// is in two groups.
using StartGroup = std::vector<Start>;

/// Looks at the sources: one stat each, or, but on local disks, one listing where the path looks
/// like a directory. A path that does not exist is an error with the detail of ENOENT.
arrow::Result<std::vector<StartGroup>> FindStarts(
    const std::shared_ptr<const DirectoryReader>& reader, const base::Locations& locations,
    const ListOptions& options);

}  // namespace shoal::list
