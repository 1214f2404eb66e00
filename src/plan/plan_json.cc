// A plan as one JSON document, for people's tools and for workers elsewhere.
//
// What a worker needs is carried exactly: expressions in Arrow's serialised form, schemas and
// partition values as Arrow IPC, both in base64. What a person wants to see stands beside it as
// text. Credentials are never written.
#include <nlohmann/json.hpp>

#include <arrow/array/util.h>
#include <arrow/compute/expression.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/util/base64.h>

#include <shoal/plan.h>

#include "expression/conjuncts.h"
#include "plan/validate.h"
#include "plan/virtual_columns.h"

namespace shoal {

namespace {

using arrow::compute::Expression;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kRename = "rename", kPermissive = "permissive";
/// Of a fragment's file; what is not known is left out.
constexpr std::pair<const char*, int64_t FileVersion::*> kVersionParts[] = {
    {"size", &FileVersion::size},
    {"mtime_ns", &FileVersion::mtime_ns},
    {"change_id", &FileVersion::change_id}};

std::string Base64(const arrow::Buffer& buffer) {
  return arrow::util::base64_encode(std::string_view(buffer));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FromBase64(const std::string& text) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, arrow::util::base64_decode(text));
  return arrow::Buffer::FromString(std::move(bytes));
}

arrow::Result<std::string> SchemaText(const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::ipc::SerializeSchema(schema));
  return Base64(*buffer);
}

arrow::Result<std::shared_ptr<arrow::Schema>> ParseSchema(const std::string& text) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, FromBase64(text));
  arrow::io::BufferReader reader(buffer);
  // Types of dictionaries are told through the memo; their values are not part of a schema.
  arrow::ipc::DictionaryMemo dictionaries;
  return arrow::ipc::ReadSchema(&reader, &dictionaries);
}

arrow::Result<std::string> ExpressionText(const Expression& expression) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::compute::Serialize(expression));
  return Base64(*buffer);
}

arrow::Result<Expression> ParseExpression(const std::string& text) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, FromBase64(text));
  return arrow::compute::Deserialize(buffer);
}

/// One row per fragment, one column per key, and a boolean column per key: whether the path carries
/// it.
arrow::Result<std::string> PartitionValuesText(const ScanPlan& plan) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  const auto rows = static_cast<int64_t>(plan.fragments.size());
  for (int k = 0; k < plan.partition_schema->num_fields(); ++k) {
    const auto& field = plan.partition_schema->field(k);
    std::unique_ptr<arrow::ArrayBuilder> values;
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), field->type(), &values));
    arrow::BooleanBuilder carried;
    for (const auto& fragment : plan.fragments) {
      const auto& value = (*fragment.partition_values)[k];
      ARROW_RETURN_NOT_OK(value && value->is_valid ? values->AppendScalar(*value)
                                                   : values->AppendNull());
      ARROW_RETURN_NOT_OK(carried.Append(value != nullptr));
    }
    fields.push_back(arrow::field(field->name(), field->type()));
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), values->Finish());
    fields.push_back(arrow::field(field->name() + "?", arrow::boolean()));
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), carried.Finish());
  }
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  auto batch = arrow::RecordBatch::Make(arrow::schema(fields), rows, columns);
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(sink, batch->schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(auto buffer, sink->Finish());
  return Base64(*buffer);
}

arrow::Status ParsePartitionValues(const std::string& text, ScanPlan* plan) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, FromBase64(text));
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(
                                         std::make_shared<arrow::io::BufferReader>(buffer)));
  std::shared_ptr<arrow::RecordBatch> batch;
  ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
  if (batch) ARROW_RETURN_NOT_OK(batch->ValidateFull());
  const int keys = plan->partition_schema->num_fields();
  if (!batch || batch->num_columns() != 2 * keys ||
      (keys > 0 && batch->num_rows() != static_cast<int64_t>(plan->fragments.size()))) {
    return arrow::Status::Invalid("The plan's partition values do not match its fragments");
  }
  for (int k = 0; k < keys; ++k) {
    if (batch->column(2 * k + 1)->type_id() != arrow::Type::BOOL) {
      return arrow::Status::Invalid("The plan does not say which paths carry the key '",
                                    plan->partition_schema->field(k)->name(), "'");
    }
  }
  for (size_t i = 0; i < plan->fragments.size(); ++i) {
    PartitionValues values(keys);
    for (int k = 0; k < keys; ++k) {
      if (!static_cast<const arrow::BooleanArray&>(*batch->column(2 * k + 1)).Value(i)) continue;
      ARROW_ASSIGN_OR_RAISE(values[k], batch->column(2 * k)->GetScalar(i));
    }
    plan->fragments[i].partition_values =
        std::make_shared<const PartitionValues>(std::move(values));
  }
  return arrow::Status::OK();
}

