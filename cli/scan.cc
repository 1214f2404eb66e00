// scan: the rows, written.
#include <shoal/dataset.h>
#include <unistd.h>

#include "cache_warning.h"
#include "exit_status.h"
#include "interrupt.h"
#include "output_format.h"
#include "output_target.h"
#include "progress.h"
#include "scan_stats.h"
#include "verb.h"

namespace shoal::cli {

namespace {

arrow::Status Copy(BatchStream* from, BatchWriter* to, arrow::io::OutputStream* through,
                   bool flush_often) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, from->Next());
    if (!batch) return to->Finish();
    ARROW_RETURN_NOT_OK(to->Write(batch));
    // Whoever reads a pipe gets rows as they come.
    if (flush_often) ARROW_RETURN_NOT_OK(through->Flush());
  }
}

}  // namespace

arrow::Status RunScan(const Arguments& arguments) {
  const bool to_stdout = arguments.output == "-";
  ARROW_ASSIGN_OR_RAISE(const OutputFormat format, FormatOfOutput(arguments.to, arguments.output));
  const bool to_terminal = to_stdout && isatty(STDOUT_FILENO) != 0;
  if (to_terminal && !IsText(format)) {
    return UsageError("--to ", arguments.to,
                      " is not for a terminal; name a file with --output, or a pipe");
  }
  ARROW_RETURN_NOT_OK(CheckOutputPath(arguments.output, arguments.force));

  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  if (arguments.force) ARROW_RETURN_NOT_OK(CheckIsNoInput(arguments.output, *dataset));
  ScanOptions reading = arguments.reading;
  reading.stop = StopOnSignal();
  ARROW_ASSIGN_OR_RAISE(auto stream, dataset->Scan(arguments.request, reading));
  ARROW_ASSIGN_OR_RAISE(auto target, OutputTarget::Open(arguments.output, arguments.force));
  ARROW_ASSIGN_OR_RAISE(auto writer, MakeBatchWriter(format, stream->schema(), target->stream()));
  {
    const Progress progress(arguments.progress && !to_stdout, [&] { return stream->metrics(); });
    const arrow::Status copied = Copy(stream.get(), writer.get(), target->stream(), to_stdout);
    if (!copied.ok()) {
      target->Abandon();
      return copied;
    }
  }
  ARROW_RETURN_NOT_OK(target->Commit());
  WarnOfCache(*dataset);
  TellOfReading(stream->metrics(), arguments);
  return arrow::Status::OK();
}

}  // namespace shoal::cli
