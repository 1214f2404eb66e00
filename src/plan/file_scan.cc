#include "plan/file_scan.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <arrow/array/util.h>
#include <arrow/record_batch.h>

#include <shoal/filter.h>

#include "expression/conjuncts.h"
#include "expression/evaluate.h"
#include "plan/facts_loader.h"
#include "plan/references.h"
#include "plan/rows_wanted.h"
#include "statistics/merge.h"

namespace shoal {

ScanPlan FileScanConfig::GroupPlan(size_t group) const {
  return PartOf(*plan, file_groups.groups[group].fragments);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> FileScanConfig::Finish(
    std::shared_ptr<arrow::RecordBatch> batch, arrow::MemoryPool* pool) const {
  if (!batch->schema()->Equals(*scan_schema, /*check_metadata=*/false)) {
    return arrow::Status::Invalid("A batch of a scan with the columns\n", scan_schema->ToString(),
                                  "\nhas the columns\n", batch->schema()->ToString());
  }
  for (const auto& filter : residual_filters) {
    if (!filter.IsBound()) {
      return arrow::Status::NotImplemented("The filter ", filter.ToString(),
                                           " is unsupported: only the engine can apply it");
    }
    ARROW_ASSIGN_OR_RAISE(auto mask, expression::Evaluate(filter, *batch, pool));
    ARROW_ASSIGN_OR_RAISE(batch, expression::FilterBatch(
                                     batch, static_cast<const arrow::BooleanArray&>(*mask), pool));
  }
  arrow::ArrayVector columns = batch->columns();
  columns.resize(output_schema->num_fields());
  return arrow::RecordBatch::Make(output_schema, batch->num_rows(), std::move(columns));
}

namespace plan {

namespace {

using arrow::compute::Expression;

/// The place of the column in the table schema.
arrow::Result<int> PlaceOf(const std::string& name, const std::shared_ptr<arrow::Schema>& table) {
  const int place = table->GetFieldIndex(name);
  if (place >= 0) return place;
  // An error that lists near names, unless it is the field of a struct.
  ARROW_RETURN_NOT_OK(expression::Bind(arrow::compute::field_ref(name), table).status());
  return arrow::Status::Invalid("The projection names '", name,
                                "', which is a field inside a column: name the column");
}

arrow::Result<std::vector<int>> PlacesOf(const ColumnChoice& choice, const Inspection& inspection) {
  const auto& table = inspection.table_schema;
  std::vector<int> out;
  if (const auto* names = std::get_if<std::vector<std::string>>(&choice)) {
    for (const std::string& name : *names) {
      ARROW_ASSIGN_OR_RAISE(out.emplace_back(), PlaceOf(RespellColumn(name, inspection), table));
    }
  } else if (const auto* places = std::get_if<std::vector<int>>(&choice)) {
    for (int place : *places) {
      if (place < 0 || place >= table->num_fields()) {
        return arrow::Status::IndexError("The projection names column ", place, " of a table of ",
                                         table->num_fields());
      }
    }
    out = *places;
  } else {
    for (int i = 0; i < table->num_fields(); ++i) out.push_back(i);
  }
  std::set<int> seen;
  for (int place : out) {
    if (!seen.insert(place).second) {
      return arrow::Status::Invalid("The projection names column '", table->field(place)->name(),
                                    "' twice: ask for it once");
    }
  }
  return out;
}

arrow::Status CheckConstraints(const std::vector<TableConstraint>& constraints,
                               const Inspection& inspection) {
  for (const TableConstraint& constraint : constraints) {
    if (constraint.columns.empty())
      return arrow::Status::Invalid("constraints: a constraint names no column");
    for (const std::string& name : constraint.columns) {
      auto place = PlaceOf(RespellColumn(name, inspection), inspection.table_schema);
      if (!place.ok()) {
        return place.status().WithMessage("constraints: ", place.status().message());
      }
    }
  }
  return arrow::Status::OK();
}

/// Filters over partition keys, applied to the keys of one path.
class KeyFilters {
 public:
  KeyFilters(const std::vector<Expression>& filters, const arrow::Schema& keys) : keys_(keys) {
    for (const Expression& filter : filters) {
      for (const auto& ref : arrow::compute::FieldsInExpression(filter)) used_.insert(*ref.name());
    }
    filters_ = filters;
  }

  bool empty() const { return filters_.empty(); }

  /// The keys that the filters use and the path does not tell, of those that files may have.
  std::vector<std::string> Unknown(const PartitionValues& values,
                                   const std::set<std::string>& in_files) const {
    std::vector<std::string> unknown;
    for (int k = 0; k < keys_.num_fields(); ++k) {
      const std::string& name = keys_.field(k)->name();
      if (!values[k] && used_.contains(name) && in_files.contains(name)) unknown.push_back(name);
    }
    return unknown;
  }

  /// Whether all rows pass; else none does. A key without a value is null.
  arrow::Result<bool> Pass(const PartitionValues& values) const {
    arrow::ArrayVector columns;
    for (int k = 0; k < keys_.num_fields(); ++k) {
      const auto value = values[k] ? values[k] : arrow::MakeNullScalar(keys_.field(k)->type());
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::MakeArrayFromScalar(*value, 1));
    }
    const auto row =
        arrow::RecordBatch::Make(std::make_shared<arrow::Schema>(keys_), 1, std::move(columns));
    for (const Expression& filter : filters_) {
      ARROW_ASSIGN_OR_RAISE(auto bound, filter.Bind(keys_));
      ARROW_ASSIGN_OR_RAISE(auto mask,
                            expression::Evaluate(bound, *row, arrow::default_memory_pool()));
      const auto& passes = static_cast<const arrow::BooleanArray&>(*mask);
      if (!passes.IsValid(0) || !passes.Value(0)) return false;
    }
    return true;
  }

 private:
  const arrow::Schema& keys_;
  std::vector<Expression> filters_;
  std::set<std::string> used_;
};

/// Fragments that filters over keys let through are those whose rows all pass: an engine was told
/// that it need not look again.
arrow::Status DecideByKeys(const KeyFilters& filters, const Inspection& inspection,
                           FactsCache* cache, const arrow::StopToken& stop, ScanPlan* plan) {
  if (filters.empty()) return arrow::Status::OK();
  auto counters = std::make_shared<runtime::Counters>();
  const TableFiles files(*plan);
  const PartitionValues* before = nullptr;
  bool passes = false;
  std::vector<Fragment> kept;
  for (Fragment& fragment : plan->fragments) {
    const PartitionValues& values = *fragment.partition_values;
    const auto unknown = filters.Unknown(values, inspection.keys_in_files);
    if (!unknown.empty()) {
      auto file = std::make_shared<const SourceFile>(
          SourceFile{plan->filesystem, fragment.path, fragment.version});
      ARROW_ASSIGN_OR_RAISE(auto loaded, LoadFacts(files, file, cache, counters, stop));
      for (const std::string& key : unknown) {
        if (!loaded.facts || loaded.facts->schema()->GetFieldIndex(key) < 0) continue;
        return arrow::Status::Invalid(
            "'", fragment.path, "' has the partition key '", key,
            "' as a column and not in its path, which no inspected file has: a filter over it was "
            "to be decided by paths alone. Inspect all files (inspect)");
      }
    }
    if (before != &values) {
      auto judged = filters.Pass(values);
      if (!judged.ok()) {
        return judged.status().WithMessage("'", fragment.path, "': ", judged.status().message());
      }
      passes = *judged;
      before = &values;
    }
    if (passes) kept.push_back(std::move(fragment));
  }
  plan->fragments = std::move(kept);
  return arrow::Status::OK();
}

/// An engine's reader would stumble over files of 0 bytes. Where footers were read they are left
/// out already.
void LeaveOutEmptyFiles(const Inspection& inspection, ScanPlan* plan) {
  std::erase_if(plan->fragments, [&](const Fragment& fragment) {
    if (fragment.version.size != 0) return false;
    // Where all files were inspected, the report says so already.
    if (!inspection.all_files || inspection.cost.files == 0)
      plan->listing.Add(ListingIssue::kZeroByte, fragment.path);
    return true;
  });
}

}  // namespace

arrow::Result<BoundFileScan> BindFileScan(const ScanArguments& arguments,
                                          const FileScanOptions& options,
                                          const Inspection& inspection) {
  const auto& table = inspection.table_schema;
  BoundFileScan out;
  FileScanConfig& config = out.config;
  config.mode = options.mode;
  ARROW_ASSIGN_OR_RAISE(config.projection, PlacesOf(arguments.projection, inspection));
  const size_t num_output = config.projection.size();
  ARROW_RETURN_NOT_OK(CheckConstraints(options.constraints, inspection));
  config.constraints = options.constraints;

  std::vector<Expression> used, residual;
  std::string not_exact;
  for (const Expression& filter : arguments.filters) {
    ARROW_ASSIGN_OR_RAISE(auto classified, ClassifyFilter(filter, inspection, options.mode));
    for (FilterPart& part : classified.parts) {
      const FilterUse use = part.support.use;
      if (use != FilterUse::kUnsupported) used.push_back(part.given);
      if (use == FilterUse::kExact) {
        if (part.decided_by_keys) out.key_filters.push_back(part.bound);
        continue;
      }
      if (not_exact.empty()) {
        not_exact = "the filter " + expression::ToText(part.bound) + " is " +
                    std::string(ToString(use)) + ": " + part.support.reason;
      }
      ARROW_ASSIGN_OR_RAISE(auto paths, expression::UsedColumns(part.bound, *table));
      for (const arrow::FieldPath& path : paths) {
        const int place = path.indices()[0];
        const auto& all = config.projection;
        if (std::find(all.begin(), all.end(), place) == all.end())
          config.projection.push_back(place);
      }
      residual.push_back(std::move(part.given));
    }
    config.filters.push_back(std::move(classified.support));
  }

  out.request.filter = arrow::compute::and_(std::move(used));
  out.request.columns.emplace();
  arrow::FieldVector fields;
  for (int place : config.projection) {
    fields.push_back(table->field(place));
    out.request.columns->push_back(
        {fields.back()->name(), arrow::compute::field_ref(arrow::FieldRef(place))});
  }
  config.scan_schema = arrow::schema(fields, table->metadata());
  fields.resize(num_output);
  config.output_schema = arrow::schema(std::move(fields), table->metadata());
  for (Expression& filter : residual) {
    // Bound from what was given: binding what is bound already adds casts again. What names a
    // function that Arrow has not stays as it is.
    auto bound = BindFilter(filter, config.scan_schema);
    config.residual_filters.push_back(bound.ok() ? *std::move(bound) : std::move(filter));
  }

  config.limit = out.request.limit = arguments.limit;
  config.offset = out.request.offset = arguments.offset;
  const bool cuts = arguments.limit.has_value() || arguments.offset != 0;
  config.limit_pushed = cuts && not_exact.empty();
  // Checked as any other request is, whether pushed or not.
  if (arguments.limit && *arguments.limit < 0)
    return arrow::Status::Invalid("limit is ", *arguments.limit, ", but must be 0 or more");
  if (arguments.offset < 0)
    return arrow::Status::Invalid("offset is ", arguments.offset, ", but must be 0 or more");
  if (config.limit_pushed) {
    if (arguments.limit) config.group_limit = RowsWanted(out.request);
  } else {
    if (cuts) config.limit_reason = std::move(not_exact);
    out.request.limit.reset();
    out.request.offset = 0;
  }
  return out;
}

arrow::Result<FileScanConfig> FinishFileScan(BoundFileScan bound, ScanPlan plan,
                                             const FileScanOptions& options,
                                             const Inspection& inspection, FactsCache* cache) {
  FileScanConfig config = std::move(bound.config);
  if (options.mode == ReadMode::kEngineReads) {
    LeaveOutEmptyFiles(inspection, &plan);
    const KeyFilters filters(bound.key_filters, *plan.partition_schema);
    const size_t before = plan.fragments.size();
    ARROW_RETURN_NOT_OK(DecideByKeys(filters, inspection, cache, options.stop, &plan));
    plan.prune.files_kept = static_cast<int64_t>(plan.fragments.size());
    if (plan.fragments.size() != before)
      plan.statistics = statistics::ToInexact(std::move(plan.statistics));
  }
  config.filesystem = plan.filesystem;
  config.format = plan.format;
  config.table_schema = plan.table_schema;
  config.partition_schema = plan.partition_schema;
  arrow::FieldVector of_files;
  for (const auto& field : plan.table_schema->fields()) {
    if (plan.partition_schema->GetFieldIndex(field->name()) < 0) of_files.push_back(field);
  }
  config.file_schema = arrow::schema(std::move(of_files), plan.table_schema->metadata());
  ARROW_ASSIGN_OR_RAISE(config.file_groups, MakeFileGroups(plan, options.grouping));
  config.output_partitioning = config.file_groups.output_partitioning;
  config.output_ordering = config.file_groups.output_ordering;
  config.statistics = plan.statistics;
  const bool filtered = options.mode == ReadMode::kShoalReads && RowsDecide(plan, inspection);
  if (filtered || config.limit_pushed)
    config.statistics = statistics::ToInexact(std::move(config.statistics));
  config.plan = std::make_shared<const ScanPlan>(std::move(plan));
  return config;
}

}  // namespace plan
}  // namespace shoal
