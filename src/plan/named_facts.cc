#include "plan/named_facts.h"

#include <utility>
#include <vector>

#include "schema/names.h"

namespace shoal::plan {

namespace {

class NamedFacts final : public FileFacts {
 public:
  NamedFacts(std::shared_ptr<const FileFacts> facts, std::shared_ptr<arrow::Schema> names)
      : FileFacts(std::move(names)), facts_(std::move(facts)) {}

  int num_row_groups() const override { return facts_->num_row_groups(); }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return facts_->row_group_rows(row_group);
  }
  int64_t row_group_bytes(int row_group) const override {
    return facts_->row_group_bytes(row_group);
  }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return facts_->Bounds(leaves);
  }
  using FileFacts::Bounds;
  arrow::Result<std::vector<SortedLeaf>> DeclaredOrder() const override {
    return facts_->DeclaredOrder();
  }
  int64_t memory_size() const override { return facts_->memory_size(); }

  const std::shared_ptr<const FileFacts>& in_file() const { return facts_; }

 private:
  const std::shared_ptr<const FileFacts> facts_;
};

class NamedUnit final : public Unit {
 public:
  NamedUnit(std::unique_ptr<Unit> unit, std::shared_ptr<arrow::Schema> names)
      : Unit(unit->file()), unit_(std::move(unit)), names_(std::move(names)) {}

  arrow::Result<Step> Next(Resident got) override {
    ARROW_ASSIGN_OR_RAISE(Step step, unit_->Next(std::move(got)));
    if (auto* batch = std::get_if<std::shared_ptr<arrow::RecordBatch>>(&step)) {
      *batch = schema::Relabel(**batch, names_);
    } else if (auto* split = std::get_if<Split>(&step)) {
      for (auto& unit : split->units) unit = std::make_unique<NamedUnit>(std::move(unit), names_);
    }
    return step;
  }

 private:
  const std::unique_ptr<Unit> unit_;
  const std::shared_ptr<arrow::Schema> names_;
};

}  // namespace

std::shared_ptr<const FileFacts> WithNames(std::shared_ptr<const FileFacts> facts,
                                           std::shared_ptr<arrow::Schema> names) {
  if (names == facts->schema()) return facts;
  return std::make_shared<const NamedFacts>(WithoutNames(std::move(facts)), std::move(names));
}

std::shared_ptr<const FileFacts> WithoutNames(std::shared_ptr<const FileFacts> facts) {
  const auto* named = dynamic_cast<const NamedFacts*>(facts.get());
  return named ? named->in_file() : facts;
}

arrow::Result<std::unique_ptr<Unit>> MakeUnit(const FileFormat& format, UnitRequest request) {
  auto in_file = WithoutNames(request.facts);
  if (in_file == request.facts) return format.MakeUnit(std::move(request));
  auto names = ProjectLeaves(*request.facts->schema(), request.leaves);
  request.facts = std::move(in_file);
  ARROW_ASSIGN_OR_RAISE(auto unit, format.MakeUnit(std::move(request)));
  return std::make_unique<NamedUnit>(std::move(unit), std::move(names));
}

}  // namespace shoal::plan
