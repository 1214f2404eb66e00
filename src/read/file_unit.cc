#include "read/file_unit.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/location.h"
#include "base/question_error.h"
#include "base/status_context.h"
#include "plan/file_mapping.h"
#include "plan/named_facts.h"
#include "prune/pruner.h"
#include "read/row_groups.h"
#include "read/row_indexes.h"
#include "schema/column_mapping.h"
#include "storage/open_file.h"

namespace shoal::read {

namespace {

using schema::ColumnMapping;

/// Row groups are read together up to so many bytes, which keeps the pieces that threads share
/// small.
constexpr int64_t kMaxJoinedBytes = 4 << 20;
/// From a store, whatever their number of rows: there a request costs more than such a piece, and
/// it is files that threads share.
constexpr int64_t kMaxJoinedRemoteBytes = 16 << 20;

/// The rows of some row groups. `inner` yields the file's leaves; without one no bytes of data are
/// needed, only a number of rows. With `indexes` rows are counted as they come: then what `inner`
/// splits into is read here, one after the other.
class RowGroupScan final : public Unit {
 public:
  RowGroupScan(std::shared_ptr<const ScanContext> context, const ReadShape* shape,
               std::shared_ptr<const ColumnMapping> mapping, std::unique_ptr<Unit> inner,
               std::shared_ptr<const SourceFile> file, int64_t rows,
               std::optional<RowIndexes> indexes)
      : Unit(std::move(file)),
        context_(std::move(context)),
        shape_(shape),
        mapping_(std::move(mapping)),
        inner_(std::move(inner)),
        rows_left_(rows),
        indexes_(std::move(indexes)) {}

  arrow::Result<Step> Next(Resident got) override {
    if (!inner_) return NextWithoutData();
    if (indexes_) return NextInOrder(std::move(got));
    ARROW_ASSIGN_OR_RAISE(Step step, inner_->Next(std::move(got)));
    if (auto* batch = std::get_if<std::shared_ptr<arrow::RecordBatch>>(&step))
      return Finish(std::move(*batch));
    if (auto* split = std::get_if<Split>(&step)) {
      for (auto& unit : split->units) {
        unit = std::make_unique<RowGroupScan>(context_, shape_, mapping_, std::move(unit), file(),
                                              0, std::nullopt);
      }
    }
    return step;
  }

 private:
  arrow::Result<Step> NextInOrder(Resident got) {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(Step step, inner_->Next(std::exchange(got, {})));
      if (auto* batch = std::get_if<std::shared_ptr<arrow::RecordBatch>>(&step))
        return Finish(std::move(*batch));
      if (auto* need = std::get_if<NeedBytes>(&step)) {
        need->ahead.clear();  // it is for units that follow this one, and these are in it
        return step;
      }
      if (auto* split = std::get_if<Split>(&step)) {
        auto& units = split->units;
        later_.insert(later_.end(), std::make_move_iterator(units.rbegin()),
                      std::make_move_iterator(units.rend()));
      }
      if (later_.empty()) return Done{};
      inner_ = std::move(later_.back());
      later_.pop_back();
    }
  }

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
    if (indexes_) {
      auto indexes = indexes_->Next(batch->num_rows(), context_->pool);
      if (!indexes.ok()) return base::WithContext(indexes.status(), "'" + file()->path + "'");
      const int column = shape_->row_index;
      ARROW_ASSIGN_OR_RAISE(
          adapted, (*adapted)->SetColumn(column, (*adapted)->schema()->field(column), *indexes));
    }
    auto finished = context_->Finish(*shape_, *std::move(adapted));
    if (!finished.ok()) {
      return base::MarkQuestionError(
          base::WithContext(finished.status(), "'" + file()->path + "'"));
    }
    return Step(*std::move(finished));
  }

  std::shared_ptr<const ScanContext> context_;
  const ReadShape* shape_;  // part of the context
  std::shared_ptr<const ColumnMapping> mapping_;
  std::unique_ptr<Unit> inner_;
  int64_t rows_left_;
  std::optional<RowIndexes> indexes_;
  std::vector<std::unique_ptr<Unit>> later_;  // after `inner_`, the last one first
};