json Figure(const Precision<int64_t>& p) {
  if (p.is_absent()) return {{"exactness", "absent"}};
  return {{"exactness", p.is_exact() ? "exact" : "inexact"}, {"value", p.value()}};
}

json Figure(const Precision<std::shared_ptr<arrow::Scalar>>& p) {
  if (p.is_absent()) return {{"exactness", "absent"}};
  return {{"exactness", p.is_exact() ? "exact" : "inexact"}, {"value", p.value()->ToString()}};
}

Precision<int64_t> ParseFigure(const json& j) {
  const std::string exactness = j.value("exactness", "absent");
  if (exactness == "absent") return Precision<int64_t>::Absent();
  return exactness == "exact" ? Precision<int64_t>::Exact(j.at("value"))
                              : Precision<int64_t>::Inexact(j.at("value"));
}

json RequestsOf(const StoreRequests& r) {
  return {{"list", r.list},
          {"head", r.head},
          {"get", r.get},
          {"retries", r.retries},
          {"bytes", r.bytes}};
}

json ReportOf(const ScanPlan& plan) {
  const PruneReport& r = plan.prune;
  json conjuncts = json::array(), levels = json::array(), pieces = json::array(),
       issues = json::object();
  for (const auto& c : r.conjuncts) {
    conjuncts.push_back({{"conjunct", c.conjunct},
                         {"directories_pruned", c.directories_pruned},
                         {"files_pruned", c.files_pruned},
                         {"row_groups_pruned", c.row_groups_pruned},
                         {"limitation", c.limitation}});
  }
  for (const auto& l : r.levels) {
    levels.push_back(
        {{"key", l.key}, {"directories", l.directories}, {"directories_kept", l.directories_kept}});
  }
  for (const auto& p : r.pruned) {
    json piece = {{"path", p.path}, {"level", shoal::ToString(p.level)}, {"conjunct", p.conjunct}};
    if (p.row_group >= 0) piece["row_group"] = p.row_group;
    pieces.push_back(std::move(piece));
  }
  for (int i = 0; i < kNumListingIssues; ++i) {
    const auto& entry = plan.listing.issues[i];
    if (entry.count == 0) continue;
    issues[std::string(ToString(static_cast<ListingIssue>(i)))] = {{"count", entry.count},
                                                                   {"examples", entry.examples}};
  }
  return {{"filter", r.filter},
          {"conjuncts", conjuncts},
          {"levels", levels},
          {"directories_listed", plan.listing.directories_listed},
          {"directories_cached", plan.listing.directories_cached},
          {"directories_pruned", r.directories_pruned},
          {"stat_calls", plan.listing.stat_calls},
          {"listing_complete", plan.listing.complete},
          {"listing_issues", issues},
          {"files_listed", r.files_listed},
          {"files_kept_by_keys", r.files_kept_by_keys},
          {"files_kept", r.files_kept},
          {"row_groups_seen", r.row_groups_seen},
          {"row_groups_kept", r.row_groups_kept},
          {"footers_read", r.footers_read},
          {"footers_cached", r.footers_cached},
          {"metadata_bytes", r.metadata_bytes},
          {"store_requests", RequestsOf(plan.store_requests())},
          {"files_inspected", plan.inspection.files},
          {"inspection",
           {{"footers_read", plan.inspection.footers_read},
            {"footers_cached", plan.inspection.footers_cached},
            {"metadata_bytes", plan.inspection.metadata_bytes},
            {"store_requests", RequestsOf(plan.inspection.store_requests)}}},
          {"pruned", pieces}};
}

json StatisticsOf(const ScanPlan& plan) {
  json columns = json::object();
  for (int i = 0; i < plan.table_schema->num_fields(); ++i) {
    if (i >= static_cast<int>(plan.statistics.columns.size())) break;
    const auto& c = plan.statistics.columns[i];
    if (c.min.is_absent() && c.max.is_absent() && c.null_count.is_absent()) continue;
    columns[plan.table_schema->field(i)->name()] = {
        {"min", Figure(c.min)}, {"max", Figure(c.max)}, {"null_count", Figure(c.null_count)}};
  }
  return {{"num_rows", Figure(plan.statistics.num_rows)},
          {"total_bytes", Figure(plan.statistics.total_bytes)},
          {"columns", columns}};
}

/// Another process can make a filesystem anew only if its code is there.
arrow::Status CheckTravels(const arrow::fs::FileSystem& filesystem) {
  if (const auto* tree = dynamic_cast<const arrow::fs::SubTreeFileSystem*>(&filesystem)) {
    return CheckTravels(*tree->base_fs());
  }
  const std::string type = filesystem.type_name();
  if (!type.starts_with("py::")) return arrow::Status::OK();
  return arrow::Status::NotImplemented(
      "The plan reads through a filesystem that is made in Python ('", type,
      "'), which another process can't make anew. Open the dataset by a URI, such as "
      "s3://bucket/folder, or with one of "
      "the filesystems of pyarrow.fs");
}

