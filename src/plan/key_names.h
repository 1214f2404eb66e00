// Keys of paths whose names are compared without case.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <arrow/result.h>

#include <shoal/listing.h>

#include "schema/names.h"

namespace shoal::plan {

/// The keys under the names that `spelling` has for them: `Year=2020` and `year=2021` carry one
/// key. Keys that it does not know stay. Invalid, with `path_of` the row: a path carries two keys
/// that are one. Of files, nothing if they stay as they are.
arrow::Result<KeyTable> RespellKeys(KeyTable keys, const schema::Spelling& spelling,
                                    const std::function<std::string(int64_t)>& path_of);
arrow::Result<std::optional<FileTable>> RespellKeys(const FileTable& files,
                                                    const schema::Spelling& spelling);

}  // namespace shoal::plan
