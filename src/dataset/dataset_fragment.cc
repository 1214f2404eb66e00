#include <shoal/dataset_fragment.h>

#include <algorithm>
#include <utility>

#include "plan/facts_loader.h"
#include "plan/footer_pruner.h"
#include "read/row_groups.h"

namespace shoal {

namespace {

/// No columns: what is asked is which rows there are.
ScanRequest Rows(const arrow::compute::Expression& filter) {
  ScanRequest request;
  request.columns.emplace();
  request.filter = filter;
  return request;
}

}  // namespace

arrow::Result<std::vector<int>> RowGroupsThatMatch(const Dataset& dataset, Fragment fragment,
                                                   const arrow::Schema& keys,
                                                   const arrow::compute::Expression& filter) {
  ARROW_ASSIGN_OR_RAISE(auto plan, dataset.PlanFragments(Rows(filter), {fragment}, keys));
  ARROW_ASSIGN_OR_RAISE(auto facts, dataset.Facts(fragment));
  if (!facts) return std::vector<int>();
  // The filter's names are the table's.
  ARROW_ASSIGN_OR_RAISE(facts, plan::TableFiles(plan).Typed(fragment.path, std::move(facts)));
  ARROW_ASSIGN_OR_RAISE(auto groups,
                        read::RowGroupsOf(fragment.row_groups, {}, *facts, fragment.path));
  ARROW_ASSIGN_OR_RAISE(auto pruner, plan::FooterPruner::Make(plan));
  ARROW_ASSIGN_OR_RAISE(auto judged,
                        pruner.Judge(*facts, *plan.fragments[0].partition_values, fragment.path));
  std::erase_if(groups, [&](int group) { return !judged.kept(group); });
  return groups;
}

DatasetFragment::DatasetFragment(std::shared_ptr<const Dataset> dataset, Fragment fragment,
                                 std::shared_ptr<arrow::Schema> partition_schema)
    : dataset_(std::move(dataset)),
      fragment_(std::move(fragment)),
      partition_schema_(std::move(partition_schema)) {}

arrow::Result<std::vector<DatasetFragment>> FragmentsOf(
    const std::shared_ptr<const Dataset>& dataset, const arrow::compute::Expression& filter) {
  PlanOptions options;
  options.collect_statistics = false;
  ARROW_ASSIGN_OR_RAISE(auto plan, dataset->Plan(Rows(filter), options));
  std::vector<DatasetFragment> out;
  for (auto& fragment : plan.fragments) {
    out.push_back(DatasetFragment(dataset, std::move(fragment), plan.partition_schema));
  }
  return out;
}

DatasetFragment DatasetFragment::With(std::vector<int> row_groups) const {
  DatasetFragment out = *this;
  Fragment& fragment = out.fragment_;
  fragment.row_groups = std::move(row_groups);
  fragment.row_group_sizes.clear();
  fragment.num_rows = fragment.num_bytes = {};
  fragment.column_statistics = nullptr;
  fragment.ordering.clear();
  return out;
}

arrow::Result<std::shared_ptr<arrow::Schema>> DatasetFragment::physical_schema() const {
  ARROW_ASSIGN_OR_RAISE(auto facts, dataset_->Facts(fragment_));
  return facts ? facts->schema() : arrow::schema({});
}

arrow::Result<std::vector<RowGroupInfo>> DatasetFragment::RowGroups() const {
  ARROW_ASSIGN_OR_RAISE(auto facts, dataset_->Facts(fragment_));
  std::vector<RowGroupInfo> out;
  if (!facts) return out;
  ARROW_ASSIGN_OR_RAISE(auto groups, read::RowGroupsOf(fragment_.row_groups, {}, *facts, path()));
  for (const int group : groups) {
    out.push_back({group, facts->row_group_rows(group), facts->row_group_bytes(group)});
  }
  return out;
}

arrow::Result<std::vector<int>> DatasetFragment::Matching(
    const arrow::compute::Expression& filter) const {
  return RowGroupsThatMatch(*dataset_, fragment_, *partition_schema_, filter);
}

arrow::Result<std::vector<DatasetFragment>> DatasetFragment::SplitByRowGroup(
    const arrow::compute::Expression& filter) const {
  ARROW_ASSIGN_OR_RAISE(auto groups, Matching(filter));
  std::vector<DatasetFragment> out;
  for (const int group : groups) out.push_back(With({group}));
  return out;
}

arrow::Result<DatasetFragment> DatasetFragment::Subset(
    const arrow::compute::Expression& filter) const {
  ARROW_ASSIGN_OR_RAISE(auto groups, Matching(filter));
  return With(std::move(groups));
}

arrow::Result<DatasetFragment> DatasetFragment::Subset(std::vector<int> row_groups) const {
  ARROW_ASSIGN_OR_RAISE(auto have, RowGroups());
  for (const int group : row_groups) {
    if (std::none_of(have.begin(), have.end(),
                     [&](const RowGroupInfo& each) { return each.id == group; })) {
      return arrow::Status::IndexError("The subset references row group ", group, ", which '",
                                       path(), "' does not have here");
    }
    if (std::count(row_groups.begin(), row_groups.end(), group) > 1) {
      return arrow::Status::Invalid("The subset references row group ", group, " twice");
    }
  }
  return With(std::move(row_groups));
}

arrow::Result<ScanPlan> DatasetFragment::Plan(const ScanRequest& request) const {
  return dataset_->PlanFragments(request, {fragment_}, *partition_schema_);
}

arrow::Result<std::unique_ptr<BatchStream>> DatasetFragment::Scan(
    const ScanRequest& request, const ScanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(auto plan, Plan(request));
  return dataset_->ScanPlanned(plan, options);
}

arrow::Result<int64_t> DatasetFragment::Count(const arrow::compute::Expression& filter,
                                              const ScanOptions& options) const {
  ScanRequest request = Rows(filter);
  if (options.on_corrupt == OnBadFile::kSkip) request.columns.reset();  // see Dataset::Count
  ARROW_ASSIGN_OR_RAISE(auto plan, Plan(request));
  return dataset_->CountPlanned(plan, options);
}

}  // namespace shoal
