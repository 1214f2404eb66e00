// count: the number of rows.
#include <algorithm>

#include <shoal/dataset.h>
#include <nlohmann/json.hpp>

#include "cache_warning.h"
#include "interrupt.h"
#include "output_target.h"
#include "progress.h"
#include "report_json.h"
#include "scan_stats.h"
#include "verb.h"

namespace shoal::cli {

arrow::Status RunCount(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  ScanOptions reading = arguments.reading;
  reading.stop = StopOnSignal();
  int64_t rows = 0;
  ScanMetrics metrics;
  {
    const Progress progress(arguments.progress, nullptr);
    ARROW_ASSIGN_OR_RAISE(rows, dataset->Count(arguments.request.filter, reading, &metrics));
  }
  WarnOfCache(*dataset);
  TellOfReading(metrics, arguments);
  rows = std::max<int64_t>(0, rows - arguments.request.offset);
  if (arguments.request.limit) rows = std::min(rows, *arguments.request.limit);
  return Print(arguments.json ? JsonText({{"rows", rows}}) : std::to_string(rows) + "\n");
}

}  // namespace shoal::cli
