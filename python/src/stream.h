// A running scan, as Python holds it.
#pragma once

#include <Python.h>

#include <functional>
#include <memory>
#include <vector>

#include <sys/types.h>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/scan.h>

namespace shoal::python {

/// A BatchStream that fits into Python: waiting for a batch lets signal handlers run and needs no
/// GIL, several threads may take batches in turn, a child of fork() is refused, and what is open
/// when the interpreter ends is closed then.
class Stream final : public arrow::RecordBatchReader {
 public:
  using Opener = std::function<arrow::Result<std::unique_ptr<BatchStream>>(arrow::StopToken)>;
  static arrow::Result<std::shared_ptr<Stream>> Open(Opener open);
  /// Several that belong together: what interrupts one stops all.
  using ManyOpener =
      std::function<arrow::Result<std::vector<std::unique_ptr<BatchStream>>>(arrow::StopToken)>;
  static arrow::Result<std::vector<std::shared_ptr<Stream>>> OpenMany(ManyOpener open);
  ~Stream() override;

  std::shared_ptr<arrow::Schema> schema() const override;
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override;
  arrow::Status Close() override;
  arrow::Result<ScanMetrics> metrics() const;
  /// Something that the scan uses, its memory pool: kept alive as long as anything of the scan is,
  /// whoever holds it. Needs the GIL.
  void Keep(PyObject* used);

  /// Closes all streams that are open, and waits up to half a second for reads that were left
  /// behind. For the end of the interpreter: threads that read through a filesystem made in Python
  /// must have ended by then.
  static void CloseAll();

 private:
  struct Core;
  explicit Stream(std::shared_ptr<Core> core);
  static std::shared_ptr<Stream> Wrap(std::shared_ptr<Core> core);
  arrow::Status CheckProcess() const;
  // Shared with calls that were interrupted and have not ended yet.
  std::shared_ptr<Core> core_;
};

}  // namespace shoal::python
