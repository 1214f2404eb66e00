#include <shoal/union_dataset.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "base/fork_mutex.h"
#include "read/batch_stream.h"
#include "schema/merge.h"
#include "schema/names.h"
#include "statistics/merge.h"

namespace shoal {

namespace {

arrow::Status NotOfAUnion(const char* what) {
  return arrow::Status::NotImplemented("a union of datasets has no ", what,
                                       " of its own: ask its children");
}

}  // namespace

struct UnionDataset::State {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::shared_ptr<Dataset>> children;  // with that schema
};

struct UnionDataset::Found {
  base::ForkMutex mutex{base::ForkMutex::Over::kBreaks};
  std::shared_ptr<const State> state;  // null: nobody has needed it
};

UnionDataset::UnionDataset(std::vector<std::shared_ptr<Dataset>> children,
                           std::shared_ptr<arrow::Schema> schema, std::optional<SchemaRules> rules)
    : children_(std::move(children)),
      declared_(std::move(schema)),
      rules_(rules),
      found_(std::make_unique<Found>()) {}

UnionDataset::~UnionDataset() = default;

arrow::Result<std::shared_ptr<UnionDataset>> UnionDataset::Make(
    std::vector<std::shared_ptr<Dataset>> children, std::shared_ptr<arrow::Schema> schema) {
  if (children.empty()) return arrow::Status::Invalid("A union needs at least one dataset");
  for (const auto& child : children) {
    if (!child) return arrow::Status::Invalid("A dataset of the union is null");
  }
  return std::shared_ptr<UnionDataset>(
      new UnionDataset(std::move(children), std::move(schema), {}));
}

arrow::Result<std::shared_ptr<const UnionDataset::State>> UnionDataset::state() const {
  std::lock_guard lock(found_->mutex);
  if (found_->state) return found_->state;
  auto made = std::make_shared<State>();
  made->schema = declared_;
  SchemaRules rules = schema_rules();
  if (!declared_) {
    std::vector<schema::FileSchema> schemas;
    schema::Spelling spelling;
    for (size_t i = 0; i < children_.size(); ++i) {
      const std::string name = "dataset " + std::to_string(i) + " of the union";
      ARROW_ASSIGN_OR_RAISE(auto schema, children_[i]->schema());
      if (rules.case_insensitive) {
        ARROW_ASSIGN_OR_RAISE(
            schema, schema::DistinctNames(schema, {.case_insensitive = true}, "The " + name));
        schema = spelling.Respell(schema);
        spelling.Learn(*schema);
      }
      schemas.push_back({name, std::move(schema)});
    }
    ARROW_ASSIGN_OR_RAISE(made->schema, schema::MergeSchemas(schemas, rules.promote));
  }
  for (const auto& child : children_) {
    // Which columns a file has is for the child to say.
    rules.duplicate_names = child->schema_rules().duplicate_names;
    ARROW_ASSIGN_OR_RAISE(auto with_schema, child->WithSchema(made->schema, rules));
    made->children.push_back(std::move(with_schema));
  }
  found_->state = std::move(made);
  return found_->state;
}

arrow::Result<std::shared_ptr<arrow::Schema>> UnionDataset::schema() const {
  ARROW_ASSIGN_OR_RAISE(auto state, this->state());
  return state->schema;
}

arrow::Result<std::shared_ptr<arrow::Schema>> UnionDataset::partition_schema() const {
  return NotOfAUnion("partition schema");
}
arrow::Result<std::shared_ptr<const FileFormat>> UnionDataset::format() const {
  return NotOfAUnion("format");
}
arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> UnionDataset::filesystem() const {
  return NotOfAUnion("filesystem");
}
arrow::Result<std::shared_ptr<const FileTable>> UnionDataset::files() const {
  return NotOfAUnion("list of files");
}
arrow::Result<ScanPlan> UnionDataset::Plan(const ScanRequest&, const PlanOptions&) const {
  return NotOfAUnion("plan");
}
arrow::Result<std::vector<FilterSupport>> UnionDataset::SupportsFilters(
    const std::vector<arrow::compute::Expression>&, ReadMode) const {
  return NotOfAUnion("file scan");
}
arrow::Result<FileScanConfig> UnionDataset::FileScan(const ScanArguments&,
                                                     const FileScanOptions&) const {
  return NotOfAUnion("file scan");
}
arrow::Result<ScanPlan> UnionDataset::PlanFragments(const ScanRequest&, std::vector<Fragment>,
                                                    const arrow::Schema&) const {
  return NotOfAUnion("fragments");
}
arrow::Result<std::shared_ptr<const FileFacts>> UnionDataset::Facts(const Fragment&,
                                                                    const arrow::StopToken&) const {
  return NotOfAUnion("fragments");
}
arrow::Result<std::unique_ptr<BatchStream>> UnionDataset::ScanPlanned(const ScanPlan&,
                                                                      const ScanOptions&) const {
  return NotOfAUnion("fragments");
}
arrow::Result<int64_t> UnionDataset::CountPlanned(const ScanPlan&, const ScanOptions&) const {
  return NotOfAUnion("fragments");
}
CacheReport UnionDataset::cache_report() const { return {}; }

SchemaRules UnionDataset::schema_rules() const {
  if (rules_) return *rules_;
  SchemaRules out;
  for (const auto& child : children_) {
    const SchemaRules rules = child->schema_rules();
    out.case_insensitive |= rules.case_insensitive;
    if (rules.promote == Promote::kPermissive) out.promote = Promote::kPermissive;
  }
  return out;
}

arrow::Result<ListingReport> UnionDataset::listing_report() const {
  ListingReport out;
  for (const auto& child : children_) {
    ARROW_ASSIGN_OR_RAISE(auto report, child->listing_report());
    out.Merge(report);
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::Schema>> UnionDataset::OutputSchema(
    const ScanRequest& request) const {
  ARROW_ASSIGN_OR_RAISE(auto state, this->state());
  return state->children[0]->OutputSchema(request);
}

arrow::Result<std::unique_ptr<BatchStream>> UnionDataset::Scan(const ScanRequest& request,
                                                               const ScanOptions& options) const {
  ARROW_RETURN_NOT_OK(read::ValidateOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto state, this->state());
  // Finds what is wrong with the request, whichever children a limit leaves.
  ARROW_ASSIGN_OR_RAISE(auto schema, state->children[0]->OutputSchema(request));
  auto open = [state, request, options](size_t i, std::optional<int64_t> limit) {
    ScanRequest of_child = request;
    of_child.offset = 0;
    of_child.limit = limit;
    return state->children[i]->Scan(of_child, options);
  };
  return read::JoinScans(std::move(schema), state->children.size(), std::move(open), request.offset,
                         request.limit);
}

arrow::Result<int64_t> UnionDataset::Count(const arrow::compute::Expression& filter,
                                           const ScanOptions& options, ScanMetrics* metrics) const {
  ARROW_ASSIGN_OR_RAISE(auto state, this->state());
  int64_t rows = 0;
  for (const auto& child : state->children) {
    ScanMetrics of_it;
    ARROW_ASSIGN_OR_RAISE(const int64_t of_child, child->Count(filter, options, &of_it));
    rows += of_child;
    if (metrics != nullptr) read::AddMetrics(of_it, metrics);
  }
  return rows;
}

arrow::Result<TableStatistics> UnionDataset::Statistics(const arrow::compute::Expression& filter,
                                                        const PlanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(auto state, this->state());
  std::vector<TableStatistics> parts;
  for (const auto& child : state->children) {
    ARROW_ASSIGN_OR_RAISE(auto statistics, child->Statistics(filter, options));
    parts.push_back(std::move(statistics));
  }
  return statistics::Merge(parts);
}

arrow::Result<std::shared_ptr<Dataset>> UnionDataset::Refresh() const {
  std::vector<std::shared_ptr<Dataset>> fresh;
  for (const auto& child : children_) {
    ARROW_ASSIGN_OR_RAISE(auto one, child->Refresh());
    fresh.push_back(std::move(one));
  }
  return std::shared_ptr<Dataset>(new UnionDataset(std::move(fresh), declared_, rules_));
}

arrow::Result<std::shared_ptr<Dataset>> UnionDataset::WithSchema(
    std::shared_ptr<arrow::Schema> schema, std::optional<SchemaRules> rules) const {
  if (!schema) return arrow::Status::Invalid("No schema is given");
  return std::shared_ptr<Dataset>(
      new UnionDataset(children_, std::move(schema), rules.value_or(schema_rules())));
}

}  // namespace shoal
