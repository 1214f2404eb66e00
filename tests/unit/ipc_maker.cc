#include "ipc_maker.h"

#include <algorithm>
#include <sstream>

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/compression.h>

#include "must.h"

namespace shoal::oracle {

std::string RandomIpcExtension(Random& random) { return random.Chance(0.6) ? ".arrow" : ".arrows"; }

bool IsIpcPath(const std::string& path) {
  return path.ends_with(".arrow") || path.ends_with(".arrows");
}

std::string WriteRandomIpc(const arrow::Table& table, const std::string& path, Random& random) {
  arrow::ipc::IpcWriteOptions options;
  // Files have one dictionary a column.
  options.unify_dictionaries = true;
  std::ostringstream chosen;
  const auto compression = random.Pick<arrow::Compression::type>(
      {arrow::Compression::UNCOMPRESSED, arrow::Compression::UNCOMPRESSED,
       arrow::Compression::LZ4_FRAME, arrow::Compression::ZSTD});
  if (compression != arrow::Compression::UNCOMPRESSED)
    options.codec = Must(arrow::util::Codec::Create(compression));
  options.alignment = random.Pick<int32_t>({8, 64});
  options.emit_dictionary_deltas = random.Chance(0.5);
  const int64_t batch_rows =
      std::max<int64_t>(random.Pick<int64_t>({1, 7, 50, 300, 1 << 20}), table.num_rows() / 40 + 1);
  chosen << table.num_rows() << " rows, batches of " << batch_rows << ", compression "
         << static_cast<int>(compression);
  auto sink = Must(arrow::io::FileOutputStream::Open(path));
  auto writer =
      Must(path.ends_with(".arrows") ? arrow::ipc::MakeStreamWriter(sink, table.schema(), options)
                                     : arrow::ipc::MakeFileWriter(sink, table.schema(), options));
  Must(writer->WriteTable(table, batch_rows));
  Must(writer->Close());
  Must(sink->Close());
  return chosen.str();
}

arrow::Result<std::shared_ptr<arrow::Table>> ReadIpc(
    const std::string& path, const std::optional<std::vector<int>>& row_groups) {
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(path));
  if (path.ends_with(".arrows")) {
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(input));
    ARROW_ASSIGN_OR_RAISE(auto table, reader->ToTable());
    return row_groups && row_groups->empty() ? table->Slice(0, 0) : table;
  }
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(input));
  arrow::RecordBatchVector batches;
  for (int i = 0; i < reader->num_record_batches(); ++i) {
    const bool wanted =
        !row_groups || std::find(row_groups->begin(), row_groups->end(), i) != row_groups->end();
    if (!wanted) continue;
    ARROW_ASSIGN_OR_RAISE(batches.emplace_back(), reader->ReadRecordBatch(i));
  }
  return arrow::Table::FromRecordBatches(reader->schema(), batches);
}

}  // namespace shoal::oracle
