// explain: the plan of a scan.
#include <shoal/dataset.h>

#include "cache_warning.h"
#include "interrupt.h"
#include "output_target.h"
#include "verb.h"

namespace shoal::cli {

arrow::Status RunExplain(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  PlanOptions planning = arguments.planning;
  planning.stop = StopOnSignal();
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan, dataset->Plan(arguments.request, planning));
  WarnOfCache(*dataset);
  if (!arguments.json) return Print(plan.ToString());
  ARROW_ASSIGN_OR_RAISE(const std::string json, plan.ToJson());
  return Print(json + "\n");
}

}  // namespace shoal::cli
