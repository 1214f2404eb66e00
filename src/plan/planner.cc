#include "plan/planner.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include <arrow/compute/cast.h>

#include "base/location.h"
#include "expression/conjuncts.h"
#include "plan/facts_loader.h"
#include "plan/footer_pruner.h"
#include "plan/fragment_statistics.h"
#include "plan/key_containers.h"
#include "plan/key_names.h"
#include "plan/key_pruner.h"
#include "plan/references.h"
#include "plan/rows_wanted.h"
#include "plan/unseen_columns.h"
#include "plan/virtual_columns.h"
#include "prune/pruner.h"
#include "runtime/parallel.h"
#include "statistics/merge.h"
#include "storage/open_file.h"

namespace shoal::plan {

namespace {

/// Collects the fragments of a plan, page by page, and what is known of them.
class Collector {
 public:
  Collector(const PlannerInput& input, const BoundRequest& bound, const PlanOptions& options,
            FooterUse footers, ScanPlan* plan)
      : input_(input), bound_(bound), options_(options), footers_(footers), plan_(plan) {}

  arrow::Status Init() {
    ARROW_ASSIGN_OR_RAISE(pruner_, FooterPruner::Make(*plan_));
    unseen_.emplace(*plan_);
    files_ = TableFiles(*plan_);
    const auto& request = plan_->request;
    // A filter over data may leave any number of rows; only without one do row counts tell when
    // there are enough.
    if (request.limit && !bound_.filters_data && footers_ != FooterUse::kNone) {
      rows_wanted_ = RowsWanted(request);
    }
    local_ = base::IsLocal(*plan_->filesystem);
    return arrow::Status::OK();
  }

  /// Takes in the kept files of a page; false once no more files are needed.
  arrow::Result<bool> Add(const FileTable& files, const std::vector<bool>& keep) {
    auto path_of = [&](int64_t i) { return files.path(i); };
    // The report of a full listing has them.
    if (!input_.files) {
      ARROW_RETURN_NOT_OK(ReportUnseenKeys(files, keep, *input_.inspection, &plan_->listing));
    }
    ARROW_ASSIGN_OR_RAISE(auto keys, TypeKeys(files.keys(), *plan_->partition_schema,
                                              input_.inspection->keys_inferred, path_of));
    ARROW_ASSIGN_OR_RAISE(auto values,
                          ValuesOfFiles(keys, *plan_->partition_schema, files.num_files()));
    for (int64_t i = 0; i < files.num_files(); ++i) {
      if (!keep[i]) continue;
      Fragment fragment;
      fragment.path = files.path(i);
      fragment.version = files.version(i);
      fragment.partition_values = std::move(values[i]);
      plan_->fragments.push_back(std::move(fragment));
    }
    return rows_wanted_ ? ReadUntilEnough() : true;
  }

  arrow::Status Finish() {
    if (footers_ == FooterUse::kAll && !rows_wanted_)
      ARROW_RETURN_NOT_OK(ReadFooters(read_, plan_->fragments.size()));
    Summarise();
    return arrow::Status::OK();
  }

 private:
  struct Known {
    TableStatistics statistics;
    bool keep = true;
    int64_t row_groups = 0;
    int64_t matching = 0;  // rows of which the footer proves that they pass the filter
    bool tells_rows = true;
  };

  /// Footers are read in chunks that grow, until the rows they prove to match cover the limit.
  arrow::Result<bool> ReadUntilEnough() {
    size_t chunk = 1;
    while (read_ < plan_->fragments.size()) {
      if (Enough()) break;
      // Where files don't tell their rows, only reading them shows how many are enough.
      if (!tell_rows_) return true;
      ARROW_RETURN_NOT_OK(ReadFooters(read_, std::min(read_ + chunk, plan_->fragments.size())));
      chunk = std::min<size_t>(chunk * 2, 64);
    }
    if (!Enough()) return true;
    if (read_ < plan_->fragments.size()) {
      plan_->fragments.resize(read_);
      plan_->listing.complete = false;
    }
    // The last chunk may have read more than is needed.
    int64_t rows = 0;
    for (size_t i = 0; i < plan_->fragments.size(); ++i) {
      if (rows >= *rows_wanted_) {
        plan_->fragments.resize(i);
        known_.resize(i);
        plan_->listing.complete = false;
        break;
      }
      rows += known_[i].matching;
    }
    return false;
  }

