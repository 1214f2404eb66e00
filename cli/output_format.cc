#include "output_format.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include "exit_status.h"

namespace shoal::cli {

namespace {

constexpr std::array<std::pair<std::string_view, OutputFormat>, 10> kExtensions = {{
    {".arrow", OutputFormat::kArrowFile},
    {".feather", OutputFormat::kArrowFile},
    {".ipc", OutputFormat::kArrowFile},
    {".arrows", OutputFormat::kArrowStream},
    {".csv", OutputFormat::kCsv},
    {".jsonl", OutputFormat::kJsonLines},
    {".ndjson", OutputFormat::kJsonLines},
    {".json", OutputFormat::kJsonLines},
    {".parquet", OutputFormat::kParquet},
    {".pq", OutputFormat::kParquet},
}};

std::string ExtensionOf(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

}  // namespace

arrow::Result<OutputFormat> FormatOfOutput(std::string_view name, std::string_view output) {
  const bool to_stdout = output == "-";
  const std::string extension = to_stdout ? "" : ExtensionOf(output);
  if (name == "csv") return OutputFormat::kCsv;
  if (name == "jsonl") return OutputFormat::kJsonLines;
  if (name == "parquet") return OutputFormat::kParquet;
  if (name == "arrow") {
    return to_stdout || extension == ".arrows" ? OutputFormat::kArrowStream
                                               : OutputFormat::kArrowFile;
  }
  if (!name.empty()) {
    return UsageError("--to is '", name, "'; it can be arrow, csv, jsonl or parquet");
  }
  if (to_stdout) return OutputFormat::kJsonLines;
  for (const auto& [known, format] : kExtensions) {
    if (extension == known) return format;
  }
  return UsageError("The name '", output,
                    "' does not tell the format to write; add --to arrow, csv, jsonl or parquet");
}

bool IsText(OutputFormat format) {
  return format == OutputFormat::kCsv || format == OutputFormat::kJsonLines;
}

arrow::Result<std::unique_ptr<BatchWriter>> MakeBatchWriter(
    OutputFormat format, const std::shared_ptr<arrow::Schema>& schema,
    arrow::io::OutputStream* sink) {
  std::set<std::string> names;
  for (const auto& field : schema->fields()) {
    if (!names.insert(field->name()).second) {
      return arrow::Status::Invalid("Two columns are named '", field->name(),
                                    "'; choose columns of different names with --columns");
    }
  }
  switch (format) {
    case OutputFormat::kArrowFile:
      return MakeArrowWriter(schema, /*file=*/true, sink);
    case OutputFormat::kArrowStream:
      return MakeArrowWriter(schema, /*file=*/false, sink);
    case OutputFormat::kCsv:
      return MakeCsvWriter(schema, sink);
    case OutputFormat::kJsonLines:
      return MakeJsonLinesWriter(schema, sink);
    case OutputFormat::kParquet:
      return MakeParquetWriter(schema, sink);
  }
  return arrow::Status::NotImplemented("No writer for this format");
}

}  // namespace shoal::cli
