#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <arrow/compute/api.h>
#include <arrow/compute/expression.h>

#include <shoal/dataset.h>

#include "testing/laws.h"
#include "testing/same_rows.h"

namespace shoal::testing {

namespace {

namespace cp = arrow::compute;
using arrow::Status;

constexpr int kFiles = 3;

/// A folder below the one given, which goes with the object.
class Folder {
 public:
  explicit Folder(const std::string& parent)
      : path_(std::filesystem::path(parent) / "shoal-conformance") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void Put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), bytes.size());
  }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
};

struct Way {
  int workers;
  int64_t memory_budget;
  int64_t batch_rows;
};
constexpr Way kWays[] = {{0, int64_t{256} << 20, 32768},
                         {2, int64_t{256} << 20, 32768},
                         {0, 1, 2},
                         {2, 1, 2},
                         {2, 64 << 10, 1}};

std::string Describe(const Way& way) {
  return "a scan with " + std::to_string(way.workers) + " workers, " +
         std::to_string(way.memory_budget) + " bytes and batches of " +
         std::to_string(way.batch_rows);
}

ScanOptions OptionsOf(const Way& way) {
  ScanOptions options;
  options.workers = way.workers;
  options.memory_budget = way.memory_budget;
  options.batch_rows = way.batch_rows;
  return options;
}

arrow::Result<std::shared_ptr<arrow::Table>> Collect(BatchStream& stream) {
  arrow::RecordBatchVector batches;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream.Next());
    if (!batch) break;
    if (batch->num_rows() == 0) return Status::Invalid("a batch of a scan is empty");
    batches.push_back(std::move(batch));
  }
  return arrow::Table::FromRecordBatches(stream.schema(), batches);
}

/// The rows of `table` for which the filter is true.
arrow::Result<std::shared_ptr<arrow::Table>> Filter(const std::shared_ptr<arrow::Table>& table,
                                                    const cp::Expression& filter) {
  ARROW_ASSIGN_OR_RAISE(auto bound, filter.Bind(*table->schema()));
  ARROW_ASSIGN_OR_RAISE(auto combined, table->CombineChunksToBatch());
  ARROW_ASSIGN_OR_RAISE(auto mask, cp::ExecuteScalarExpression(bound, cp::ExecBatch(*combined)));
  auto filtered = cp::Filter(table, mask);
  if (filtered.ok()) return filtered->table();
  if (!filtered.status().IsNotImplemented()) return filtered.status();
  // Row by row: not every type that files have can be filtered by Arrow.
  std::vector<std::shared_ptr<arrow::Table>> kept = {table->Slice(0, 0)};
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    bool keep = false;
    if (mask.is_scalar()) {
      keep =
          mask.scalar()->is_valid && static_cast<const arrow::BooleanScalar&>(*mask.scalar()).value;
    } else {
      const auto array = mask.make_array();
      const auto& values = static_cast<const arrow::BooleanArray&>(*array);
      keep = values.IsValid(row) && values.Value(row);
    }
    if (keep) kept.push_back(table->Slice(row, 1));
  }
  return arrow::ConcatenateTables(kept);
}

/// Filters over the first column of integers that keep some of the rows, all and none.
arrow::Result<std::vector<cp::Expression>> FiltersFor(const arrow::Table& table) {
  for (int i = 0; i < table.num_columns(); ++i) {
    const auto& field = table.schema()->field(i);
    if (!arrow::is_integer(field->type()->id())) continue;
    const auto column = cp::field_ref(field->name());
    std::vector<cp::Expression> out = {cp::is_null(column), cp::is_valid(column)};
    for (int64_t row : {int64_t{0}, table.num_rows() / 2}) {
      if (row >= table.num_rows()) continue;
      ARROW_ASSIGN_OR_RAISE(auto value, table.column(i)->GetScalar(row));
      if (!value->is_valid) continue;
      out.push_back(cp::equal(column, cp::literal(value)));
      out.push_back(cp::greater(column, cp::literal(value)));
    }
    return out;
  }
  return std::vector<cp::Expression>();
}