  bool Enough() const { return matching_ >= *rows_wanted_; }

  arrow::Status ReadFooters(size_t begin, size_t end) {
    const int concurrency =
        local_ ? std::min(runtime::DefaultWorkers(), options_.meta_fetch_concurrency)
               : options_.meta_fetch_concurrency;
    known_.resize(end);
    const int64_t retries = storage::RetriesOn(plan_->filesystem);
    ARROW_RETURN_NOT_OK(runtime::ParallelFor(static_cast<int64_t>(end - begin), concurrency,
                                             options_.stop,
                                             [&](int64_t i) { return ReadFooter(begin + i); }));
    plan_->prune.store_requests.retries += storage::RetriesOn(plan_->filesystem) - retries;
    for (size_t i = begin; i < end; ++i) {
      matching_ += known_[i].matching;
      tell_rows_ &= known_[i].tells_rows;
    }
    read_ = end;
    return arrow::Status::OK();
  }

  arrow::Status ReadFooter(size_t i) {
    Fragment& fragment = plan_->fragments[i];
    Known& known = known_[i];
    auto file = std::make_shared<const SourceFile>(
        SourceFile{plan_->filesystem, fragment.path, fragment.version});
    ARROW_ASSIGN_OR_RAISE(auto loaded,
                          LoadFacts(files_, file, input_.cache.get(), counters_, options_.stop));
    fragment.version = loaded.version;
    if (!loaded.facts) {
      fragment.num_rows = Precision<int64_t>::Exact(0);
      known.keep = false;
      std::lock_guard lock(mutex_);
      // Where all files were inspected, the report says so already.
      if (!input_.inspection->all_files || input_.inspection->cost.files == 0) {
        plan_->listing.Add(ListingIssue::kZeroByte, fragment.path);
      }
      return arrow::Status::OK();
    }
    const FileFacts& facts = *loaded.facts;
    ARROW_ASSIGN_OR_RAISE(const std::string unseen, unseen_->Of(facts, fragment.path));
    if (!unseen.empty()) {
      std::lock_guard lock(mutex_);
      plan_->listing.Add(ListingIssue::kUnseenColumn, fragment.path + " (column '" + unseen + "')");
    }
    ARROW_ASSIGN_OR_RAISE(auto judged,
                          pruner_->Judge(facts, *fragment.partition_values, fragment.path));
    std::vector<int> kept;
    auto rows = Precision<int64_t>::Exact(0);
    int64_t bytes = 0;
    for (int group = 0; group < facts.num_row_groups(); ++group) {
      if (!judged.kept(group)) continue;
      kept.push_back(group);
      rows = rows + facts.row_group_rows(group);
      known.tells_rows &= facts.row_group_rows(group).exact_value().has_value();
      // A key that this path lacks may be a column of the file, and then it is data that the filter
      // looks at.
      if (judged.all_true(group)) {
        known.matching += facts.row_group_rows(group).exact_value().value_or(0);
      }
      bytes += facts.row_group_bytes(group);
      fragment.row_group_sizes.push_back(
          {facts.row_group_rows(group).exact_value().value_or(0), facts.row_group_bytes(group)});
    }
    fragment.num_rows = rows;
    fragment.num_bytes = Precision<int64_t>::Exact(bytes);
    known.row_groups = facts.num_row_groups();
    known.keep = facts.num_row_groups() == 0 || !kept.empty();
    known.statistics.num_rows = rows;
    known.statistics.total_bytes = Precision<int64_t>::Exact(bytes);
    if (options_.column_statistics && known.keep) {
      ARROW_RETURN_NOT_OK(DescribeColumns(*plan_, facts, kept, &fragment));
      known.statistics.columns = *fragment.column_statistics;
    }
    ReportRowGroups(facts, judged, fragment.path, loaded.cached);
    fragment.row_groups = std::move(kept);
    return arrow::Status::OK();
  }

