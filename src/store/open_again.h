// Filesystems of stores in a child of fork().
#pragma once

#include <memory>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>

namespace shoal::store {

/// The same store through connections of its own: those of `filesystem` are shared with the process
/// that this one was forked from, and answers to two processes on one connection mix. An error that
/// says what to do where that cannot be had.
arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> OpenAgain(
    const std::shared_ptr<arrow::fs::FileSystem>& filesystem);

/// Whether this process may ask Azure: its client keeps one set of connections for all of a
/// process, so it may not where a process was forked from one that has asked. Otherwise an error
/// that says what to do.
arrow::Status MayAskAzure();

}  // namespace shoal::store
