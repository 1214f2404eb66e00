#include "plan/virtual_columns.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compute/expression.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "plan/rekeyed.h"
#include "runtime/parallel.h"
#include "storage/open_file.h"

namespace shoal {

namespace {

constexpr VirtualColumn kAll[kNumVirtualColumns] = {
    VirtualColumn::kFilename, VirtualColumn::kRowIndex, VirtualColumn::kFileSize,
    VirtualColumn::kFileMtime, VirtualColumn::kFragmentIndex};

}  // namespace

std::string_view ToString(VirtualColumn column) {
  switch (column) {
    case VirtualColumn::kFilename:
      return "filename";
    case VirtualColumn::kRowIndex:
      return "row_index";
    case VirtualColumn::kFileSize:
      return "file_size";
    case VirtualColumn::kFileMtime:
      return "file_mtime";
    case VirtualColumn::kFragmentIndex:
      return "fragment_index";
  }
  return "unknown";
}

const std::string& VirtualColumnNames::Of(VirtualColumn column) const {
  switch (column) {
    case VirtualColumn::kFilename:
      return filename;
    case VirtualColumn::kRowIndex:
      return row_index;
    case VirtualColumn::kFileSize:
      return file_size;
    case VirtualColumn::kFileMtime:
      return file_mtime;
    case VirtualColumn::kFragmentIndex:
      break;
  }
  return fragment_index;
}

std::shared_ptr<arrow::Field> ToField(const VirtualField& field) {
  switch (field.column) {
    case VirtualColumn::kFilename:
      return arrow::field(field.name, arrow::utf8(), /*nullable=*/false);
    case VirtualColumn::kRowIndex:
    case VirtualColumn::kFileSize:
    case VirtualColumn::kFragmentIndex:
      return arrow::field(field.name, arrow::int64(), /*nullable=*/false);
    case VirtualColumn::kFileMtime:
      break;
  }
  return arrow::field(field.name, arrow::timestamp(arrow::TimeUnit::NANO, "UTC"));
}

namespace plan {

namespace {

using arrow::compute::Expression;

void AddNames(const Expression& expression, std::set<std::string>* names) {
  if (!expression.is_valid()) return;
  for (const arrow::FieldRef& ref : arrow::compute::FieldsInExpression(expression)) {
    if (const std::string* name = ref.name()) names->insert(*name);
  }
}

bool NeedsIdentity(const std::vector<VirtualField>& fields) {
  return NameOf(VirtualColumn::kFileSize, fields) || NameOf(VirtualColumn::kFileMtime, fields);
}

/// 2024-01-31T01:02:03.000000004Z
std::string TimeText(int64_t ns) {
  using namespace std::chrono;  // NOLINT(build/namespaces)
  const sys_time<nanoseconds> time{nanoseconds(ns)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  char text[48];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ", int(date.year()),
                unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                int(clock.minutes().count()), int(clock.seconds().count()),
                int(clock.subseconds().count()));
  return text;
}

std::optional<std::string> ValueOf(VirtualColumn column, const std::string& path, int64_t place,
                                   const FileVersion& version) {
  switch (column) {
    case VirtualColumn::kFilename:
      return path;
    case VirtualColumn::kFileSize:
      return std::to_string(version.size);
    case VirtualColumn::kFileMtime:
      if (version.mtime_ns == FileVersion::kUnknown) return std::nullopt;
      return TimeText(version.mtime_ns);
    case VirtualColumn::kFragmentIndex:
      return std::to_string(place);
    case VirtualColumn::kRowIndex:
      break;
  }
  return std::nullopt;
}

arrow::Result<FileVersion> VersionOf(SourceFile file, const arrow::StopToken& stop) {
  ARROW_ASSIGN_OR_RAISE(auto found, storage::Identify(file));
  if (found) return *found;
  // Only opening tells.
  ARROW_ASSIGN_OR_RAISE(auto open,
                        storage::OpenFile::Open(std::make_shared<const SourceFile>(std::move(file)),
                                                std::make_shared<runtime::Counters>(),
                                                arrow::default_memory_pool(), stop));
  return open->version();
}

}  // namespace

std::shared_ptr<const Inspection> WithVirtualColumns(std::shared_ptr<const Inspection> inspection,
                                                     const ScanRequest& request,
                                                     const VirtualColumnNames& names) {
  std::set<std::string> used;
  AddNames(request.filter, &used);
  if (request.columns) {
    for (const auto& column : *request.columns) AddNames(column.expression, &used);
  }
  std::vector<VirtualField> fields;
  for (const VirtualColumn column : kAll) {
    const std::string& name = names.Of(column);
    if (!name.empty() && used.contains(name) && inspection->table_schema->GetFieldIndex(name) < 0) {
      fields.push_back({column, name});
    }
  }
  if (fields.empty()) return inspection;
  auto out = std::make_shared<Inspection>(*inspection);
  arrow::FieldVector columns = out->table_schema->fields(), keys = out->partition_schema->fields();
  for (const VirtualField& field : fields) {
    columns.push_back(ToField(field));
    if (field.column != VirtualColumn::kRowIndex) keys.push_back(columns.back());
  }
  out->table_schema = arrow::schema(std::move(columns), out->table_schema->metadata());
  out->partition_schema = arrow::schema(std::move(keys), out->partition_schema->metadata());
  out->list.need_size |= NeedsIdentity(fields);
  out->virtual_columns = std::move(fields);
  return out;
}

bool NeedsAllFiles(const Inspection& inspection) {
  return NameOf(VirtualColumn::kFragmentIndex, inspection.virtual_columns) != nullptr;
}

arrow::Result<FileTable> AddVirtualKeys(const FileTable& page,
                                        const std::vector<VirtualField>& fields,
                                        const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                                        const arrow::StopToken& stop) {
  const int64_t n = page.num_files();
  std::vector<FileVersion> versions(static_cast<size_t>(n));
  const auto identify = [&](int64_t i) -> arrow::Status {
    FileVersion& version = versions[static_cast<size_t>(i)];
    version = page.version(i);
    if (version.size != FileVersion::kUnknown || !NeedsIdentity(fields)) return arrow::Status::OK();
    return VersionOf({filesystem, page.path(i)}, stop).Value(&version);
  };
  ARROW_RETURN_NOT_OK(runtime::ParallelFor(n, runtime::DefaultWorkers(), stop, identify));
  const auto keys_of = [&](int64_t i) {
    auto keys = page.KeysOf(i);
    for (const VirtualField& field : fields) {
      if (field.column == VirtualColumn::kRowIndex) continue;
      keys.push_back(
          {field.name, ValueOf(field.column, page.path(i), i, versions[static_cast<size_t>(i)])});
    }
    return keys;
  };
  return Rekeyed(page, keys_of, [&](int64_t i) { return versions[static_cast<size_t>(i)]; });
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ValueOf(
    const VirtualField& field, const Fragment& fragment,
    const std::shared_ptr<arrow::fs::FileSystem>& filesystem) {
  if (field.column == VirtualColumn::kRowIndex) return nullptr;
  if (field.column == VirtualColumn::kFilename) return arrow::MakeScalar(fragment.path);
  if (field.column == VirtualColumn::kFragmentIndex) {
    return arrow::Status::NotImplemented(
        "A fragment does not know its place in the table: ask the "
        "dataset for `",
        field.name, "`");
  }
  FileVersion version = fragment.version;
  if (version.size == FileVersion::kUnknown) {
    ARROW_ASSIGN_OR_RAISE(version,
                          VersionOf({filesystem, fragment.path}, arrow::StopToken::Unstoppable()));
  }
  if (field.column == VirtualColumn::kFileSize) return arrow::MakeScalar(version.size);
  const auto type = ToField(field)->type();
  if (version.mtime_ns == FileVersion::kUnknown) return arrow::MakeNullScalar(type);
  return arrow::MakeScalar(type, version.mtime_ns);
}

arrow::Result<VirtualColumn> VirtualColumnOf(std::string_view name) {
  for (const VirtualColumn column : kAll) {
    if (ToString(column) == name) return column;
  }
  return arrow::Status::Invalid("There is no virtual column '", name, "'");
}

const std::string* NameOf(VirtualColumn column, const std::vector<VirtualField>& fields) {
  for (const VirtualField& field : fields) {
    if (field.column == column) return &field.name;
  }
  return nullptr;
}

std::shared_ptr<arrow::Schema> WithoutVirtualColumns(const std::shared_ptr<arrow::Schema>& schema,
                                                     const std::vector<VirtualField>& fields) {
  if (fields.empty()) return schema;
  arrow::FieldVector kept;
  for (const auto& field : schema->fields()) {
    if (std::none_of(fields.begin(), fields.end(),
                     [&](const VirtualField& each) { return each.name == field->name(); })) {
      kept.push_back(field);
    }
  }
  return arrow::schema(std::move(kept), schema->metadata());
}

}  // namespace plan

}  // namespace shoal