class FileUnit final : public Unit {
 public:
  FileUnit(std::shared_ptr<const ScanContext> context, const Fragment& fragment)
      : Unit(std::make_shared<const SourceFile>(
            SourceFile{context->filesystem, fragment.path, fragment.version})),
        context_(std::move(context)),
        partition_values_(fragment.partition_values),
        row_groups_(fragment.row_groups),
        row_group_sizes_(fragment.row_group_sizes) {}

  arrow::Result<Step> Next(Resident got) override {
    if (!opened_) {
      opened_ = true;
      // Opening tells size and mtime, which decide whether what the cache has is still true. Stores
      // tell no mtime then.
      if (context_->cache && base::IsLocal(*context_->filesystem) &&
          context_->cache->MayHave(file()->path)) {
        return NeedBytes{};
      }
    } else if (got.version.size == 0) {
      if (context_->cache &&
          (context_->cache->summary() || context_->cache->HasRead(file()->path))) {
        return storage::FileChanged(file()->path, "it is empty now");
      }
      context_->counters->AddSkipped("'" + file()->path + "': empty file (0 bytes)");
      return Done{};
    } else if (!reader_) {
      if (auto facts = context_->cache->Get(file()->path, got.version)) {
        ++context_->counters->footers_cached;
        return Open(std::move(facts));
      }
      got = {};
    }
    if (!reader_) reader_ = context_->files.ReadFacts(file());
    const FileVersion version = got.version;
    ARROW_ASSIGN_OR_RAISE(auto step, reader_->Next(std::move(got)));
    if (auto* need = std::get_if<NeedBytes>(&step)) return Step(std::move(*need));
    auto facts = std::get<std::shared_ptr<const FileFacts>>(std::move(step));
    if (context_->cache && !context_->files.reads_names_only(file()->path))
      context_->cache->Put(file()->path, version, facts);
    return Open(std::move(facts));
  }

 private:
  arrow::Result<Step> Open(std::shared_ptr<const FileFacts> facts) {
    if (context_->cache && context_->cache->summary()) {
      ARROW_RETURN_NOT_OK(context_->cache->summary()->CheckSame(file()->path, *facts));
    }
    auto typed = context_->files.Typed(file()->path, std::move(facts));
    if (!typed.ok()) return base::MarkQuestionError(typed.status());
    facts = *std::move(typed);
    const int n = facts->num_row_groups();
    if (auto fits = context_->unseen->CheckTypes(*facts, file()->path); !fits.ok()) {
      return base::MarkQuestionError(fits);
    }
    auto unseen = context_->unseen->Of(*facts, file()->path);
    if (!unseen.ok()) return base::MarkQuestionError(unseen.status());
    if (!unseen->empty()) context_->counters->AddUnseen(*unseen, file()->path);
    ARROW_ASSIGN_OR_RAISE(auto groups,
                          RowGroupsOf(row_groups_, row_group_sizes_, *facts, file()->path));
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

    const auto kept_end = std::stable_partition(
        groups.begin(), groups.end(), [&](int group) { return outcomes[group] & prune::kTrue; });
    context_->counters->row_groups_pruned += groups.end() - kept_end;
    groups.erase(kept_end, groups.end());

    CutToWantedRows(*facts, &groups);

    Split split;
    for (auto begin = groups.begin(); begin != groups.end();) {
      const bool all_true = outcomes[*begin] == prune::kTrue;
      const auto same_shape = [&](int group) {
        return (outcomes[group] == prune::kTrue) == all_true;
      };
      const auto end = EndOfPiece(*facts, begin, std::find_if_not(begin, groups.end(), same_shape));
      ARROW_ASSIGN_OR_RAISE(auto unit,
                            MakePiece(facts, {begin, end}, all_true ? unfiltered : filtered,
                                      all_true ? &context_->unfiltered : &context_->filtered));
      split.units.push_back(std::move(unit));
      begin = end;
    }
    if (split.units.empty()) {
      if (n > 0) ++context_->counters->files_pruned;
      return Done{};
    }
    return split;
  }

