// stats: rows, bytes and bounds of columns, from keys and footers alone.
#include <iostream>

#include <shoal/dataset.h>
#include <nlohmann/json.hpp>

#include <arrow/array/util.h>

#include "interrupt.h"
#include "json_text.h"
#include "left_out.h"
#include "output_target.h"
#include "report_json.h"
#include "text_table.h"
#include "verb.h"

namespace shoal::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWidestCell = 40;

/// {"value": v, "exact": e}; null where nothing is known.
template <typename T>
Json ToJson(const Precision<T>& figure, const Json& value) {
  if (figure.is_absent()) return nullptr;
  return {{"value", value}, {"exact", figure.is_exact()}};
}

Json ToJson(const Precision<int64_t>& figure) {
  return figure.is_absent() ? Json(nullptr) : ToJson(figure, figure.value());
}

arrow::Result<Json> ToJson(const Precision<std::shared_ptr<arrow::Scalar>>& bound) {
  if (bound.is_absent()) return Json(nullptr);
  ARROW_ASSIGN_OR_RAISE(auto array, arrow::MakeArrayFromScalar(*bound.value(), 1));
  std::string text;
  // Bytes that are no text cannot be said in JSON; the bound is left out.
  if (!AppendJson(*array, 0, &text).ok()) return Json(nullptr);
  return ToJson(bound, Json::parse(text));
}

/// For people: `~` before what is not exact, nothing for what is not known.
std::string ToText(const Precision<int64_t>& figure) {
  if (figure.is_absent()) return "";
  return (figure.is_exact() ? "" : "~") + std::to_string(figure.value());
}

arrow::Result<std::string> ToText(const Precision<std::shared_ptr<arrow::Scalar>>& bound) {
  if (bound.is_absent()) return "";
  ARROW_ASSIGN_OR_RAISE(auto array, arrow::MakeArrayFromScalar(*bound.value(), 1));
  std::string text = bound.is_exact() ? "" : "~";
  ARROW_RETURN_NOT_OK(AppendPlain(*array, 0, &text));
  return Truncated(text, kWidestCell);
}

arrow::Result<std::string> JsonReport(const TableStatistics& statistics,
                                      const arrow::Schema& schema) {
  Json columns = Json::array();
  for (int c = 0; c < schema.num_fields(); ++c) {
    const ColumnStatistics& column = statistics.columns[c];
    ARROW_ASSIGN_OR_RAISE(Json min, ToJson(column.min));
    ARROW_ASSIGN_OR_RAISE(Json max, ToJson(column.max));
    columns.push_back({{"name", schema.field(c)->name()},
                       {"null_count", ToJson(column.null_count)},
                       {"min", std::move(min)},
                       {"max", std::move(max)}});
  }
  return JsonText({{"rows", ToJson(statistics.num_rows)},
                   {"bytes", ToJson(statistics.total_bytes)},
                   {"columns", std::move(columns)}});
}

arrow::Result<std::string> TextReport(const TableStatistics& statistics,
                                      const arrow::Schema& schema) {
  TextTable table(
      {{"column"}, {"type"}, {.heading = "nulls", .align_right = true}, {"min"}, {"max"}});
  for (int c = 0; c < schema.num_fields(); ++c) {
    const ColumnStatistics& column = statistics.columns[c];
    std::string name;
    AppendVisible(schema.field(c)->name(), &name);
    ARROW_ASSIGN_OR_RAISE(std::string min, ToText(column.min));
    ARROW_ASSIGN_OR_RAISE(std::string max, ToText(column.max));
    table.AddRow({std::move(name), schema.field(c)->type()->ToString(), ToText(column.null_count),
                  std::move(min), std::move(max)});
  }
  return "rows   " + ToText(statistics.num_rows) + "\nbytes  " + ToText(statistics.total_bytes) +
         "\n\n" + table.ToString();
}

}  // namespace

arrow::Status RunStats(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  PlanOptions planning;
  planning.stop = StopOnSignal();
  ARROW_ASSIGN_OR_RAISE(const TableStatistics statistics,
                        dataset->Statistics(arguments.request.filter, planning));
  ARROW_ASSIGN_OR_RAISE(auto schema, dataset->schema());
  ARROW_ASSIGN_OR_RAISE(const std::string report, arguments.json ? JsonReport(statistics, *schema)
                                                                 : TextReport(statistics, *schema));
  ARROW_RETURN_NOT_OK(Print(report));
  // Without a filter all files are listed already.
  if (arguments.request.filter.Equals(arrow::compute::literal(true))) {
    ARROW_ASSIGN_OR_RAISE(const ListingReport listing, dataset->listing_report());
    std::cerr << WarningsOf(listing);
  }
  return arrow::Status::OK();
}

}  // namespace shoal::cli
