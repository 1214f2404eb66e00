// The adapter that engines use for batches of their own readers.
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <shoal/file_scan.h>

#include "plan/facts_loader.h"
#include "plan/file_mapping.h"
#include "schema/column_mapping.h"
#include "schema/names.h"

namespace shoal {

namespace {

using schema::BatchColumns;
using schema::ColumnMapping;

/// The first column or field that `needed` has and `given` lacks. Types that differ otherwise are
/// for the mapping to judge.
std::optional<std::string> Lacks(const arrow::DataType& given, const arrow::DataType& needed);

std::optional<std::string> Lacks(const arrow::FieldVector& given,
                                 const arrow::FieldVector& needed) {
  for (const auto& field : needed) {
    const arrow::Field* found = nullptr;
    for (const auto& candidate : given) {
      if (candidate->name() == field->name()) found = candidate.get();
    }
    if (found == nullptr) return field->name();
    if (auto inner = Lacks(*found->type(), *field->type())) return field->name() + "." + *inner;
  }
  return std::nullopt;
}

std::optional<std::string> Lacks(const arrow::DataType& given, const arrow::DataType& needed) {
  if (given.id() == arrow::Type::STRUCT && needed.id() == arrow::Type::STRUCT)
    return Lacks(given.fields(), needed.fields());
  if (given.num_fields() != needed.num_fields()) return std::nullopt;
  // Lists and maps have children whose names vary between writers.
  for (int i = 0; i < given.num_fields(); ++i) {
    if (auto inner = Lacks(*given.field(i)->type(), *needed.field(i)->type())) return inner;
  }
  return std::nullopt;
}

std::vector<int> ColumnsOf(const arrow::Schema& schema, const std::vector<int>& leaves) {
  std::vector<int> out;
  auto leaf = leaves.begin();
  int end = 0;
  for (int c = 0; c < schema.num_fields(); ++c) {
    end += NumLeaves(*schema.field(c)->type());
    if (leaf != leaves.end() && *leaf < end) out.push_back(c);
    while (leaf != leaves.end() && *leaf < end) ++leaf;
  }
  return out;
}

}  // namespace

class SchemaAdapter::Impl {
 public:
  static arrow::Result<std::unique_ptr<Impl>> Make(const ScanPlan& plan,
                                                   std::shared_ptr<arrow::Schema> scan_schema,
                                                   const Fragment& fragment,
                                                   const arrow::Schema& schema_in_file) {
    auto out = std::make_unique<Impl>();
    out->path_ = fragment.path;
    out->files_ = plan::TableFiles(plan);
    ARROW_ASSIGN_OR_RAISE(const auto named,
                          out->Named(std::make_shared<arrow::Schema>(schema_in_file)));
    const arrow::Schema& file_schema = *named;
    out->scan_schema_ = std::move(scan_schema);
    out->casts_ = plan::CastsOf(plan);
    const PartitionValues& values = *fragment.partition_values;
    for (int c = 0; c < out->scan_schema_->num_fields(); ++c) {
      const int key = plan.partition_schema->GetFieldIndex(out->scan_schema_->field(c)->name());
      if (key >= 0 && values[key]) out->constants_.push_back({c, values[key]});
    }
    ARROW_ASSIGN_OR_RAISE(auto mapping, out->Map(file_schema, BatchColumns::kLeaves));
    out->leaves_ = mapping->leaves();
    out->columns_ = ColumnsOf(file_schema, out->leaves_);
    out->needed_ = ProjectLeaves(file_schema, out->leaves_);
    return out;
  }

  const std::vector<int>& leaves() const { return leaves_; }
  const std::vector<int>& columns() const { return columns_; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Adapt(const arrow::RecordBatch& batch,
                                                           arrow::MemoryPool* pool) {
    ARROW_ASSIGN_OR_RAISE(const auto schema, Named(batch.schema()));
    ARROW_ASSIGN_OR_RAISE(auto mapping, MappingOf(schema));
    if (schema == batch.schema()) return mapping->Adapt(batch, pool);
    return mapping->Adapt(*schema::Relabel(batch, schema), pool);
  }

 private:
  using MappingPtr = std::shared_ptr<const ColumnMapping>;

  /// The schema with the names that the table has for the file's columns.
  arrow::Result<std::shared_ptr<arrow::Schema>> Named(
      const std::shared_ptr<arrow::Schema>& schema) const {
    return files_.Named(path_, schema);
  }

  arrow::Result<MappingPtr> Map(const arrow::Schema& from, BatchColumns batches) const {
    ARROW_ASSIGN_OR_RAISE(
        auto mapping, ColumnMapping::Make(from, *scan_schema_, constants_, path_, casts_, batches));
    return std::make_shared<const ColumnMapping>(std::move(mapping));
  }

  /// All batches of a reader share a schema, so that of the last one is remembered.
  arrow::Result<MappingPtr> MappingOf(const std::shared_ptr<arrow::Schema>& schema) {
    {
      std::lock_guard lock(mutex_);
      if (last_ && (last_schema_ == schema || last_schema_->Equals(*schema, true))) return last_;
    }
    // What the file has and nobody read would pass for a column that the file lacks.
    if (auto missing = Lacks(schema->fields(), needed_->fields())) {
      return arrow::Status::Invalid(
          "file ", path_, ": a batch lacks column `", *missing,
          "`, which the file has: read all columns that the adapter names");
    }
    ARROW_ASSIGN_OR_RAISE(auto mapping, Map(*schema, BatchColumns::kAll));
    std::lock_guard lock(mutex_);
    last_schema_ = schema;
    last_ = mapping;
    return mapping;
  }

  std::string path_;
  plan::TableFiles files_;
  std::shared_ptr<arrow::Schema> scan_schema_;
  schema::CastPolicy casts_ = schema::CastPolicy::kWidening;
  std::vector<schema::Constant> constants_;
  std::vector<int> leaves_, columns_;
  std::shared_ptr<arrow::Schema> needed_;
  std::mutex mutex_;
  std::shared_ptr<arrow::Schema> last_schema_;
  MappingPtr last_;
};

SchemaAdapter::SchemaAdapter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SchemaAdapter::~SchemaAdapter() = default;

const std::vector<int>& SchemaAdapter::columns() const { return impl_->columns(); }
const std::vector<int>& SchemaAdapter::leaves() const { return impl_->leaves(); }

arrow::Result<std::shared_ptr<arrow::RecordBatch>> SchemaAdapter::Adapt(
    const arrow::RecordBatch& batch, arrow::MemoryPool* pool) const {
  return impl_->Adapt(batch, pool);
}

arrow::Result<std::unique_ptr<SchemaAdapter>> FileScanConfig::MakeAdapter(
    const Fragment& fragment, const arrow::Schema& file_schema) const {
  ARROW_ASSIGN_OR_RAISE(auto impl,
                        SchemaAdapter::Impl::Make(*plan, scan_schema, fragment, file_schema));
  return std::unique_ptr<SchemaAdapter>(new SchemaAdapter(std::move(impl)));
}

}  // namespace shoal
