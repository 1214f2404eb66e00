// A table in memory is a listing source with one file, whose format has the table's batches for row
// groups, and whose units need no bytes. So everything that can be asked of files can be asked of
// it.
#include <chrono>
#include <string>
#include <utility>

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/memory.h>

#include <shoal/union_dataset.h>

#include "formats/projection.h"
#include "formats/slices.h"

namespace shoal {

namespace {

using arrow::Status;

constexpr const char* kPath = "table";

class TableFacts final : public FileFacts {
 public:
  TableFacts(std::shared_ptr<arrow::Schema> schema, arrow::RecordBatchVector batches)
      : FileFacts(std::move(schema)), batches_(std::move(batches)) {}

  int num_row_groups() const override { return static_cast<int>(batches_.size()); }
  Precision<int64_t> row_group_rows(int row_group) const override {
    return Precision<int64_t>::Exact(batches_[row_group]->num_rows());
  }
  int64_t row_group_bytes(int row_group) const override { return 0; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    return std::vector<ColumnBounds>(leaves.size());
  }
  /// The batches are the dataset's, and take no memory besides.
  int64_t memory_size() const override { return static_cast<int64_t>(sizeof(*this)); }
  const std::shared_ptr<arrow::RecordBatch>& batch(int i) const { return batches_[i]; }

 private:
  const arrow::RecordBatchVector batches_;
};

class TableFactsReader final : public FactsReader {
 public:
  explicit TableFactsReader(std::shared_ptr<const TableFacts> facts) : facts_(std::move(facts)) {}
  arrow::Result<Step> Next(Resident) override {
    return std::static_pointer_cast<const FileFacts>(facts_);
  }

 private:
  const std::shared_ptr<const TableFacts> facts_;
};

class TableUnit final : public Unit {
 public:
  explicit TableUnit(UnitRequest request)
      : Unit(request.file),
        request_(std::move(request)),
        schema_(ProjectLeaves(*request_.facts->schema(), request_.leaves)),
        columns_(formats::ColumnsOf(*request_.facts->schema(), request_.leaves)),
        slices_(request_.batch_rows) {}

  arrow::Result<Step> Next(Resident) override {
    while (true) {
      if (auto batch = slices_.Next()) return Step(std::move(batch));
      if (next_ == request_.row_groups.size()) return Done{};
      const auto& facts = static_cast<const TableFacts&>(*request_.facts);
      ARROW_ASSIGN_OR_RAISE(auto batch,
                            facts.batch(request_.row_groups[next_++])->SelectColumns(columns_));
      ARROW_ASSIGN_OR_RAISE(batch,
                            formats::KeepLeaves(*batch, *facts.schema(), request_.leaves, schema_));
      slices_.Reset(std::move(batch));
    }
  }

 private:
  const UnitRequest request_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::vector<int> columns_;  // top-level, of the table
  size_t next_ = 0;                 // of the row groups asked for
  formats::Slices slices_;
};

class TableFormat final : public FileFormat {
 public:
  explicit TableFormat(std::shared_ptr<const TableFacts> facts) : facts_(std::move(facts)) {}
  std::string_view name() const override { return "table"; }
  std::vector<std::string_view> extensions() const override { return {}; }
  bool MatchesMagic(std::string_view) const override { return false; }
  std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile>) const override {
    return std::make_unique<TableFactsReader>(facts_);
  }
  arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const override {
    return std::make_unique<TableUnit>(std::move(request));
  }

 private:
  const std::shared_ptr<const TableFacts> facts_;
};

/// Has one file, which can be opened and whose one byte is never read.
class TableFileSystem final : public arrow::fs::FileSystem {
 public:
  std::string type_name() const override { return "table"; }
  bool Equals(const FileSystem& other) const override { return this == &other; }
  using FileSystem::GetFileInfo;
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override {
    arrow::fs::FileInfo info(
        path, path == kPath ? arrow::fs::FileType::File : arrow::fs::FileType::NotFound);
    if (path == kPath) info.set_size(1);
    return info;
  }
  arrow::Result<arrow::fs::FileInfoVector> GetFileInfo(const arrow::fs::FileSelector&) override {
    return Refuse();
  }
  Status CreateDir(const std::string&, bool) override { return Refuse(); }
  Status DeleteDir(const std::string&) override { return Refuse(); }
  Status DeleteDirContents(const std::string&, bool) override { return Refuse(); }
  Status DeleteRootDirContents() override { return Refuse(); }
  Status DeleteFile(const std::string&) override { return Refuse(); }
  Status Move(const std::string&, const std::string&) override { return Refuse(); }
  Status CopyFile(const std::string&, const std::string&) override { return Refuse(); }
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(
      const std::string&) override {
    return Refuse();
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const std::string&) override {
    return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(" "));
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(
      const std::string&, const std::shared_ptr<const arrow::KeyValueMetadata>&) override {
    return Refuse();
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(
      const std::string&, const std::shared_ptr<const arrow::KeyValueMetadata>&) override {
    return Refuse();
  }

 private:
  static Status Refuse() { return Status::NotImplemented("a table in memory has no files"); }
};

class TableSource final : public ListingSource {
 public:
  std::string Describe() const override { return "a table in memory"; }
  const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const override { return filesystem_; }
  arrow::Result<ListingReport> List(const ListOptions&, const PageSink& sink) const override {
    FileTable page;
    page.AddFile(page.AddDirectory(""), kPath, {1, 0});
    ListingReport report;
    report.files = 1;
    ARROW_RETURN_NOT_OK(sink(std::move(page)).status());
    return report;
  }

 private:
  const std::shared_ptr<arrow::fs::FileSystem> filesystem_ = std::make_shared<TableFileSystem>();
};

}  // namespace

arrow::Result<std::shared_ptr<Dataset>> OpenTable(std::shared_ptr<arrow::Table> table) {
  if (!table) return Status::Invalid("No table is given");
  arrow::TableBatchReader reader(*table);
  ARROW_ASSIGN_OR_RAISE(auto batches, reader.ToRecordBatches());
  std::erase_if(batches, [](const auto& batch) { return batch->num_rows() == 0; });
  OpenOptions options;
  options.partitioning = MakeNoPartitioning();
  options.virtual_columns = {"", "", "", "", ""};  // there is no file
  options.file_format = std::make_shared<const TableFormat>(
      std::make_shared<const TableFacts>(table->schema(), std::move(batches)));
  return Dataset::OpenSource(std::make_shared<const TableSource>(), std::move(options));
}

}  // namespace shoal
