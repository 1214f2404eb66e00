#include "read/file_unit.h"

#include <algorithm>
#include <utility>

#include "base/question_error.h"
#include "base/status_context.h"
#include "plan/file_mapping.h"
#include "prune/pruner.h"
#include "schema/column_mapping.h"

namespace shoal::read {

namespace {

using schema::ColumnMapping;

/// The rows of one row group. `inner` yields the file's leaves; without one no bytes of data are needed, only a number of
/// rows.
class RowGroupScan final : public Unit {
 public:
  RowGroupScan(std::shared_ptr<const ScanContext> context, const ReadShape* shape,
               std::shared_ptr<const ColumnMapping> mapping, std::unique_ptr<Unit> inner,
               std::shared_ptr<const SourceFile> file, int64_t rows)
      : Unit(std::move(file)),
        context_(std::move(context)),
        shape_(shape),
        mapping_(std::move(mapping)),
        inner_(std::move(inner)),
        rows_left_(rows) {}

  arrow::Result<Step> Next(Resident got) override {
    if (!inner_) return NextWithoutData();
    ARROW_ASSIGN_OR_RAISE(Step step, inner_->Next(std::move(got)));
    if (auto* batch = std::get_if<std::shared_ptr<arrow::RecordBatch>>(&step)) return Finish(std::move(*batch));
    if (auto* split = std::get_if<Split>(&step)) {
      for (auto& unit : split->units) {
        unit = std::make_unique<RowGroupScan>(context_, shape_, mapping_, std::move(unit), file(), 0);
      }
    }
    return step;
  }

 private:
  arrow::Result<Step> NextWithoutData() {
    if (rows_left_ == 0) return Done{};
    const int64_t rows = std::min(rows_left_, context_->batch_rows);
    rows_left_ -= rows;
    return Finish(arrow::RecordBatch::Make(arrow::schema({}), rows, arrow::ArrayVector{}));
  }

  arrow::Result<Step> Finish(std::shared_ptr<arrow::RecordBatch> batch) {
    context_->counters->rows_decoded += batch->num_rows();
    auto adapted = mapping_->Adapt(*batch, context_->pool);
    if (!adapted.ok()) return base::MarkQuestionError(adapted.status());
    auto finished = context_->Finish(*shape_, *std::move(adapted));
    if (!finished.ok()) {
      return base::MarkQuestionError(base::WithContext(finished.status(), "'" + file()->path + "'"));
    }
    return Step(*std::move(finished));
  }

  std::shared_ptr<const ScanContext> context_;
  const ReadShape* shape_;  // part of the context
  std::shared_ptr<const ColumnMapping> mapping_;
  std::unique_ptr<Unit> inner_;
  int64_t rows_left_;
};

class FileUnit final : public Unit {
 public:
  FileUnit(std::shared_ptr<const ScanContext> context, const Fragment& fragment)
      : Unit(std::make_shared<const SourceFile>(
            SourceFile{context->filesystem, fragment.path, fragment.size, fragment.mtime_ns})),
        context_(std::move(context)),
        partition_values_(fragment.partition_values),
        row_groups_(fragment.row_groups) {}

  arrow::Result<Step> Next(Resident got) override {
    if (!opened_) {
      opened_ = true;
      // Opening tells size and mtime, which decide whether what the cache has is still true.
      if (context_->cache && context_->cache->MayHave(file()->path)) return NeedBytes{};
    } else if (got.file_size == 0) {
      context_->counters->AddSkipped("'" + file()->path + "': empty file (0 bytes)");
      return Done{};
    } else if (!reader_) {
      if (auto facts = context_->cache->Get(file()->path, got.file_size, got.mtime_ns)) return Open(std::move(facts));
      got = {};
    }
    if (!reader_) reader_ = context_->format->ReadFacts(file());
    const int64_t size = got.file_size, mtime_ns = got.mtime_ns;
    ARROW_ASSIGN_OR_RAISE(auto step, reader_->Next(std::move(got)));
    if (auto* need = std::get_if<NeedBytes>(&step)) return Step(std::move(*need));
    auto facts = std::get<std::shared_ptr<const FileFacts>>(std::move(step));
    if (context_->cache) context_->cache->Put(file()->path, size, mtime_ns, facts);
    return Open(std::move(facts));
  }

 private:
  arrow::Result<Step> Open(std::shared_ptr<const FileFacts> facts) {
    const int n = facts->num_row_groups();
    if (row_groups_) {
      for (int group : *row_groups_) {
        if (group < 0 || group >= n) {
          return arrow::Status::IndexError("'", file()->path, "' has ", n, " row groups, but the scan references row group ",
                                           group);
        }
      }
    }
    std::vector<prune::Outcomes> outcomes(n, prune::kTrue);
    std::shared_ptr<const ColumnMapping> filtered, unfiltered;
    const PartitionValues& values = *partition_values_;
    if (context_->pruner) {
      auto judged = context_->pruner->Judge(*facts, values, file()->path);
      if (!judged.ok()) return base::MarkQuestionError(judged.status());
      outcomes = std::move(judged->outcomes);
      ARROW_RETURN_NOT_OK(Map(context_->filtered, *facts).Value(&filtered));
    }
    ARROW_RETURN_NOT_OK(Map(context_->unfiltered, *facts).Value(&unfiltered));

    Split split;
    auto add = [&](int group) -> arrow::Status {
      const bool all_true = outcomes[group] == prune::kTrue;
      if (!(outcomes[group] & prune::kTrue)) {
        ++context_->counters->row_groups_pruned;
        return arrow::Status::OK();
      }
      const auto& mapping = all_true ? unfiltered : filtered;
      const ReadShape* shape = all_true ? &context_->unfiltered : &context_->filtered;
      auto rows = facts->row_group_rows(group).exact_value();
      std::unique_ptr<Unit> inner;
      if (!mapping->leaves().empty() || !rows) {
        ARROW_ASSIGN_OR_RAISE(inner, context_->format->MakeUnit({file(), facts, group, mapping->leaves(),
                                                                 context_->batch_rows, context_->pool}));
        ++context_->counters->row_groups_read;
      }
      split.units.push_back(
          std::make_unique<RowGroupScan>(context_, shape, mapping, std::move(inner), file(), rows.value_or(0)));
      return arrow::Status::OK();
    };
    if (row_groups_) {
      for (int group : *row_groups_) ARROW_RETURN_NOT_OK(add(group));
    } else {
      for (int group = 0; group < n; ++group) ARROW_RETURN_NOT_OK(add(group));
    }
    if (split.units.empty()) {
      ++context_->counters->files_pruned;
      return Done{};
    }
    return split;
  }

  arrow::Result<std::shared_ptr<const ColumnMapping>> Map(const ReadShape& shape, const FileFacts& facts) const {
    auto mapping = plan::MapFile(shape.columns, facts, *partition_values_, file()->path);
    if (!mapping.ok()) return base::MarkQuestionError(mapping.status());
    return mapping;
  }

  std::shared_ptr<const ScanContext> context_;
  std::shared_ptr<const PartitionValues> partition_values_;
  std::optional<std::vector<int>> row_groups_;
  std::unique_ptr<FactsReader> reader_;
  bool opened_ = false;
};

}  // namespace

std::unique_ptr<Unit> MakeFileUnit(std::shared_ptr<const ScanContext> context, const Fragment& fragment) {
  return std::make_unique<FileUnit>(std::move(context), fragment);
}

}  // namespace shoal::read
