#include <shoal/testing/format_conformance.h>

#include <arrow/compute/initialize.h>

#include "testing/laws.h"

namespace shoal::testing {

arrow::Status RunFileFormatConformance(const FormatConformance& conformance) {
  if (!conformance.format) return arrow::Status::Invalid("no format is given");
  if (conformance.samples.empty()) return arrow::Status::Invalid("no sample is given");
  if (conformance.format->name().empty()) return arrow::Status::Invalid("the format has no name");
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  for (const SampleFile& sample : conformance.samples) {
    ARROW_RETURN_NOT_OK(CheckUnits(conformance, sample));
    ARROW_RETURN_NOT_OK(CheckScans(conformance, sample));
    ARROW_RETURN_NOT_OK(CheckDamage(conformance, sample));
  }
  return arrow::Status::OK();
}

}  // namespace shoal::testing
