// Arrow IPC files and streams, written in every way that Arrow's writer knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/table.h>

#include "random_source.h"

namespace shoal::oracle {

/// `.arrow` or `.arrows`.
std::string RandomIpcExtension(Random& random);
bool IsIpcPath(const std::string& path);

/// Writes the table with random sizes of batches, compression and metadata version; as a file or a
/// stream as the path says. Returns what it chose, for people.
std::string WriteRandomIpc(const arrow::Table& table, const std::string& path, Random& random);

/// What the file holds, read by Arrow; of a stream, all of it is row group 0.
arrow::Result<std::shared_ptr<arrow::Table>> ReadIpc(
    const std::string& path, const std::optional<std::vector<int>>& row_groups);

}  // namespace shoal::oracle
