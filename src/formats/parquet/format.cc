#include "formats/parquet/format.h"

#include "formats/parquet/facts.h"
#include "formats/parquet/row_group_unit.h"

namespace shoal::formats::parquet {

namespace {

class ParquetFormat final : public FileFormat {
 public:
  std::string_view name() const override { return "parquet"; }
  std::vector<std::string_view> extensions() const override { return {".parquet", ".parq", ".pq"}; }
  bool MatchesMagic(std::string_view head) const override {
    return head.starts_with("PAR1") || head.starts_with("PARE");
  }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    return MakeFactsReader(std::move(file), converter_);
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    return MakeRowGroupUnit(std::move(request));
  }
  std::optional<SavedFacts> SaveFacts(const FileFacts& facts) const override {
    SavedFacts saved;
    static_cast<const ParquetFacts&>(facts).footer().Save(&saved.common, &saved.own);
    return saved;
  }
  arrow::Result<std::shared_ptr<const FileFacts>> RestoreFacts(
      std::string_view common, std::string_view own,
      const std::shared_ptr<const SourceFile>& file) const override {
    ARROW_ASSIGN_OR_RAISE(auto footer, Footer::Restore(common, own));
    return MakeFacts(*file, std::move(footer), file->version.size, converter_.get());
  }
  arrow::Result<std::vector<std::string>> SummarizedFiles(const FileFacts& summary) const override {
    const Footer& footer = static_cast<const ParquetFacts&>(summary).footer();
    std::vector<std::string> out;
    for (int g = 0; g < footer.num_row_groups(); ++g) out.emplace_back(footer.file_path(g));
    return out;
  }
  arrow::Result<std::shared_ptr<const FileFacts>> FactsOfSummarized(
      const FileFacts& summary, const std::vector<int>& row_groups,
      const SourceFile& file) const override {
    ARROW_ASSIGN_OR_RAISE(auto footer,
                          static_cast<const ParquetFacts&>(summary).footer().Select(row_groups));
    return MakeFacts(file, std::move(footer), FileVersion::kUnknown, converter_.get());
  }

 private:
  std::shared_ptr<SchemaConverter> converter_ = std::make_shared<SchemaConverter>();
};

}  // namespace

std::shared_ptr<const FileFormat> MakeFormat() { return std::make_shared<const ParquetFormat>(); }

}  // namespace shoal::formats::parquet
