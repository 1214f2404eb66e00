// Parquet files written in every way that Arrow's writer knows.
#pragma once

#include <optional>
#include <string>

#include <arrow/table.h>
#include <parquet/type_fwd.h>

#include "random_source.h"

namespace shoal::oracle {

/// What decides the Arrow types that files are read as: the same for all files of a dataset.
struct ParquetTypes {
  bool store_schema = true;  // as the ARROW:schema entry
  parquet::ParquetVersion::type version = parquet::ParquetVersion::PARQUET_2_6;
};
ParquetTypes RandomParquetTypes(Random& random);

/// Writes the table with random encodings, row groups, pages, statistics, compression. Returns what
/// it chose, for people; nothing if it found no way in which Arrow could read the file again.
std::optional<std::string> WriteRandomParquet(const arrow::Table& table, const std::string& path,
                                              const ParquetTypes& types, Random& random);

}  // namespace shoal::oracle
