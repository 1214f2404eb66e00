#include "formats/registry.h"

#include <string>

#include <shoal/format_by_extension.h>

#include "base/path.h"
#include "formats/csv/format.h"
#include "formats/ipc/format.h"
#include "formats/json/format.h"
#include "formats/orc/format.h"
#include "formats/parquet/format.h"

namespace shoal::formats {

std::vector<std::shared_ptr<const FileFormat>> AllFormats(InferFrom infer) {
  CsvOptions csv;
  csv.infer = infer;
  return {parquet::MakeFormat(), ipc::MakeFormat(), orc::MakeFormat(), *MakeCsvFormat(csv),
          *MakeJsonFormat({infer})};
}

arrow::Result<std::shared_ptr<const FileFormat>> FormatOfName(std::string_view name,
                                                              InferFrom infer) {
  auto formats = AllFormats(infer);
  if (name == kByExtension) return FormatByExtension(std::move(formats));
  // Other names of Arrow IPC.
  if (name == "arrow" || name == "feather") name = "ipc";
  std::string known;
  for (auto& format : formats) {
    if (format->name() == name) return format;
    known += (known.empty() ? "" : ", ") + std::string(format->name());
  }
  return arrow::Status::NotImplemented("format '", name,
                                       "' is not supported; the known formats are: ", known,
                                       ", and by_extension, for files of several");
}

std::shared_ptr<const FileFormat> FormatOfPath(
    std::string_view path, const std::vector<std::shared_ptr<const FileFormat>>& formats) {
  for (const auto& format : formats) {
    for (auto extension : format->extensions()) {
      if (base::EndsWithIgnoringCase(path, extension)) return format;
    }
  }
  return nullptr;
}

std::shared_ptr<const FileFormat> FormatOfMagic(
    std::string_view head, const std::vector<std::shared_ptr<const FileFormat>>& formats) {
  for (const auto& format : formats) {
    if (format->MatchesMagic(head)) return format;
  }
  return nullptr;
}

}  // namespace shoal::formats

namespace shoal {

arrow::Result<std::shared_ptr<const FileFormat>> GetFileFormat(std::string_view name,
                                                               std::string_view options_json) {
  if (!options_json.empty()) {
    if (name == "csv") {
      ARROW_ASSIGN_OR_RAISE(auto options, formats::csv::OptionsFromJson(options_json));
      return MakeCsvFormat(std::move(options));
    }
    if (name == "json") {
      ARROW_ASSIGN_OR_RAISE(auto options, formats::json::OptionsFromJson(options_json));
      return MakeJsonFormat(options);
    }
    if (name == formats::kByExtension) return formats::ByExtensionFromJson(options_json);
    ARROW_ASSIGN_OR_RAISE(auto format, GetFileFormat(name));
    if (options_json == "{}") return format;
    return arrow::Status::Invalid("The format ", name, " has no options, and was given ",
                                  options_json);
  }
  return formats::FormatOfName(name, InferFrom::kSample);
}

std::vector<std::shared_ptr<arrow::DataType>> TextTyping::OtherTypes(const std::vector<FactsOf>&,
                                                                     const std::string&) const {
  return {};
}

arrow::Result<std::vector<std::string>> FileFormat::SummarizedFiles(const FileFacts&) const {
  return arrow::Status::NotImplemented("No ", name(), " file tells of others");
}

arrow::Result<std::shared_ptr<const FileFacts>> FileFormat::FactsOfSummarized(
    const FileFacts&, const std::vector<int>&, const SourceFile&) const {
  return arrow::Status::NotImplemented("No ", name(), " file tells of others");
}

std::optional<SavedFacts> FileFormat::SaveFacts(const FileFacts&) const { return std::nullopt; }

arrow::Result<std::shared_ptr<const FileFacts>> FileFormat::RestoreFacts(
    std::string_view, std::string_view, const std::shared_ptr<const SourceFile>& file) const {
  return arrow::Status::NotImplemented("'", file->path, "': facts of ", name(),
                                       " files can't be kept");
}

arrow::Result<ColumnBounds> FileFacts::Bounds(int leaf) const {
  ARROW_ASSIGN_OR_RAISE(auto bounds, Bounds(std::vector<int>{leaf}));
  return std::move(bounds[0]);
}

arrow::Result<std::vector<SortedLeaf>> FileFacts::DeclaredOrder() const {
  return std::vector<SortedLeaf>();
}

Precision<int64_t> FileFacts::num_rows() const {
  auto total = Precision<int64_t>::Exact(0);
  for (int i = 0; i < num_row_groups(); ++i) total = total + row_group_rows(i);
  return total;
}

}  // namespace shoal
