// Small words for suites that say which law was broken.
#pragma once

#include <string>
#include <utility>

#include <arrow/status.h>

#include <shoal/testing/format_conformance.h>

namespace shoal::testing {

/// An error that says which law does not hold, of which sample.
template <typename... Args>
arrow::Status Broken(const std::string& sample, Args&&... law) {
  return arrow::Status::Invalid("sample '", sample, "': ", std::forward<Args>(law)...);
}

/// The same status, with what was being done.
inline arrow::Status During(const arrow::Status& status, const std::string& sample,
                            const std::string& what) {
  if (status.ok()) return status;
  return status.WithMessage("sample '", sample, "': ", what, ": ", status.message());
}

/// The parts of RunFileFormatConformance.
arrow::Status CheckUnits(const FormatConformance& conformance, const SampleFile& sample);
arrow::Status CheckDamage(const FormatConformance& conformance, const SampleFile& sample);
arrow::Status CheckScans(const FormatConformance& conformance, const SampleFile& sample);

}  // namespace shoal::testing