  void ReportRowGroups(const FileFacts& facts, const prune::PruneResult& judged,
                       const std::string& path, bool cached) {
    std::lock_guard lock(mutex_);
    PruneReport& report = plan_->prune;
    ++(cached ? report.footers_cached : report.footers_read);
    const int n = facts.num_row_groups();
    report.row_groups_seen += n;
    for (size_t c = 0; c < judged.conjuncts.size(); ++c) {
      if (report.conjuncts[c].limitation.empty())
        report.conjuncts[c].limitation = judged.conjuncts[c].limitation;
    }
    bool any = false;
    for (int g = 0; g < n; ++g) any |= judged.kept(g);
    if (n > 0 && !any) ++report.conjuncts[judged.pruned_by[0]].files_pruned;
    for (int g = 0; g < n; ++g) {
      if (judged.kept(g)) {
        ++report.row_groups_kept;
        continue;
      }
      ++report.conjuncts[judged.pruned_by[g]].row_groups_pruned;
      if (any && report.pruned.size() < PruneReport::kMaxPieces) {
        report.pruned.push_back({path, g, PruneLevel::kRowGroup, judged.pruned_by[g]});
      }
    }
    if (n > 0 && !any && report.pruned.size() < PruneReport::kMaxPieces) {
      report.pruned.push_back({path, -1, PruneLevel::kFileStatistics, judged.pruned_by[0]});
    }
  }

  /// Drops the fragments that turned out empty and merges the statistics of the rest.
  void Summarise() {
    std::vector<TableStatistics> parts;
    auto& fragments = plan_->fragments;
    const bool known = read_ >= fragments.size() && footers_ != FooterUse::kNone && !known_.empty();
    size_t kept = 0;
    for (size_t i = 0; i < fragments.size(); ++i) {
      if (i < known_.size() && !known_[i].keep) continue;
      if (i < known_.size()) parts.push_back(std::move(known_[i].statistics));
      if (kept != i) fragments[kept] = std::move(fragments[i]);
      ++kept;
    }
    fragments.resize(kept);
    if (plan_->fragments.empty()) {
      plan_->statistics.num_rows = plan_->statistics.total_bytes = Precision<int64_t>::Exact(0);
    } else if (known) {
      plan_->statistics = statistics::Merge(parts);
    }
    plan_->statistics.columns.resize(plan_->table_schema->num_fields());
    if (!plan_->listing.complete) {
      // Files were left out: what is known of the rest is no longer the table's.
      plan_->statistics = statistics::ToInexact(std::move(plan_->statistics));
    }
    plan_->prune.files_kept = static_cast<int64_t>(plan_->fragments.size());
    plan_->prune.metadata_bytes = counters_->bytes_read;
    plan_->prune.store_requests += counters_->store_requests();
    // What only keys ruled out comes in order.
    const auto less = [](const PrunedPiece& a, const PrunedPiece& b) {
      return std::tie(a.path, a.row_group) < std::tie(b.path, b.row_group);
    };
    auto& pruned = plan_->prune.pruned;
    if (!std::is_sorted(pruned.begin(), pruned.end(), less))
      std::sort(pruned.begin(), pruned.end(), less);
  }