Status CheckCancelling(const Dataset& dataset, const Way& way, const std::string& sample) {
  ARROW_ASSIGN_OR_RAISE(auto stream, dataset.Scan({}, OptionsOf(way)));
  const auto first = stream->Next();
  ARROW_RETURN_NOT_OK(During(first.status(), sample, Describe(way)));
  stream->Close();
  // What was ready may come, and then nothing but the end or the news that it was stopped.
  while (true) {
    const auto batch = stream->Next();
    if (batch.status().IsCancelled() || (batch.ok() && !*batch)) return Status::OK();
    if (!batch.ok()) return During(batch.status(), sample, "a scan that was closed");
  }
}

Status CheckProjection(const Dataset& dataset, const SampleFile& sample,
                       const std::shared_ptr<arrow::Table>& rows) {
  for (int i = 0; i < rows->num_columns(); ++i) {
    const std::string& name = rows->schema()->field(i)->name();
    ScanRequest request;
    request.columns.emplace();
    request.columns->push_back({name, cp::field_ref(name)});
    ARROW_ASSIGN_OR_RAISE(auto stream, dataset.Scan(request));
    auto got = Collect(*stream);
    ARROW_RETURN_NOT_OK(During(got.status(), sample.name, "column '" + name + "' alone"));
    ARROW_ASSIGN_OR_RAISE(auto expected, rows->SelectColumns({i}));
    ARROW_RETURN_NOT_OK(
        During(SameRows(**got, *expected), sample.name, "column '" + name + "' alone"));
  }
  return Status::OK();
}

}  // namespace

Status CheckScans(const FormatConformance& conformance, const SampleFile& sample) {
  const Folder folder(conformance.folder);
  const auto extensions = conformance.format->extensions();
  if (extensions.empty()) return Status::Invalid("the format has no extension");
  const std::string extension(extensions[0]);
  std::vector<std::shared_ptr<arrow::Table>> parts;
  for (int i = 0; i < kFiles; ++i) {
    folder.Put(std::string(1, static_cast<char>('a' + i)) + extension, sample.bytes);
    parts.push_back(sample.rows);
  }
  folder.Put("b0" + extension, "");
  ARROW_ASSIGN_OR_RAISE(auto rows, arrow::ConcatenateTables(parts));

  OpenOptions open;
  open.file_format = conformance.format;
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open({folder.path()}, open));
  ARROW_ASSIGN_OR_RAISE(auto filters, FiltersFor(*rows));
  for (const Way& way : kWays) {
    const std::string how = Describe(way);
    ARROW_ASSIGN_OR_RAISE(auto stream, dataset->Scan({}, OptionsOf(way)));
    auto got = Collect(*stream);
    ARROW_RETURN_NOT_OK(During(got.status(), sample.name, how));
    ARROW_RETURN_NOT_OK(During(SameRows(**got, *rows), sample.name, how));
    for (const auto& filter : filters) {
      const std::string filtered = how + ", where " + filter.ToString();
      ScanRequest request;
      request.filter = filter;
      ARROW_ASSIGN_OR_RAISE(auto matching, dataset->Scan(request, OptionsOf(way)));
      got = Collect(*matching);
      ARROW_RETURN_NOT_OK(During(got.status(), sample.name, filtered));
      ARROW_ASSIGN_OR_RAISE(auto expected, Filter(rows, filter));
      ARROW_RETURN_NOT_OK(During(SameRows(**got, *expected), sample.name, filtered));
      ARROW_ASSIGN_OR_RAISE(const int64_t count, dataset->Count(filter, OptionsOf(way)));
      if (count != expected->num_rows()) {
        return Broken(sample.name, filtered, ": ", count, " rows are counted where there are ",
                      expected->num_rows());
      }
    }
    ARROW_RETURN_NOT_OK(CheckCancelling(*dataset, way, sample.name));
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t count, dataset->Count());
  if (count != rows->num_rows())
    return Broken(sample.name, count, " rows are counted where there are ", rows->num_rows());
  return CheckProjection(*dataset, sample, rows);
}

}  // namespace shoal::testing
