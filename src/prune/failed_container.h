// Says in which container the exact evaluation of a filter failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/status.h>

namespace shoal::prune {

/// Attached to an error of Prune that comes from the constants of one container (a partition key
/// that is no number, say), so that the caller can add the path. An error that has a detail already
/// keeps that.
class FailedContainer : public arrow::StatusDetail {
 public:
  static arrow::Status Attach(const arrow::Status& error, int64_t container);
  /// The container of such an error; not set for any other status.
  static std::optional<int64_t> Find(const arrow::Status& error);

  explicit FailedContainer(int64_t container) : container_(container) {}
  const char* type_id() const override;
  std::string ToString() const override { return "container " + std::to_string(container_); }

 private:
  int64_t container_;
};

}  // namespace shoal::prune
