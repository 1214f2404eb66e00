#include "expression/compute_ready.h"

#include <arrow/compute/initialize.h>

namespace shoal::expression {

arrow::Status MakeComputeReady() {
  static const arrow::Status status = arrow::compute::Initialize();
  return status;
}

}  // namespace shoal::expression
