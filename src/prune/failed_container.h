// Says in which container the exact evaluation of a filter failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <arrow/status.h>

namespace shoal::prune {

/// Attached to an error of Prune that comes from the constants of one container (a partition key
/// that is no number, say), so that the caller can add the path and the part of the filter. An
/// error that has a detail already keeps that.
class FailedContainer : public arrow::StatusDetail {
 public:
  static arrow::Status Attach(const arrow::Status& error, int64_t container);
  /// Adds which of the conjuncts it was; any other error comes back as it is.
  static arrow::Status AttachConjunct(const arrow::Status& error, size_t conjunct);
  /// What such an error carries; nullptr for any other status. Valid as long as the status.
  static const FailedContainer* Find(const arrow::Status& error);

  FailedContainer(int64_t container, size_t conjunct)
      : container_(container), conjunct_(conjunct) {}
  const char* type_id() const override;
  std::string ToString() const override { return "container " + std::to_string(container_); }
  int64_t container() const { return container_; }
  size_t conjunct() const { return conjunct_; }

 private:
  int64_t container_;
  size_t conjunct_;
};

}  // namespace shoal::prune
