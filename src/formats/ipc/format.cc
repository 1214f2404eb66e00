#include "formats/ipc/format.h"

#include "formats/ipc/facts.h"
#include "formats/ipc/units.h"

namespace shoal::formats::ipc {

namespace {

class IpcFormat final : public FileFormat {
 public:
  std::string_view name() const override { return "ipc"; }
  std::vector<std::string_view> extensions() const override {
    return {".arrow", ".ipc", ".feather", ".arrows"};
  }
  bool MatchesMagic(std::string_view head) const override {
    // A stream begins with the continuation marker and the length of its schema, which is padded.
    return head.starts_with("ARROW1") || head.starts_with("FEA1") ||
           (head.size() >= 8 && head.starts_with("\xff\xff\xff\xff") && head[4] % 8 == 0 &&
            head[7] == 0);
  }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const override {
    return MakeFactsReader(std::move(file));
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    if (static_cast<const IpcFacts&>(*request.facts).is_stream())
      return MakeStreamUnit(std::move(request));
    return MakeFileUnit(std::move(request));
  }
};

}  // namespace

std::shared_ptr<const FileFormat> MakeFormat() { return std::make_shared<const IpcFormat>(); }

}  // namespace shoal::formats::ipc
