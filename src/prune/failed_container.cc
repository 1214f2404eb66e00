#include "prune/failed_container.h"

#include <cstring>
#include <memory>

namespace shoal::prune {
namespace {
constexpr char kTypeId[] = "shoal::prune::FailedContainer";
}

const char* FailedContainer::type_id() const { return kTypeId; }

arrow::Status FailedContainer::Attach(const arrow::Status& error, int64_t container) {
  if (error.detail()) return error;
  return error.WithDetail(std::make_shared<FailedContainer>(container));
}

std::optional<int64_t> FailedContainer::Find(const arrow::Status& error) {
  if (!error.detail() || std::strcmp(error.detail()->type_id(), kTypeId) != 0) return std::nullopt;
  return static_cast<const FailedContainer&>(*error.detail()).container_;
}

}  // namespace shoal::prune
