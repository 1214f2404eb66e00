// What is behind an error of a file on a store.
#pragma once

#include <arrow/status.h>
#include <arrow/util/cancel.h>

#include <shoal/unit.h>

namespace shoal::storage {

/// The error, or, where the file is gone or no longer the one that was listed, the error that says
/// so. A store gives the ranges it is asked for, of whatever version it has by then: bytes that
/// make no sense may be those of another file. Costs one look at the file, after an error only;
/// none on local disks, which tell when a file is opened.
arrow::Status WhyFailed(const arrow::Status& error, const SourceFile& file,
                        const arrow::StopToken& stop);

}  // namespace shoal::storage
