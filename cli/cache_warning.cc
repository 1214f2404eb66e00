#include "cache_warning.h"

#include <iostream>

#include "exit_status.h"

namespace shoal::cli {

void WarnOfCache(const Dataset& dataset) {
  const std::string problem = dataset.cache_report().problem;
  if (problem.empty()) return;
  std::cerr << "shoal: warning: cache " + OneLine(arrow::Status::IOError(problem)) + "\n";
}

}  // namespace shoal::cli
