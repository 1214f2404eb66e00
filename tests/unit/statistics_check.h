// Whether what a plan says of its rows is true.
#pragma once

#include <memory>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <shoal/plan.h>

#include "dataset_maker.h"

namespace shoal::oracle {

/// Reads the plan's fragments plainly. What is claimed to be exact must be so, and bounds must be
/// bounds; `schema` is that of the table, with the types that plain reading gives.
::testing::AssertionResult StatisticsAreTrue(const ScanPlan& plan, const MadeDataset& dataset,
                                             const std::shared_ptr<arrow::Schema>& schema);

}  // namespace shoal::oracle