  /// Drops row groups that a limit makes superfluous.
  void CutToWantedRows(const FileFacts& facts, std::vector<int>* groups) const {
    int64_t wanted = context_->rows_wanted;
    size_t kept = 0;
    while (kept < groups->size() && wanted > 0) {
      wanted -= std::min(facts.row_group_rows((*groups)[kept]).exact_value().value_or(0), wanted);
      ++kept;
    }
    groups->resize(kept);
  }

  using Groups = std::vector<int>::iterator;

  /// Small row groups are read together, as long as they are small together.
  Groups EndOfPiece(const FileFacts& facts, Groups begin, Groups end) const {
    const bool local = base::IsLocal(*context_->filesystem);
    const int64_t max_bytes = local ? kMaxJoinedBytes : kMaxJoinedRemoteBytes;
    int64_t rows = 0, bytes = 0;
    for (auto it = begin; it != end; ++it) {
      // An absent row count is no small one.
      rows += std::min(facts.row_group_rows(*it).exact_value().value_or(context_->batch_rows),
                       context_->batch_rows);
      bytes += std::clamp<int64_t>(facts.row_group_bytes(*it), 0, max_bytes);
      if (it != begin && ((local && rows > context_->batch_rows) || bytes > max_bytes)) return it;
    }
    return end;
  }

  arrow::Result<std::unique_ptr<Unit>> MakePiece(const std::shared_ptr<const FileFacts>& facts,
                                                 std::vector<int> groups,
                                                 std::shared_ptr<const ColumnMapping> mapping,
                                                 const ReadShape* shape) {
    Precision<int64_t> rows = Precision<int64_t>::Exact(0);
    for (int group : groups) rows = rows + facts->row_group_rows(group);
    std::optional<RowIndexes> indexes;
    if (shape->row_index >= 0) {
      ARROW_ASSIGN_OR_RAISE(indexes, RowIndexes::Make(*facts, groups, file()->path));
    }
    std::unique_ptr<Unit> inner;
    if (!mapping->leaves().empty() || !rows.exact_value()) {
      context_->counters->row_groups_read += static_cast<int64_t>(groups.size());
      UnitRequest request{file(),
                          facts,
                          std::move(groups),
                          mapping->leaves(),
                          context_->batch_rows,
                          context_->rows_wanted,
                          context_->pool};
      if (context_->unseen->wanted()) {
        request.unseen_column = [context = context_, path = file()->path](const auto& column) {
          auto status = context->unseen->OfRows(column, path);
          if (!status.ok()) return base::MarkQuestionError(status);
          context->counters->AddUnseen(column, path);
          return status;
        };
      }
      ARROW_ASSIGN_OR_RAISE(inner, plan::MakeUnit(*context_->files.format, std::move(request)));
    }
    return std::make_unique<RowGroupScan>(context_, shape, std::move(mapping), std::move(inner),
                                          file(), rows.exact_value().value_or(0),
                                          std::move(indexes));
  }

  arrow::Result<std::shared_ptr<const ColumnMapping>> Map(const ReadShape& shape,
                                                          const FileFacts& facts) const {
    auto mapping = plan::MapFile(shape.columns, facts, *partition_values_, file()->path);
    if (!mapping.ok()) return base::MarkQuestionError(mapping.status());
    return mapping;
  }

  std::shared_ptr<const ScanContext> context_;
  std::shared_ptr<const PartitionValues> partition_values_;
  std::optional<std::vector<int>> row_groups_;
  std::vector<RowGroupSize> row_group_sizes_;  // of row_groups_, or empty
  std::unique_ptr<FactsReader> reader_;
  bool opened_ = false;
};

}  // namespace

std::unique_ptr<Unit> MakeFileUnit(std::shared_ptr<const ScanContext> context,
                                   const Fragment& fragment) {
  return std::make_unique<FileUnit>(std::move(context), fragment);
}

}  // namespace shoal::read
