#include <numeric>
#include <utility>

#include "testing/laws.h"
#include "testing/memory_file.h"
#include "testing/same_rows.h"

namespace shoal::testing {

namespace {

using arrow::Status;

std::vector<int> UpTo(int n) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// The rows of a table with only those leaves, as a format should give them.
class Expected {
 public:
  explicit Expected(const SampleFile& sample) : sample_(sample) {}

  Status Check(const arrow::RecordBatchVector& batches, const arrow::Schema& schema,
               int64_t batch_rows, bool whole, const std::string& how) const {
    int64_t rows = 0;
    for (const auto& batch : batches) {
      if (!batch) return Broken(sample_.name, how, ": a batch is null");
      if (!batch->schema()->Equals(schema, /*check_metadata=*/false)) {
        return Broken(sample_.name, how, ": batches should have the schema\n", schema.ToString(),
                      "\nbut have\n", batch->schema()->ToString());
      }
      if (batch->num_rows() > batch_rows) {
        return Broken(sample_.name, how, ": a batch has ", batch->num_rows(),
                      " rows, more than the ", batch_rows, " asked for");
      }
      ARROW_RETURN_NOT_OK(During(batch->ValidateFull(), sample_.name, how));
      rows += batch->num_rows();
    }
    if (rows != sample_.rows->num_rows()) {
      return Broken(sample_.name, how, ": ", rows, " rows are read, not ",
                    sample_.rows->num_rows());
    }
    if (!whole) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(
        auto got, arrow::Table::FromRecordBatches(
                      batches.empty() ? sample_.rows->schema() : batches[0]->schema(), batches));
    return During(SameRows(*got, *sample_.rows), sample_.name, how);
  }

 private:
  const SampleFile& sample_;
};

Status CheckFacts(const FileFacts& facts, const SampleFile& sample) {
  if (!facts.schema()->Equals(*sample.rows->schema(), /*check_metadata=*/false)) {
    return Broken(sample.name, "facts should have the schema\n", sample.rows->schema()->ToString(),
                  "\nbut have\n", facts.schema()->ToString());
  }
  const auto rows = facts.num_rows();
  if (rows.is_exact() && rows.value() != sample.rows->num_rows()) {
    return Broken(sample.name, "facts say exactly ", rows.value(), " rows where there are ",
                  sample.rows->num_rows());
  }
  if (facts.memory_size() <= 0) return Broken(sample.name, "facts take no memory");
  const int leaves = NumLeaves(*facts.schema());
  ARROW_ASSIGN_OR_RAISE(auto bounds, facts.Bounds(UpTo(leaves)));
  if (static_cast<int>(bounds.size()) != leaves) {
    return Broken(sample.name, "bounds are given of ", bounds.size(), " leaves, not ", leaves);
  }
  for (const ColumnBounds& column : bounds) {
    for (const auto& array :
         {column.min, column.max, std::static_pointer_cast<arrow::Array>(column.null_count)}) {
      if (array && array->length() != facts.num_row_groups())
        return Broken(sample.name, "there is not one bound for each row group");
    }
  }
  return facts.DeclaredOrder().status();
}

Status CheckRowGroups(MemoryFile& file, const std::shared_ptr<const FileFacts>& facts,
                      const SampleFile& sample) {
  const Expected expected(sample);
  const auto leaves = UpTo(NumLeaves(*facts->schema()));
  const auto groups = UpTo(facts->num_row_groups());
  for (int64_t batch_rows : {int64_t{1}, int64_t{3}, int64_t{1000}, int64_t{1} << 62}) {
    const std::string how = "batches of up to " + std::to_string(batch_rows) + " rows";
    arrow::RecordBatchVector alone;
    for (int group : groups) {
      auto read = file.Read(facts, {{group}, leaves, batch_rows});
      ARROW_RETURN_NOT_OK(During(read.status(), sample.name, how));
      int64_t rows = 0;
      for (auto& batch : *read) {
        rows += batch->num_rows();
        alone.push_back(std::move(batch));
      }
      const auto claimed = facts->row_group_rows(group).exact_value();
      if (claimed && *claimed != rows) {
        return Broken(sample.name, "row group ", group, " has ", rows, " rows, where facts say ",
                      *claimed);
      }
    }
    ARROW_RETURN_NOT_OK(expected.Check(alone, *facts->schema(), batch_rows, true, how));
    if (groups.size() < 2) continue;
    auto together = file.Read(facts, {groups, leaves, batch_rows});
    ARROW_RETURN_NOT_OK(During(together.status(), sample.name, how + ", in one unit"));
    ARROW_RETURN_NOT_OK(
        expected.Check(*together, *facts->schema(), batch_rows, true, how + ", in one unit"));
  }
  return Status::OK();
}

Status CheckLeaves(MemoryFile& file, const std::shared_ptr<const FileFacts>& facts,
                   const SampleFile& sample) {
  const Expected expected(sample);
  const auto groups = UpTo(facts->num_row_groups());
  if (groups.empty()) return Status::OK();
  const int n = NumLeaves(*facts->schema());
  for (int leaf = 0; leaf < n; ++leaf) {
    const std::string how = "leaf " + std::to_string(leaf) + " alone";
    auto read = file.Read(facts, {groups, {leaf}, 1000});
    ARROW_RETURN_NOT_OK(During(read.status(), sample.name, how));
    const auto schema = ProjectLeaves(*facts->schema(), {leaf});
    ARROW_RETURN_NOT_OK(expected.Check(*read, *schema, 1000, false, how));
    // A column that is one leaf is the sample's column.
    int column = 0;
    while (LeafIndex(*facts->schema(), column + 1) <= leaf) ++column;
    if (NumLeaves(*facts->schema()->field(column)->type()) != 1) continue;
    ARROW_ASSIGN_OR_RAISE(auto got, arrow::Table::FromRecordBatches(schema, *read));
    ARROW_ASSIGN_OR_RAISE(auto wanted, sample.rows->SelectColumns({column}));
    ARROW_RETURN_NOT_OK(During(SameRows(*got, *wanted), sample.name, how));
  }
  return Status::OK();
}

Status CheckEmptyFile(const FormatConformance& conformance) {
  MemoryFile file(conformance.format, "");
  const auto facts = file.Facts();
  if (facts.ok()) return Status::OK();
  if (facts.status().message().find(MemoryFile::kPath) == std::string::npos) {
    return Status::Invalid("the error about a file of 0 bytes does not name it: ",
                           facts.status().ToString());
  }
  return Status::OK();
}

}  // namespace

Status CheckUnits(const FormatConformance& conformance, const SampleFile& sample) {
  MemoryFile file(conformance.format, sample.bytes);
  auto facts = file.Facts();
  ARROW_RETURN_NOT_OK(During(facts.status(), sample.name, "reading the facts"));
  ARROW_RETURN_NOT_OK(During(CheckFacts(**facts, sample), sample.name, "facts"));
  ARROW_RETURN_NOT_OK(CheckRowGroups(file, *facts, sample));
  ARROW_RETURN_NOT_OK(CheckLeaves(file, *facts, sample));
  return CheckEmptyFile(conformance);
}

}  // namespace shoal::testing
