// Waiting for C++ work without holding up Python.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <Python.h>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/cancel.h>

namespace shoal::python {

/// Gives up the GIL within a scope, if this thread holds it. Callers through the C stream interface
/// may or may not hold it; whoever waits while holding it waits forever for a filesystem that is
/// made in Python.
class GilReleased {
 public:
  GilReleased()
      : state_(Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr) {}
  ~GilReleased() {
    if (state_) PyEval_RestoreThread(state_);
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

/// Runs `work` to its end and lets Python's signal handlers run meanwhile: called from the main
/// thread, the work is done by another thread, while this one looks for signals twenty times a
/// second. If a handler raises, `stop` is told, and the exception is returned, as a status that
/// pyarrow turns back into it. Work that does not end within half a second after that is left to
/// itself: it must own all that it uses.
arrow::Status RunInterruptible(arrow::StopSource stop, std::function<arrow::Status()> work);

/// Waits, at most so long, for work that was left to itself.
void WaitForLeftWork(std::chrono::milliseconds at_most);

/// RunInterruptible for work that has a result.
template <typename T>
arrow::Result<T> Interruptible(arrow::StopSource stop,
                               std::function<arrow::Result<T>(arrow::StopToken)> work) {
  auto result = std::make_shared<std::optional<T>>();
  ARROW_RETURN_NOT_OK(
      RunInterruptible(stop, [result, work = std::move(work), token = stop.token()] {
        // Nothing here should throw; if it does all the same, that is an error, not the end of the
        // interpreter.
        try {
          ARROW_ASSIGN_OR_RAISE(*result, work(token));
        } catch (const std::bad_alloc&) {
          return arrow::Status::OutOfMemory("there is not enough memory");
        } catch (const std::exception& error) {
          return arrow::Status::UnknownError("shoal has met a fault of its own: ", error.what());
        }
        return arrow::Status::OK();
      }));
  return std::move(**result);
}

template <typename T>
arrow::Result<T> Interruptible(std::function<arrow::Result<T>(arrow::StopToken)> work) {
  return Interruptible<T>(arrow::StopSource(), std::move(work));
}

}  // namespace shoal::python