/// Those that are not the default.
json RulesOf(const SchemaRules& rules) {
  json out = json::object();
  if (rules.duplicate_names == DuplicateNames::kRename) out["duplicate_names"] = kRename;
  if (rules.case_insensitive) out["case_insensitive"] = true;
  if (rules.promote == Promote::kPermissive) out["promote"] = kPermissive;
  return out;
}

arrow::Result<SchemaRules> ParseRules(const json& j) {
  SchemaRules rules;
  for (const auto& [name, value] : j.items()) {
    if (name == "duplicate_names" && value == kRename) {
      rules.duplicate_names = DuplicateNames::kRename;
    } else if (name == "case_insensitive" && value.is_boolean()) {
      rules.case_insensitive = value.get<bool>();
    } else if (name == "promote" && value == kPermissive) {
      rules.promote = Promote::kPermissive;
    } else {
      return arrow::Status::Invalid("This is not a shoal plan: its schema_rules have ", name, " = ",
                                    value.dump());
    }
  }
  return rules;
}

arrow::Result<json> ToJsonValue(const ScanPlan& plan) {
  ARROW_RETURN_NOT_OK(CheckTravels(*plan.filesystem));
  json j;
  j["shoal_plan"] = kVersion;
  j["format"] = plan.format->name();
  if (const std::string options = plan.format->OptionsJson(); !options.empty())
    j["format_options"] = json::parse(options);
  j["filesystem"] = plan.filesystem->type_name();
  ARROW_ASSIGN_OR_RAISE(j["table_schema"], SchemaText(*plan.table_schema));
  j["schema_declared"] = plan.schema_declared;
  if (plan.schema_rules != SchemaRules()) j["schema_rules"] = RulesOf(plan.schema_rules);
  if (plan.strict_columns) j["strict_columns"] = true;
  for (const VirtualField& field : plan.virtual_columns) {
    j["virtual_columns"].push_back({{"column", ToString(field.column)}, {"name", field.name}});
  }
  ARROW_ASSIGN_OR_RAISE(j["partition_schema"], SchemaText(*plan.partition_schema));
  ARROW_ASSIGN_OR_RAISE(j["output_schema"], SchemaText(*plan.output_schema));
  j["columns"] = json::array();
  for (const auto& column : *plan.request.columns) {
    ARROW_ASSIGN_OR_RAISE(auto expression, ExpressionText(column.expression));
    j["columns"].push_back({{"name", column.name},
                            {"text", expression::ToText(column.expression)},
                            {"expression", expression}});
  }
  ARROW_ASSIGN_OR_RAISE(auto filter, ExpressionText(plan.request.filter));
  j["filter"] = {{"text", expression::ToText(plan.request.filter)}, {"expression", filter}};
  j["limit"] = plan.request.limit ? json(*plan.request.limit) : json(nullptr);
  j["offset"] = plan.request.offset;
  j["fragments"] = json::array();
  for (const auto& f : plan.fragments) {
    json fragment = {
        {"path", f.path}, {"num_rows", Figure(f.num_rows)}, {"num_bytes", Figure(f.num_bytes)}};
    for (const auto& [name, part] : kVersionParts) {
      if (f.version.*part != FileVersion::kUnknown) fragment[name] = f.version.*part;
    }
    if (f.row_groups) fragment["row_groups"] = *f.row_groups;
    for (const auto& column : f.ordering) {
      fragment["ordering"].push_back({{"name", column.name},
                                      {"descending", column.descending},
                                      {"nulls_first", column.nulls_first}});
    }
    for (const auto& size : f.row_group_sizes) {
      fragment["row_group_rows"].push_back(size.rows);
      fragment["row_group_bytes"].push_back(size.bytes);
    }
    json values = json::object();
    for (int k = 0; k < plan.partition_schema->num_fields(); ++k) {
      const auto& value = (*f.partition_values)[k];
      if (value) {
        values[plan.partition_schema->field(k)->name()] =
            value->is_valid ? json(value->ToString()) : json(nullptr);
      }
    }
    fragment["partition_values"] = std::move(values);
    j["fragments"].push_back(std::move(fragment));
  }
  ARROW_ASSIGN_OR_RAISE(j["partition_values"], PartitionValuesText(plan));
  j["statistics"] = StatisticsOf(plan);
  j["report"] = ReportOf(plan);
  return j;
}

