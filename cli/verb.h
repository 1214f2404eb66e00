// The verbs of the program: one file each, named after the verb.
#pragma once

#include <array>
#include <string_view>

#include <arrow/status.h>

#include "arguments.h"

namespace shoal::cli {

struct VerbInfo {
  Verb verb;
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  arrow::Status (*run)(const Arguments& arguments);
};

arrow::Status RunLs(const Arguments& arguments);
arrow::Status RunSchema(const Arguments& arguments);
arrow::Status RunCount(const Arguments& arguments);
arrow::Status RunStats(const Arguments& arguments);
arrow::Status RunHead(const Arguments& arguments);
arrow::Status RunScan(const Arguments& arguments);
arrow::Status RunExplain(const Arguments& arguments);

inline constexpr std::array<VerbInfo, 7> kVerbs = {{
    {Verb::kLs, "ls", "list the files of a table, and say what was left out",
     "shoal ls data/flights --where \"month in (6, 7)\"", RunLs},
    {Verb::kSchema, "schema", "show the columns: name, type, nullable, partition key",
     "shoal schema data/flights", RunSchema},
    {Verb::kCount, "count", "count rows, from metadata where it tells",
     "shoal count data/flights --where \"month = 6 and dep_delay > 60\"", RunCount},
    {Verb::kStats, "stats", "show rows, bytes and bounds of columns, from metadata alone",
     "shoal stats data/flights --where \"month = 6\"", RunStats},
    {Verb::kHead, "head", "show the first rows as a table",
     "shoal head data/flights --limit 5 --columns carrier,flight,dep_delay", RunHead},
    {Verb::kScan, "scan", "write the rows as JSON lines, CSV, Arrow or Parquet",
     "shoal scan data/flights --where \"dep_delay > 400\" --output late.parquet", RunScan},
    {Verb::kExplain, "explain", "show what a scan would read, what it would not, and why",
     "shoal explain data/flights --where \"month = 6 and dep_delay > 60\"", RunExplain},
}};

}  // namespace shoal::cli
