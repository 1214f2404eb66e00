#include <shoal/format_by_extension.h>

#include <algorithm>
#include <string>
#include <utility>

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

  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    auto format = FormatOf(*file);
    if (!format.ok()) return std::make_unique<Refusal>(format.status());
    return (*format)->ReadFacts(std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    ARROW_ASSIGN_OR_RAISE(const auto format, FormatOf(*request.file));
    return format->MakeUnit(std::move(request));
  }

 private:
  arrow::Result<std::shared_ptr<const FileFormat>> FormatOf(const SourceFile& file) const {
    if (auto format = formats::FormatOfPath(file.path, formats_)) return format;
    std::string known;
    for (auto extension : extensions())
      known += (known.empty() ? "" : ", ") + std::string(extension);
    return arrow::Status::Invalid(
        "'", file.path, "' has a name that tells no format; those that do end in ", known);
  }

  const std::vector<std::shared_ptr<const FileFormat>> formats_;
};

}  // namespace

std::shared_ptr<const FileFormat> FormatByExtension(
    std::vector<std::shared_ptr<const FileFormat>> formats) {
  if (formats.empty()) formats = formats::AllFormats();
  return std::make_shared<const ByExtension>(std::move(formats));
}

}  // namespace shoal
