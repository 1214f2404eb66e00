// Arrow keeps most compute functions in a library of their own, which has to be told to register
// them.
#pragma once

#include <arrow/status.h>

namespace shoal::expression {

/// Registers Arrow's compute functions, once. Any thread.
arrow::Status MakeComputeReady();

}  // namespace shoal::expression
