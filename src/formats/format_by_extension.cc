#include <shoal/format_by_extension.h>

#include <algorithm>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "formats/registry.h"

namespace shoal {

namespace {

/// Fails with `error`: for what interfaces cannot refuse at once.
class Refusal final : public FactsReader {
 public:
  explicit Refusal(arrow::Status error) : error_(std::move(error)) {}
  arrow::Result<Step> Next(Resident) override { return error_; }

 private:
  const arrow::Status error_;
};

class ByExtension final : public FileFormat {
 public:
  explicit ByExtension(std::vector<std::shared_ptr<const FileFormat>> formats)
      : formats_(std::move(formats)) {}

  std::string_view name() const override { return formats::kByExtension; }
  std::vector<std::string_view> extensions() const override {
    std::vector<std::string_view> out;
    for (const auto& format : formats_) {
      for (auto extension : format->extensions()) out.push_back(extension);
    }
    return out;
  }
  /// Bytes do not decide.
  bool MatchesMagic(std::string_view head) const override { return false; }

  const FileFormat& FormatOf(std::string_view path) const override {
    const auto format = formats::FormatOfPath(path, formats_);
    // Without one, reading says so.
    return format ? format->FormatOf(path) : *this;
  }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    const FileFormat& format = FormatOf(file->path);
    if (&format == this) return std::make_unique<Refusal>(NoFormat(*file));
    return format.ReadFacts(std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    const FileFormat& format = FormatOf(request.file->path);
    if (&format == this) return NoFormat(*request.file);
    return format.MakeUnit(std::move(request));
  }

  std::string OptionsJson() const override {
    auto list = nlohmann::json::array();
    for (const auto& format : formats_) {
      nlohmann::json one = {{"format", format->name()}};
      if (const auto options = format->OptionsJson(); !options.empty())
        one["options"] = nlohmann::json::parse(options);
      list.push_back(std::move(one));
    }
    auto by_default = nlohmann::json::array();
    for (const auto& format : formats::AllFormats())
      by_default.push_back({{"format", format->name()}});
    if (list == by_default) return "";
    return nlohmann::json({{"formats", std::move(list)}}).dump();
  }

 private:
  arrow::Status NoFormat(const SourceFile& file) const {
    std::string known;
    for (auto extension : extensions())
      known += (known.empty() ? "" : ", ") + std::string(extension);
    return arrow::Status::Invalid(
        "'", file.path, "' has a name that tells no format; those that do end in ", known);
  }

  const std::vector<std::shared_ptr<const FileFormat>> formats_;
};

}  // namespace

namespace formats {

arrow::Result<std::shared_ptr<const FileFormat>> ByExtensionFromJson(std::string_view json) {
  const auto options = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  const auto wrong = [&] {
    return arrow::Status::Invalid(
        "The format ", kByExtension,
        " has one option, formats: a list of objects that have a format's name as `format`, and "
        "perhaps its `options`; it was given ",
        json);
  };
  if (!options.is_object()) return wrong();
  std::vector<std::shared_ptr<const FileFormat>> formats;
  for (const auto& [name, list] : options.items()) {
    if (name != "formats" || !list.is_array()) return wrong();
    for (const auto& one : list) {
      if (!one.is_object() || !one.contains("format") || !one["format"].is_string()) return wrong();
      const bool has_options = one.contains("options");
      if (one.size() != (has_options ? 2 : 1)) return wrong();
      ARROW_ASSIGN_OR_RAISE(auto format, GetFileFormat(one["format"].get_ref<const std::string&>(),
                                                       has_options ? one["options"].dump() : ""));
      formats.push_back(std::move(format));
    }
  }
  return FormatByExtension(std::move(formats));
}

}  // namespace formats

std::shared_ptr<const FileFormat> FormatByExtension(
    std::vector<std::shared_ptr<const FileFormat>> formats) {
  if (formats.empty()) formats = formats::AllFormats();
  return std::make_shared<const ByExtension>(std::move(formats));
}

}  // namespace shoal
