// schema: the columns of a table.
#include <iostream>

#include <shoal/dataset.h>
#include <nlohmann/json.hpp>

#include "cache_warning.h"
#include "interrupt.h"
#include "json_text.h"
#include "left_out.h"
#include "output_target.h"
#include "report_json.h"
#include "text_table.h"
#include "verb.h"

namespace shoal::cli {

namespace {

struct Columns {
  std::shared_ptr<arrow::Schema> all;
  std::shared_ptr<arrow::Schema> keys;
  ListingReport listing;  // of the inspection
};

arrow::Result<Columns> FindColumns(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  Columns columns;
  ARROW_ASSIGN_OR_RAISE(columns.keys, dataset->partition_schema());
  // What a projection gives is known once it is planned, and what inspection left out. No row is
  // wanted for that.
  ScanRequest request = arguments.request;
  request.limit = 0;
  PlanOptions planning;
  planning.collect_statistics = false;
  planning.stop = StopOnSignal();
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan, dataset->Plan(request, planning));
  columns.all = plan.output_schema;
  columns.listing = plan.listing;
  WarnOfCache(*dataset);
  return columns;
}

}  // namespace

arrow::Status RunSchema(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Columns columns, FindColumns(arguments));
  auto json = nlohmann::ordered_json::array();
  TextTable table({{"column"}, {"type"}, {"nullable"}, {"partition key"}});
  for (const auto& field : columns.all->fields()) {
    const bool is_key = columns.keys->GetFieldIndex(field->name()) >= 0;
    json.push_back({{"name", field->name()},
                    {"type", field->type()->ToString()},
                    {"nullable", field->nullable()},
                    {"partition_key", is_key}});
    std::string name;
    AppendVisible(field->name(), &name);
    table.AddRow({std::move(name), field->type()->ToString(), field->nullable() ? "yes" : "no",
                  is_key ? "yes" : ""});
  }
  ARROW_RETURN_NOT_OK(Print(arguments.json ? JsonText(json) : table.ToString()));
  std::cerr << WarningsOf(columns.listing);
  return arrow::Status::OK();
}

}  // namespace shoal::cli
