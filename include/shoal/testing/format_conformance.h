// What every file format must do, as a test that needs no test framework.
//
//   arrow::Status status = shoal::testing::RunFileFormatConformance(
//       {.format = std::make_shared<MyFormat>(), .samples = {{"small", bytes, table}}, .folder =
//       dir});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/status.h>
#include <arrow/table.h>

#include <shoal/file_format.h>

namespace shoal::testing {

/// A whole file, and the rows that reading it gives, in order and with their types. Metadata of
/// fields and schema are not compared.
struct SampleFile {
  std::string name;  // for errors
  std::string bytes;
  std::shared_ptr<arrow::Table> rows;
};

struct FormatConformance {
  std::shared_ptr<const FileFormat> format;
  /// At least one with rows, and better several: with nulls, nested columns, several row groups,
  /// one without rows, one of each way in which the format is written. All but those without rows
  /// should have at least one column of an integer type, for filters.
  std::vector<SampleFile> samples;
  /// An existing folder for files; what is put there is deleted.
  std::string folder;
  /// Each sample is damaged in so many ways, the same ones for the same seed.
  int mutations = 100;
  uint32_t seed = 0;
  /// What reading a damaged file may allocate at once.
  int64_t max_allocation = int64_t{64} << 20;
  /// Whether reading damaged files must fail at times, as it does where a format has a structure
  /// that can be broken. Formats in which all bytes mean something set it to false.
  bool detects_damage = true;
};

/// OK if the format keeps these laws; else the first that it breaks, with the sample's name:
///
///   - facts have the sample's schema; row counts that are exact are right, and add up;
///   - row groups, read in one unit or in one each, whatever the size of batches, give the sample's
///     rows in order; batches are not empty and not larger than asked for;
///   - a unit that is asked for some leaves gives these and only these;
///   - ranges lie within the file, and a unit reads nothing that it did not ask for;
///   - an empty file is an error that names the file, not a crash;
///   - a damaged file gives rows or an error that names it, and never takes memory without bound;
///   - scans of several files, with and without filters, threads and a memory budget of one byte,
///     give the rows of the samples in order; counts agree; a scan can be stopped at any batch.
arrow::Status RunFileFormatConformance(const FormatConformance& conformance);

}  // namespace shoal::testing