/// What a worker needs; the report is for whoever made the plan and is not read back.
arrow::Status FromJsonValue(const json& j, ScanPlan* plan) {
  if (j.at("shoal_plan") != kVersion) {
    return arrow::Status::Invalid("The plan has version ", j.at("shoal_plan").dump(),
                                  "; this is shoal for version ", kVersion);
  }
  const std::string options = j.contains("format_options") ? j.at("format_options").dump() : "";
  ARROW_ASSIGN_OR_RAISE(plan->format, GetFileFormat(j.at("format").get<std::string>(), options));
  ARROW_ASSIGN_OR_RAISE(plan->table_schema, ParseSchema(j.at("table_schema")));
  plan->schema_declared = j.at("schema_declared");
  ARROW_ASSIGN_OR_RAISE(plan->schema_rules, ParseRules(j.value("schema_rules", json::object())));
  plan->strict_columns = j.value("strict_columns", false);
  for (const auto& field : j.value("virtual_columns", json::array())) {
    ARROW_ASSIGN_OR_RAISE(const auto column,
                          plan::VirtualColumnOf(field.at("column").get<std::string>()));
    plan->virtual_columns.push_back({column, field.at("name")});
  }
  ARROW_ASSIGN_OR_RAISE(plan->partition_schema, ParseSchema(j.at("partition_schema")));
  ARROW_ASSIGN_OR_RAISE(plan->output_schema, ParseSchema(j.at("output_schema")));
  plan->request.columns.emplace();
  for (const auto& column : j.at("columns")) {
    ARROW_ASSIGN_OR_RAISE(auto expression, ParseExpression(column.at("expression")));
    plan->request.columns->push_back({column.at("name"), std::move(expression)});
  }
  ARROW_ASSIGN_OR_RAISE(plan->request.filter, ParseExpression(j.at("filter").at("expression")));
  if (!j.at("limit").is_null()) plan->request.limit = j.at("limit").get<int64_t>();
  plan->request.offset = j.at("offset");
  for (const auto& f : j.at("fragments")) {
    Fragment fragment;
    fragment.path = f.at("path");
    for (const auto& [name, part] : kVersionParts) {
      fragment.version.*part = f.value(name, FileVersion::kUnknown);
    }
    if (f.contains("row_groups")) fragment.row_groups = f.at("row_groups").get<std::vector<int>>();
    fragment.num_rows = ParseFigure(f.at("num_rows"));
    fragment.num_bytes = ParseFigure(f.at("num_bytes"));
    if (f.contains("row_group_rows")) {
      const auto rows = f.at("row_group_rows").get<std::vector<int64_t>>();
      const auto bytes = f.at("row_group_bytes").get<std::vector<int64_t>>();
      if (!fragment.row_groups || rows.size() != fragment.row_groups->size() ||
          bytes.size() != rows.size()) {
        return arrow::Status::Invalid("This is not a shoal plan: '", fragment.path, "' has ",
                                      rows.size(), " and ", bytes.size(), " sizes of row groups");
      }
      for (size_t i = 0; i < rows.size(); ++i) {
        fragment.row_group_sizes.push_back({rows[i], bytes[i]});
      }
    }
    for (const auto& column : f.value("ordering", json::array())) {
      fragment.ordering.push_back(
          {column.at("name"), column.at("descending"), column.at("nulls_first")});
    }
    plan->fragments.push_back(std::move(fragment));
  }
  ARROW_RETURN_NOT_OK(ParsePartitionValues(j.at("partition_values"), plan));
  plan->statistics.num_rows = ParseFigure(j.at("statistics").at("num_rows"));
  plan->statistics.total_bytes = ParseFigure(j.at("statistics").at("total_bytes"));
  plan->statistics.columns.resize(plan->table_schema->num_fields());
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::string> ScanPlan::ToJson() const {
  try {
    ARROW_ASSIGN_OR_RAISE(auto j, ToJsonValue(*this));
    return j.dump(2, ' ', false, json::error_handler_t::replace);
  } catch (const json::exception& e) {
    return arrow::Status::Invalid("The plan cannot be written as JSON: ", e.what());
  }
}

arrow::Result<ScanPlan> ScanPlan::FromJson(std::string_view text,
                                           std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  ScanPlan plan;
  try {
    const json j = json::parse(text);
    plan.filesystem = std::move(filesystem);
    if (!plan.filesystem) {
      const std::string kind = j.at("filesystem");
      if (kind != "local") {
        return arrow::Status::Invalid("The plan reads from a filesystem of type '", kind,
                                      "': give that filesystem, plans carry no credentials");
      }
      std::string path;
      ARROW_ASSIGN_OR_RAISE(plan.filesystem, arrow::fs::FileSystemFromUriOrPath("/", &path));
    }
    ARROW_RETURN_NOT_OK(FromJsonValue(j, &plan));
    ARROW_RETURN_NOT_OK(plan::ValidatePlan(plan));
  } catch (const json::exception& e) {
    return arrow::Status::Invalid("This is not a shoal plan: ", e.what());
  }
  return plan;
}

}  // namespace shoal
