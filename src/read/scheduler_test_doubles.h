// What the scheduler's tests drive it with: files of numbers, units that read them, and a store
// that counts, waits, hangs and fails on demand.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>

#include <shoal/unit.h>

#include "temporary_directory.h"

namespace shoal::read {

/// How a store behaves. Set before use, apart from the gate.
struct StoreBehaviour {
  std::chrono::microseconds delay{0};  // of every read
  std::string hanging_path;            // reads of this file wait until Release()
  std::string failing_path;            // reads of this file fail

  std::atomic<int64_t> opens{0};
  std::atomic<int64_t> reads{0};
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> in_flight{0};
  std::atomic<int64_t> most_in_flight{0};

  void Release() {
    std::lock_guard lock(mutex);
    released = true;
    gate.notify_all();
  }
  void WaitUntilReleased() {
    std::unique_lock lock(mutex);
    gate.wait(lock, [&] { return released; });
  }

 private:
  std::mutex mutex;
  std::condition_variable gate;
  bool released = false;
};

/// Some file, seen through a store's behaviour.
class ObservedFile final : public arrow::io::RandomAccessFile {
 public:
  ObservedFile(std::string path, std::shared_ptr<arrow::io::RandomAccessFile> file,
               std::shared_ptr<StoreBehaviour> behaviour)
      : path_(std::move(path)), file_(std::move(file)), behaviour_(std::move(behaviour)) {}

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override {
    auto& b = *behaviour_;
    ++b.reads;
    b.bytes += length;
    const int64_t now = ++b.in_flight;
    for (int64_t most = b.most_in_flight;
         now > most && !b.most_in_flight.compare_exchange_weak(most, now);) {
    }
    if (b.delay.count() > 0) std::this_thread::sleep_for(b.delay);
    if (!b.hanging_path.empty() && path_ == b.hanging_path) b.WaitUntilReleased();
    --b.in_flight;
    if (!b.failing_path.empty() && path_ == b.failing_path) {
      return arrow::Status::IOError("'", path_, "': the store failed");
    }
    return file_->ReadAt(position, length);
  }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t length, void* out) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position, length));
    std::memcpy(out, buffer->data(), buffer->size());
    return buffer->size();
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t) override { return NotPositioned(); }
  arrow::Result<int64_t> Read(int64_t, void*) override { return NotPositioned(); }
  arrow::Status Seek(int64_t) override { return NotPositioned(); }
  arrow::Result<int64_t> Tell() const override { return NotPositioned(); }
  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }

 private:
  static arrow::Status NotPositioned() {
    return arrow::Status::NotImplemented("only ranges are read");
  }
  const std::string path_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<StoreBehaviour> behaviour_;
};

/// A directory of the local disk as a store that is not local.
class ObservedFilesystem final : public arrow::fs::SubTreeFileSystem {
 public:
  ObservedFilesystem(const std::string& directory, std::shared_ptr<StoreBehaviour> behaviour)
      : SubTreeFileSystem(directory, std::make_shared<arrow::fs::LocalFileSystem>()),
        behaviour_(std::move(behaviour)) {}
  std::string type_name() const override { return "observed"; }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const std::string& path) override {
    ++behaviour_->opens;
    ARROW_ASSIGN_OR_RAISE(auto file, SubTreeFileSystem::OpenInputFile(path));
    return std::make_shared<ObservedFile>(path, std::move(file), behaviour_);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const arrow::fs::FileInfo& info) override {
    return OpenInputFile(info.path());
  }

 private:
  std::shared_ptr<StoreBehaviour> behaviour_;
};

/// Reads numbers from a file that is nothing but int64 numbers, one batch for each range.
class NumbersUnit final : public Unit {
 public:
  struct Options {
    bool read_ahead = false;  // announce the next range
    int pieces = 1;           // ranges that one batch's bytes are asked for in
    int64_t decode_bytes = 0;
    uint32_t jitter_seed = 0;    // not 0: every step takes a random while
    int fail_at = -1;            // the batch that is an error instead
    bool empty_batches = false;  // an empty batch before each
    std::atomic<int64_t>* steps = nullptr;
  };
  NumbersUnit(std::shared_ptr<const SourceFile> file, std::vector<ByteRange> ranges,
              Options options)
      : Unit(std::move(file)),
        ranges_(std::move(ranges)),
        options_(options),
        random_(options.jitter_seed) {}

  arrow::Result<Step> Next(Resident got) override {
    if (options_.steps) ++*options_.steps;
    if (options_.jitter_seed != 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
    if (got.buffers.empty()) {
      if (next_ == ranges_.size()) return Done{};
      if (options_.empty_batches && !std::exchange(gave_empty_, true)) return Numbers({});
      return Need();
    }
    if (static_cast<int>(next_) == options_.fail_at) {
      return arrow::Status::IOError("'", file()->path, "': batch ", next_, " is unreadable");
    }
    std::string bytes;
    for (const auto& buffer : got.buffers) bytes += buffer->ToString();
    ++next_;
    gave_empty_ = false;
    return Numbers(bytes);
  }

  static Step Numbers(const std::string& bytes) {
    const auto rows = static_cast<int64_t>(bytes.size() / 8);
    auto values = std::make_shared<arrow::Int64Array>(rows, arrow::Buffer::FromString(bytes));
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::int64())}), rows,
                                    {values});
  }

 private:
  NeedBytes Need() const {
    NeedBytes need;
    const ByteRange& range = ranges_[next_];
    const int64_t piece = range.length / 8 / options_.pieces * 8;
    for (int i = 0; i < options_.pieces; ++i) {
      const int64_t begin = range.offset + i * piece;
      need.ranges.push_back({begin, i + 1 == options_.pieces ? range.end() - begin : piece});
    }
    if (options_.read_ahead && next_ + 1 < ranges_.size()) need.ahead = {ranges_[next_ + 1]};
    need.decode_bytes = options_.decode_bytes;
    return need;
  }

  const std::vector<ByteRange> ranges_;
  const Options options_;
  std::mt19937 random_;
  size_t next_ = 0;
  bool gave_empty_ = false;
};

