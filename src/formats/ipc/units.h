// Reads record batches.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::ipc {

/// REQUIRES, of both: request.facts are IpcFacts, of a file or of a stream; row_groups are some of
/// theirs; leaves are ascending.
std::unique_ptr<Unit> MakeFileUnit(UnitRequest request);
/// Walks over the messages, since only they tell where the next one is. Of batches it reads the
/// wanted columns, and without any only the numbers of rows.
std::unique_ptr<Unit> MakeStreamUnit(UnitRequest request);

}  // namespace shoal::formats::ipc
