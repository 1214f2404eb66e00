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
  return error.WithDetail(std::make_shared<FailedContainer>(container, 0));
}

arrow::Status FailedContainer::AttachConjunct(const arrow::Status& error, size_t conjunct) {
  const FailedContainer* failed = Find(error);
  if (failed == nullptr) return error;
  return error.WithDetail(std::make_shared<FailedContainer>(failed->container_, conjunct));
}

const FailedContainer* FailedContainer::Find(const arrow::Status& error) {
  if (!error.detail() || std::strcmp(error.detail()->type_id(), kTypeId) != 0) return nullptr;
  return static_cast<const FailedContainer*>(error.detail().get());
}

}  // namespace shoal::prune
