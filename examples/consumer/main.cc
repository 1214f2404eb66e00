// Scans a folder of files as one table: the whole path from listing to batches.
//
//   consumer FOLDER [FILTER]      e.g.  consumer data/flights "month = 6 and dep_delay > 60"
#include <iostream>

#include <shoal/dataset.h>
#include <shoal/version.h>

namespace {

arrow::Status Run(const std::string& folder, const std::string& text) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, shoal::Dataset::Open({folder}));
  ARROW_ASSIGN_OR_RAISE(auto schema, dataset->schema());
  std::cout << schema->num_fields() << " columns\n";

  shoal::ScanRequest request;
  if (!text.empty()) {
    ARROW_ASSIGN_OR_RAISE(request.filter, shoal::ParseFilter(text));
  }
  ARROW_ASSIGN_OR_RAISE(auto stream, dataset->Scan(request));
  int64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) break;
    rows += batch->num_rows();
  }
  const auto metrics = stream->metrics();
  std::cout << rows << " rows from " << metrics.row_groups_read << " row groups, "
            << metrics.row_groups_pruned << " pruned\n";
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  std::cout << "shoal " << shoal::Version() << "\n";
  if (argc < 2) return 0;
  arrow::Status status = Run(argv[1], argc > 2 ? argv[2] : "");
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