  const PlannerInput& input_;
  const BoundRequest& bound_;
  const PlanOptions& options_;
  const FooterUse footers_;
  ScanPlan* plan_;
  std::optional<FooterPruner> pruner_;
  std::optional<UnseenColumns> unseen_;
  TableFiles files_;
  std::optional<int64_t> rows_wanted_;
  int64_t matching_ = 0;   // rows that are known to match, of the files whose footers are read
  bool tell_rows_ = true;  // the same files do
  bool local_ = true;
  size_t read_ = 0;  // fragments whose footers are read
  std::vector<Known> known_;
  std::shared_ptr<runtime::Counters> counters_ = std::make_shared<runtime::Counters>();
  std::mutex mutex_;
};

/// A declared schema says which columns there are, not which of them paths carry: a key that
/// neither the partitioning declares nor the inspection saw would be read as a column of the files.
arrow::Status CheckKeysAreKnown(const Inspection& inspection, const FileTable& page) {
  if (!inspection.schema_declared) return arrow::Status::OK();
  for (const KeyColumn& column : page.keys().columns) {
    if (inspection.table_schema->GetFieldIndex(column.name) < 0 ||
        inspection.partition_schema->GetFieldIndex(column.name) >= 0)
      continue;
    for (int64_t i = 0; i < page.num_files(); ++i) {
      if (column.index[i] == KeyColumn::kAbsent) continue;
      return arrow::Status::Invalid("The path '", page.path(i), "' carries the key '", column.name,
                                    "', which the schema has as a column: declare it in the "
                                    "partitioning too");
    }
  }
  return arrow::Status::OK();
}

/// Of conjuncts that could have pruned and did not.
void ExplainLimitations(const arrow::compute::Expression& filter, FooterUse footers,
                        const arrow::Schema& keys, ScanPlan* plan) {
  const auto conjuncts = expression::SplitConjuncts(filter);
  const auto names = keys.field_names();
  PruneReport& report = plan->prune;
  for (size_t i = 0; i < conjuncts.size(); ++i) {
    ConjunctReport& conjunct = report.conjuncts[i];
    if (conjunct.directories_pruned + conjunct.files_pruned + conjunct.row_groups_pruned > 0) {
      conjunct.limitation.clear();
    } else if (!conjunct.limitation.empty()) {
      continue;
    } else if (expression::UsesOnly(conjuncts[i], names, *plan->table_schema)) {
      conjunct.limitation = "it may hold for the keys of every path that was judged";
    } else if (report.files_kept_by_keys == 0) {
      conjunct.limitation = "no file was left for it to judge";
    } else if (footers == FooterUse::kNone) {
      conjunct.limitation = "statistics are not read";
    } else {
      conjunct.limitation = "it may hold by the statistics of every row group that was judged";
    }
  }
}

/// All of a plan but what a listing tells.
ScanPlan BeginPlan(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                   const Inspection& inspection, const BoundRequest& bound) {
  ScanPlan plan;
  plan.filesystem = filesystem;
  plan.format = inspection.format;
  plan.table_schema = inspection.table_schema;
  plan.virtual_columns = inspection.virtual_columns;
  plan.schema_declared = inspection.schema_declared;
  plan.schema_rules = inspection.rules;
  plan.strict_columns = inspection.list.strict.contains(ListingIssue::kUnseenColumn);
  plan.partition_schema = inspection.partition_schema;
  plan.output_schema = bound.output_schema;
  plan.request = bound.request;
  plan.inspection = inspection.cost;
  plan.prune.filter = bound.filter;
  for (const auto& text : bound.conjuncts) plan.prune.conjuncts.emplace_back().conjunct = text;
  return plan;
}

}  // namespace

arrow::Result<ScanPlan> MakePlan(const PlannerInput& input, const BoundRequest& bound,
                                 const PlanOptions& options, FooterUse footers) {
  if (options.meta_fetch_concurrency < 1) {
    return arrow::Status::Invalid("meta_fetch_concurrency is ", options.meta_fetch_concurrency,
                                  ", but must be at least 1");
  }
  if (options.column_statistics && !options.collect_statistics) {
    return arrow::Status::Invalid(
        "column_statistics needs collect_statistics: bounds of columns stand in the footers");
  }
  const Inspection& inspection = *input.inspection;
  ScanPlan plan = BeginPlan(input.source->filesystem(), inspection, bound);
  ARROW_ASSIGN_OR_RAISE(auto filter, plan.request.filter.Bind(*inspection.table_schema));
  KeyPruner keys(inspection, filter, &plan.prune);
  Collector collector(input, bound, options, footers, &plan);
  ARROW_RETURN_NOT_OK(collector.Init());
  auto take = [&](const FileTable& found) -> arrow::Result<bool> {
    ARROW_ASSIGN_OR_RAISE(const auto spelled, SpellKeys(found, inspection));
    const FileTable& listed = spelled ? *spelled : found;
    ARROW_RETURN_NOT_OK(CheckKeysAreKnown(inspection, listed));
    FileTable with_virtual;
    if (!plan.virtual_columns.empty()) {
      ARROW_ASSIGN_OR_RAISE(with_virtual, AddVirtualKeys(listed, plan.virtual_columns,
                                                         plan.filesystem, options.stop));
    }
    const FileTable& page = plan.virtual_columns.empty() ? listed : with_virtual;
    ARROW_ASSIGN_OR_RAISE(auto keep, keys.JudgeFiles(page));
    plan.prune.files_listed += page.num_files();
    plan.prune.files_kept_by_keys += std::count(keep.begin(), keep.end(), true);
    return collector.Add(page, keep);
  };
  if (plan.request.limit == 0) {
    // Nothing is asked for; what the inspection has seen is known.
    plan.listing = inspection.report;
    plan.listing.complete = inspection.all_files != nullptr;
  } else if (input.files) {
    plan.listing = input.files_report;
    ARROW_RETURN_NOT_OK(take(*input.files).status());
  } else {
    ListOptions list = inspection.list;
    list.stop = options.stop;
    list.remember = true;
    list.key_values = keys.RequiredValues();
    if (keys.can_prune()) {
      list.directory_filter = [&](const KeyTable& table) -> arrow::Result<std::vector<bool>> {
        if (!inspection.spelling) return keys.JudgeDirectories(table);
        const auto path_of = [&](int64_t row) { return DescribeKeys(table, row); };
        ARROW_ASSIGN_OR_RAISE(const KeyTable spelled,
                              RespellKeys(table, *inspection.spelling, path_of));
        return keys.JudgeDirectories(spelled);
      };
    }
    ARROW_ASSIGN_OR_RAISE(auto report, input.source->List(list, take));
    report.Merge(plan.listing);
    report.complete = report.complete && plan.listing.complete;
    plan.listing = std::move(report);
  }
  ARROW_RETURN_NOT_OK(collector.Finish());
  ExplainLimitations(filter, footers, *inspection.partition_schema, &plan);
  return plan;
}

arrow::Result<ScanPlan> PlanFragments(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                                      const Inspection& inspection, const BoundRequest& bound,
                                      std::vector<Fragment> fragments, const arrow::Schema& keys) {
  ScanPlan plan = BeginPlan(filesystem, inspection, bound);
  for (Fragment& fragment : fragments) {
    PartitionValues values;
    for (const auto& key : plan.partition_schema->fields()) {
      std::shared_ptr<arrow::Scalar> value;
      for (const VirtualField& field : plan.virtual_columns) {
        if (field.name == key->name()) {
          ARROW_ASSIGN_OR_RAISE(value, ValueOf(field, fragment, filesystem));
        }
      }
      // Whoever planned the fragment may have written the key otherwise.
      const auto found = std::find_if(
          keys.fields().begin(), keys.fields().end(),
          [&](const auto& each) { return RespellColumn(each->name(), inspection) == key->name(); });
      const auto place = found - keys.fields().begin();
      if (!value && found != keys.fields().end()) value = (*fragment.partition_values)[place];
      if (value && !value->type->Equals(*key->type())) {
        ARROW_ASSIGN_OR_RAISE(auto cast, arrow::compute::Cast(value, key->type()));
        value = cast.scalar();
      }
      values.push_back(std::move(value));
    }
    fragment.partition_values = std::make_shared<const PartitionValues>(std::move(values));
    fragment.column_statistics = nullptr;  // it is of other columns
    plan.fragments.push_back(std::move(fragment));
  }
  plan.statistics.columns.resize(plan.table_schema->num_fields());
  return plan;
}

arrow::Status IdentifyFiles(const arrow::StopToken& stop, ScanPlan* plan) {
  const auto count = static_cast<int64_t>(plan->fragments.size());
  return runtime::ParallelFor(
      count, runtime::DefaultWorkers(), stop, [&](int64_t i) -> arrow::Status {
        Fragment& fragment = plan->fragments[i];
        if (fragment.version.size != FileVersion::kUnknown) return arrow::Status::OK();
        ARROW_ASSIGN_OR_RAISE(auto found, storage::Identify({plan->filesystem, fragment.path}));
        if (found) fragment.version = *found;
        return arrow::Status::OK();
      });
}

}  // namespace shoal::plan
