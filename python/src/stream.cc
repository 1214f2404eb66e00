#include "stream.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <unistd.h>

#include "interruptible.h"

namespace shoal::python {

struct Stream::Core {
  std::shared_ptr<PyObject> kept;  // first: it is let go of last
  const pid_t process = getpid();
  arrow::StopSource stop;
  std::unique_ptr<BatchStream> stream;
  std::mutex taking;  // BatchStream has one consumer at a time
  std::atomic<bool> closed{false};

  ~Core();
  void Close() {
    closed = true;
    stream->Close();
  }
};

namespace {

constexpr std::chrono::milliseconds kLeftBehind{500};

/// The streams that are open, by address.
template <typename Core>
struct OpenStreams {
  std::mutex mutex;
  std::unordered_map<const Core*, std::weak_ptr<Core>> streams;

  static OpenStreams& Get() {
    static auto* all = new OpenStreams;
    return *all;
  }
};

}  // namespace

Stream::Core::~Core() {
  auto& all = OpenStreams<Core>::Get();
  std::lock_guard lock(all.mutex);
  all.streams.erase(this);
}

arrow::Result<std::shared_ptr<Stream>> Stream::Open(Opener open) {
  auto core = std::make_shared<Core>();
  ARROW_RETURN_NOT_OK(RunInterruptible(core->stop, [core, open = std::move(open)] {
    return open(core->stop.token()).Value(&core->stream);
  }));
  return Wrap(std::move(core));
}

arrow::Result<std::vector<std::shared_ptr<Stream>>> Stream::OpenMany(ManyOpener open) {
  arrow::StopSource stop;
  using Opened = std::vector<std::unique_ptr<BatchStream>>;
  ARROW_ASSIGN_OR_RAISE(auto opened, Interruptible<Opened>(stop, std::move(open)));
  std::vector<std::shared_ptr<Stream>> streams;
  for (auto& stream : opened) {
    auto core = std::make_shared<Core>();
    core->stop = stop;
    core->stream = std::move(stream);
    streams.push_back(Wrap(std::move(core)));
  }
  return streams;
}

std::shared_ptr<Stream> Stream::Wrap(std::shared_ptr<Core> core) {
  {
    auto& all = OpenStreams<Core>::Get();
    std::lock_guard lock(all.mutex);
    all.streams.emplace(core.get(), core);
  }
  return std::shared_ptr<Stream>(new Stream(std::move(core)));
}

Stream::Stream(std::shared_ptr<Core> core) : core_(std::move(core)) {}

Stream::~Stream() {
  if (core_->process != getpid()) {
    // Its threads are the parent's. Waiting for them here would be forever.
    new std::shared_ptr<Core>(std::move(core_));
    return;
  }
  GilReleased released;
  core_->Close();
  core_.reset();
}

arrow::Status Stream::CheckProcess() const {
  if (core_->process == getpid()) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "This stream was started by process ", core_->process,
      " and can't be read after fork: ", "start the scan in the process that reads it");
}

std::shared_ptr<arrow::Schema> Stream::schema() const { return core_->stream->schema(); }

arrow::Status Stream::ReadNext(std::shared_ptr<arrow::RecordBatch>* out) {
  ARROW_RETURN_NOT_OK(CheckProcess());
  auto batch = Interruptible<std::shared_ptr<arrow::RecordBatch>>(
      core_->stop,
      [core =
           core_](const arrow::StopToken&) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
        std::lock_guard lock(core->taking);
        if (core->closed) return arrow::Status::Invalid("The stream is closed");
        return core->stream->Next();
      });
  return std::move(batch).Value(out);
}

arrow::Status Stream::Close() {
  if (core_->process != getpid())
    return arrow::Status::OK();  // it is the parent's, who goes on reading
  GilReleased released;
  core_->Close();
  return arrow::Status::OK();
}

arrow::Result<ScanMetrics> Stream::metrics() const {
  ARROW_RETURN_NOT_OK(CheckProcess());
  return core_->stream->metrics();
}

void Stream::Keep(PyObject* used) {
  Py_INCREF(used);
  core_->kept = std::shared_ptr<PyObject>(used, [](PyObject* object) {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(object);
    PyGILState_Release(state);
  });
}

void Stream::CloseAll() {
  GilReleased released;
  std::vector<std::shared_ptr<Core>> open;
  {
    auto& all = OpenStreams<Core>::Get();
    std::lock_guard lock(all.mutex);
    for (const auto& [address, stream] : all.streams) {
      if (auto core = stream.lock(); core && core->process == getpid())
        open.push_back(std::move(core));
    }
  }
  for (const auto& core : open) {
    core->stop.RequestStop();
    core->Close();
  }
  open.clear();
  // What was left behind may be inside a filesystem that is made in Python. When the interpreter is
  // being taken down, a thread that comes back from there ends the process with an error.
  const auto end = std::chrono::steady_clock::now() + kLeftBehind;
  WaitForAbandonedReads(kLeftBehind);
  WaitForLeftWork(std::chrono::duration_cast<std::chrono::milliseconds>(
      end - std::chrono::steady_clock::now()));
}

}  // namespace shoal::python