/// Looks at the end of its file, then splits in two, `depth` times; at the bottom are NumbersUnits.
class SplittingUnit final : public Unit {
 public:
  SplittingUnit(std::shared_ptr<const SourceFile> file, std::vector<ByteRange> ranges, int depth,
                NumbersUnit::Options options)
      : Unit(std::move(file)), ranges_(std::move(ranges)), depth_(depth), options_(options) {}

  arrow::Result<Step> Next(Resident got) override {
    if (got.buffers.empty()) return NeedBytes{{ByteRange::Suffix(16)}};
    Split split;
    const auto middle = ranges_.begin() + static_cast<int64_t>(ranges_.size()) / 2;
    Add(&split, {ranges_.begin(), middle}, 1);
    Add(&split, {middle, ranges_.end()}, 2);
    return split;
  }

 private:
  void Add(Split* split, std::vector<ByteRange> ranges, uint32_t salt) const {
    NumbersUnit::Options options = options_;
    if (options.jitter_seed != 0) options.jitter_seed = options.jitter_seed * 2 + salt;
    if (depth_ > 1) {
      split->units.push_back(
          std::make_unique<SplittingUnit>(file(), std::move(ranges), depth_ - 1, options));
    } else {
      split->units.push_back(std::make_unique<NumbersUnit>(file(), std::move(ranges), options));
    }
  }

  const std::vector<ByteRange> ranges_;
  const int depth_;
  const NumbersUnit::Options options_;
};

/// Reads one range and announces the next, then splits into the rows of that one and a unit like it
/// for the others.
class ChainedUnit final : public Unit {
 public:
  ChainedUnit(std::shared_ptr<const SourceFile> file, std::vector<ByteRange> ranges)
      : Unit(std::move(file)), ranges_(std::move(ranges)) {}

  arrow::Result<Step> Next(Resident got) override {
    if (ranges_.empty()) return Done{};
    if (got.buffers.empty()) {
      NeedBytes need{{ranges_[0]}};
      if (ranges_.size() > 1) need.ahead = {ranges_[1]};
      return need;
    }
    Split split;
    split.units.push_back(std::make_unique<Rows>(file(), got.buffers[0]->ToString()));
    split.units.push_back(std::make_unique<ChainedUnit>(
        file(), std::vector<ByteRange>(ranges_.begin() + 1, ranges_.end())));
    return split;
  }

 private:
  class Rows final : public Unit {
   public:
    Rows(std::shared_ptr<const SourceFile> file, std::string bytes)
        : Unit(std::move(file)), bytes_(std::move(bytes)) {}
    arrow::Result<Step> Next(Resident) override {
      if (bytes_.empty()) return Done{};
      return NumbersUnit::Numbers(std::exchange(bytes_, {}));
    }

   private:
    std::string bytes_;
  };

  const std::vector<ByteRange> ranges_;
};

/// Splits into pieces made before, which must be of the same file.
class GivenPieces final : public Unit {
 public:
  GivenPieces(std::shared_ptr<const SourceFile> file, std::vector<std::unique_ptr<Unit>> pieces)
      : Unit(std::move(file)), pieces_(std::move(pieces)) {}
  arrow::Result<Step> Next(Resident) override { return Split{std::move(pieces_)}; }

 private:
  std::vector<std::unique_ptr<Unit>> pieces_;
};

/// Files 0, 1, ... of numbers that count on from file to file.
class NumberFiles {
 public:
  NumberFiles(int files, int64_t batches, int64_t rows_per_batch)
      : files_(files), batches_(batches), rows_(rows_per_batch) {
    int64_t value = 0;
    std::vector<int64_t> values(batches * rows_per_batch);
    for (int f = 0; f < files; ++f) {
      for (auto& v : values) v = value++;
      std::ofstream(directory_.path() / Name(f), std::ios::binary)
          .write(reinterpret_cast<const char*>(values.data()),
                 static_cast<int64_t>(values.size()) * 8);
    }
  }

  static std::string Name(int f) { return "numbers" + std::to_string(1000 + f); }
  std::string directory() const { return directory_.path(); }
  int files() const { return files_; }
  int64_t total_rows() const { return files_ * batches_ * rows_; }
  int64_t batch_bytes() const { return rows_ * 8; }

  std::shared_ptr<const SourceFile> Local(int f) const {
    return std::make_shared<const SourceFile>(
        SourceFile{std::make_shared<arrow::fs::LocalFileSystem>(), directory_.path() / Name(f)});
  }
  std::shared_ptr<const SourceFile> On(std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                       int f) const {
    return std::make_shared<const SourceFile>(SourceFile{std::move(filesystem), Name(f)});
  }
  std::vector<ByteRange> Ranges() const {
    std::vector<ByteRange> out;
    for (int64_t b = 0; b < batches_; ++b) out.push_back({b * batch_bytes(), batch_bytes()});
    return out;
  }

 private:
  testing::TemporaryDirectory directory_;
  const int files_;
  const int64_t batches_, rows_;
};

}  // namespace shoal::read
