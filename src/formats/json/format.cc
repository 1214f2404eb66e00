#include "formats/json/format.h"

#include <utility>

#include "formats/json/facts.h"
#include "formats/json/records_unit.h"
#include "formats/text/options_json.h"

namespace shoal {

namespace formats::json {
namespace {

class JsonFormat final : public FileFormat, public TextTyping {
 public:
  explicit JsonFormat(JsonOptions options) : options_(options) {}

  std::string_view name() const override { return "json"; }
  std::vector<std::string_view> extensions() const override {
    return {".jsonl",  ".jsonl.gz",  ".jsonl.bz2",  ".jsonl.zst",  ".jsonl.zstd",  ".jsonl.lz4",
            ".ndjson", ".ndjson.gz", ".ndjson.bz2", ".ndjson.zst", ".ndjson.zstd", ".ndjson.lz4",
            ".json",   ".json.gz",   ".json.bz2",   ".json.zst",   ".json.zstd",   ".json.lz4"};
  }
  bool MatchesMagic(std::string_view head) const override {
    const size_t first = head.find_first_not_of(" \t\r\n");
    return first != head.npos && head[first] == '{';
  }

  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    return MakeSampler(options_, std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    return json::MakeUnit(std::move(request));
  }
  const TextTyping* text_typing() const override { return this; }
  std::string OptionsJson() const override { return OptionsToJson(options_); }

  arrow::Result<std::shared_ptr<arrow::Schema>> Union(
      const std::vector<FactsOf>& files) const override {
    return json::Union(files);
  }
  std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(
      const std::vector<FactsOf>& files, const std::string& column) const override {
    return json::OtherTypes(files, column);
  }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file,
                                         const TableTypes& table) const override {
    return MakeTypedReader(std::move(file), table);
  }
  arrow::Result<std::shared_ptr<const FileFacts>> Retype(const FactsOf& file,
                                                         const TableTypes& table) const override {
    return json::Retype(static_cast<const JsonFacts&>(*file.facts), table);
  }

 private:
  const JsonOptions options_;
};

template <typename Visitor, typename Options>
void Fields(Visitor& visit, Options& options) {
  const JsonOptions by_default;
  visit("infer", options.infer, by_default.infer);
}

}  // namespace

arrow::Result<JsonOptions> OptionsFromJson(std::string_view json) {
  JsonOptions options;
  ARROW_ASSIGN_OR_RAISE(auto reader, text::OptionsReader::Make(json));
  Fields(reader, options);
  ARROW_RETURN_NOT_OK(reader.Finish("json"));
  return options;
}

std::string OptionsToJson(const JsonOptions& options) {
  text::OptionsWriter writer;
  Fields(writer, options);
  return writer.text();
}

}  // namespace formats::json

arrow::Result<std::shared_ptr<const FileFormat>> MakeJsonFormat(JsonOptions options) {
  return std::make_shared<const formats::json::JsonFormat>(options);
}

}  // namespace shoal
