// A listing whose files somebody named: nothing is looked at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>

#include <shoal/listing.h>

namespace shoal::list {

/// Lists `paths` (normalised, on `filesystem`), each once, as files of a table at the directory
/// `root`: their keys are those of the directories below it, and they are there and data, whatever
/// their names are. Sizes are not known, unless they are asked for: then each file is looked at,
/// and one that is not there is an error that names it.
arrow::Result<ListingReport> ListNamedFiles(
    const std::shared_ptr<arrow::fs::FileSystem>& filesystem, const std::string& root,
    std::vector<std::string> paths, const ListOptions& options, const PageSink& sink);

}  // namespace shoal::list
