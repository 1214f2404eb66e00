#include "formats/orc/format.h"

#include "formats/orc/facts.h"
#include "formats/orc/stripe_unit.h"

namespace shoal::formats::orc {

namespace {

class OrcFormat final : public FileFormat {
 public:
  std::string_view name() const override { return "orc"; }
  std::vector<std::string_view> extensions() const override { return {".orc"}; }
  bool MatchesMagic(std::string_view head) const override { return head.starts_with("ORC"); }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    return MakeFactsReader(std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    return MakeStripeUnit(std::move(request));
  }
};

}  // namespace

std::shared_ptr<const FileFormat> MakeFormat() { return std::make_shared<const OrcFormat>(); }

}  // namespace shoal::formats::orc
