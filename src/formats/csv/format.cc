#include "formats/csv/format.h"

#include <utility>

#include "formats/csv/facts.h"
#include "formats/csv/records_unit.h"
#include "formats/text/decoder.h"

namespace shoal {

namespace formats::csv {
namespace {

using arrow::Status;

class CsvFormat final : public FileFormat, public TextTyping {
 public:
  explicit CsvFormat(CsvOptions options)
      : settings_(std::make_shared<const Settings>(std::move(options))) {}

  std::string_view name() const override { return "csv"; }
  std::vector<std::string_view> extensions() const override {
    return {".csv", ".csv.gz", ".csv.bz2", ".csv.zst", ".csv.zstd", ".csv.lz4",
            ".tsv", ".tsv.gz", ".tsv.bz2", ".tsv.zst", ".tsv.zstd", ".tsv.lz4",
            ".tab", ".tab.gz", ".tab.bz2", ".tab.zst", ".tab.zstd", ".tab.lz4"};
  }
  /// Any text can be CSV.
  bool MatchesMagic(std::string_view) const override { return false; }

  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    return MakeSampler(settings_, std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    return csv::MakeUnit(settings_, std::move(request));
  }
  const TextTyping* text_typing() const override { return this; }
  bool takes_names() const override { return true; }
  std::string OptionsJson() const override { return OptionsToJson(settings_->options); }

  arrow::Result<std::shared_ptr<arrow::Schema>> Union(
      const std::vector<FactsOf>& files) const override {
    return csv::Union(files);
  }
  std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(
      const std::vector<FactsOf>& files, const std::string& column) const override {
    return csv::OtherTypes(files, column);
  }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file,
                                         const TableTypes& table) const override {
    return MakeHeadReader(settings_, std::move(file), table);
  }
  arrow::Result<std::shared_ptr<const FileFacts>> Retype(const FactsOf& file,
                                                         const TableTypes& table) const override {
    return csv::Retype(*settings_, file, table);
  }

 private:
  std::shared_ptr<const Settings> settings_;
};

Status Check(const CsvOptions& options) {
  const std::pair<std::string_view, std::optional<char>> characters[] = {
      {"delimiter", options.delimiter},
      {"quote", options.quote},
      {"escape", options.escape},
      {"comment", options.comment},
      {"decimal_point", options.decimal_point},
  };
  for (size_t i = 0; i < std::size(characters); ++i) {
    const auto& [name, character] = characters[i];
    if (!character) continue;
    if (*character == '\n' || *character == '\r' || *character == '\0' ||
        static_cast<unsigned char>(*character) >= 0x80) {
      return Status::Invalid(name, " must be one ASCII character that does not end a line");
    }
    const auto same = [&](std::string_view other) {
      const std::string text =
          *character == '\t' ? "a tab" : "'" + std::string(1, *character) + "'";
      return Status::Invalid(name, " is ", text, ", and so is ", other);
    };
    for (size_t j = 0; j < i; ++j) {
      if (characters[j].second == character) return same(characters[j].first);
    }
    // Which of the two it is, the names of files tell.
    if (!options.delimiter && (*character == ',' || *character == '\t')) {
      return same(*character == ',' ? "delimiter: give another"
                                    : "delimiter in files named .tsv and .tab: give another");
    }
  }
  if (options.skip_rows < 0)
    return Status::Invalid("skip_rows is ", options.skip_rows, ", but must be at least 0");
  ARROW_RETURN_NOT_OK(text::CheckEncoding(options.encoding));
  auto convert = Settings(options).values.convert;
  return convert->Validate();
}

}  // namespace
}  // namespace formats::csv

arrow::Result<std::shared_ptr<const FileFormat>> MakeCsvFormat(CsvOptions options) {
  ARROW_RETURN_NOT_OK(formats::csv::Check(options));
  return std::make_shared<const formats::csv::CsvFormat>(std::move(options));
}

}  // namespace shoal
