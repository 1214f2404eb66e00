// head: the first rows, as a table.
#include <iostream>
#include <string>
#include <utility>

#include <arrow/io/memory.h>
#include <shoal/dataset.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cache_warning.h"
#include "interrupt.h"
#include "json_text.h"
#include "output_format.h"
#include "output_target.h"
#include "progress.h"
#include "scan_stats.h"
#include "text_table.h"
#include "verb.h"

namespace shoal::cli {

namespace {

constexpr int64_t kDefaultRows = 10;
constexpr size_t kWidestCell = 40;

/// Cells in a line of the terminal that standard output is; 0 if it is none.
size_t TerminalWidth() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

TextTable MakeTable(const arrow::Schema& schema) {
  std::vector<TextTable::Column> columns;
  for (const auto& field : schema.fields()) {
    TextTable::Column column;
    AppendVisible(field->name(), &column.heading);
    column.type = field->type()->ToString();
    const arrow::Type::type id = field->type()->id();
    column.align_right = arrow::is_numeric(id) || arrow::is_decimal(id);
    columns.push_back(std::move(column));
  }
  return TextTable(std::move(columns));
}

arrow::Status AddRows(const arrow::RecordBatch& batch, TextTable* table) {
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    std::vector<std::string> cells(batch.num_columns());
    for (int c = 0; c < batch.num_columns(); ++c) {
      const arrow::Status status = AppendPlain(*batch.column(c), row, &cells[c]);
      if (!status.ok())
        return status.WithMessage("Column '", batch.column_name(c), "' ", status.message());
      // More would not be shown: rows may be many.
      cells[c] = Truncated(cells[c], kWidestCell);
    }
    table->AddRow(std::move(cells));
  }
  return arrow::Status::OK();
}

/// What is to be printed, and a remark for people.
struct Shown {
  std::string text;
  std::string remark = {};
};

arrow::Result<Shown> ShowTable(BatchStream* stream) {
  TextTable table = MakeTable(*stream->schema());
  int64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) break;
    rows += batch->num_rows();
    if (batch->num_columns() > 0) ARROW_RETURN_NOT_OK(AddRows(*batch, &table));
  }
  if (stream->schema()->num_fields() == 0) {
    return Shown{Count(rows, "row", "rows") + " without columns\n"};
  }
  table.Fit(kWidestCell, TerminalWidth());
  Shown shown{table.ToString()};
  if (const size_t more = table.columns_left_out(); more > 0) {
    shown.remark = "and " + Count(static_cast<int64_t>(more), "more column", "more columns") +
                   "; choose with --columns\n";
  }
  return shown;
}

/// One JSON array of the rows.
arrow::Result<Shown> ShowJson(BatchStream* stream) {
  ARROW_ASSIGN_OR_RAISE(auto lines, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(auto writer,
                        MakeBatchWriter(OutputFormat::kJsonLines, stream->schema(), lines.get()));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) break;
    ARROW_RETURN_NOT_OK(writer->Write(batch));
  }
  ARROW_RETURN_NOT_OK(writer->Finish());
  ARROW_ASSIGN_OR_RAISE(auto buffer, lines->Finish());
  // Only ends of lines are line breaks: those in values are escaped.
  std::string array = "[";
  std::string_view rest(*buffer);
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    array += array.size() > 1 ? ",\n" : "\n";
    array += rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  return Shown{array + (array.size() > 1 ? "\n]\n" : "]\n")};
}

}  // namespace

arrow::Status RunHead(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  ScanRequest request = arguments.request;
  if (!request.limit) request.limit = kDefaultRows;
  ScanOptions reading = arguments.reading;
  reading.stop = StopOnSignal();
  ARROW_ASSIGN_OR_RAISE(auto stream, dataset->Scan(request, reading));
  Shown shown;
  {
    const Progress progress(arguments.progress, [&] { return stream->metrics(); });
    ARROW_ASSIGN_OR_RAISE(shown, arguments.json ? ShowJson(stream.get()) : ShowTable(stream.get()));
  }
  ARROW_RETURN_NOT_OK(Print(shown.text));
  std::cerr << shown.remark;
  WarnOfCache(*dataset);
  TellOfReading(stream->metrics(), arguments);
  return arrow::Status::OK();
}

}  // namespace shoal::cli
