// Reads stripes.
#pragma once

#include <memory>

#include <shoal/file_format.h>

namespace shoal::formats::orc {

/// REQUIRES: request.facts are OrcFacts, row_groups are some of theirs, leaves are ascending.
std::unique_ptr<Unit> MakeStripeUnit(UnitRequest request);

}  // namespace shoal::formats::orc
