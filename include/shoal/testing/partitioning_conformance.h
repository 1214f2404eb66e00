// What every partitioning must do, as a test that needs no test framework.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/status.h>

#include <shoal/partitioning.h>

namespace shoal::testing {

struct PartitioningConformance {
  std::shared_ptr<const Partitioning> partitioning;
  /// The keys of a path, in the order of the layout.
  std::vector<std::string> keys;
  /// Values that the layout must be able to express, of each key; at least one of each. Awkward
  /// ones (separators, dots, nothing at all, null) are tried besides, and must either come back or
  /// be refused.
  std::vector<std::vector<std::string>> values;
};

/// OK if the partitioning keeps these laws; else the first that it breaks:
///
///   - whatever the values are, formatting a path either fails with an error that names the key, or
///     gives a path that, parsed, gives the same keys and values back;
///   - such a path has no segment that is empty, `.` or `..`, so it never leads out of the base;
///   - paths of different values differ;
///   - a directory or file name that carries no key is no error, and gives none;
///   - required keys are among the keys.
arrow::Status RunPartitioningConformance(const PartitioningConformance& conformance);

}  // namespace shoal::testing
