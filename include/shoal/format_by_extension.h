// Tables whose files are of several formats, each of the one that its name tells.
#pragma once

#include <memory>
#include <vector>

#include <shoal/file_format.h>

namespace shoal {

/// A format, called "by_extension", of files that are each of the first of `formats` one of whose
/// extensions their name ends in, letter case aside. Empty: those that shoal knows; that one is
/// also GetFileFormat("by_extension"). Opened with it, a folder's files of other names are left out
/// and counted, unless OpenOptions::extension says which ones to take.
///
/// The schema is the lossless union of all files. Files of text take part with the first type that
/// alters no value that was seen in any file of their format; where that and the types of other
/// formats go into no common type, with the next one that does.
std::shared_ptr<const FileFormat> FormatByExtension(
    std::vector<std::shared_ptr<const FileFormat>> formats = {});

}  // namespace shoal
