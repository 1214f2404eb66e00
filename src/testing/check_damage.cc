#include <atomic>
#include <numeric>

#include "testing/damage.h"
#include "testing/laws.h"
#include "testing/memory_file.h"

namespace shoal::testing {

namespace {

using arrow::Status;

/// Batches that no damaged sample has unless it claims them.
constexpr int64_t kMaxBatches = 10'000;

/// Refuses what is too large, and remembers that it was asked for.
class BoundedPool final : public arrow::MemoryPool {
 public:
  explicit BoundedPool(int64_t limit) : limit_(limit) {}
  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(Check(size));
    return pool_->Allocate(size, alignment, out);
  }
  Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** p) override {
    ARROW_RETURN_NOT_OK(Check(new_size));
    return pool_->Reallocate(old_size, new_size, alignment, p);
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    pool_->Free(buffer, size, alignment);
  }
  int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return pool_->num_allocations(); }
  std::string backend_name() const override { return "bounded"; }
  int64_t refused() const { return refused_; }

 private:
  Status Check(int64_t size) {
    if (size <= limit_) return Status::OK();
    refused_ = size;
    return Status::OutOfMemory("more is asked for at once than a sample may take: ", size);
  }
  arrow::MemoryPool* const pool_ = arrow::default_memory_pool();
  const int64_t limit_;
  std::atomic<int64_t> refused_{0};
};

/// Whether all that the batch refers to is there. What a value means may be nonsense: text other
/// than UTF-8, a time of day beyond midnight.
Status CheckSafe(const arrow::RecordBatch& batch) {
  Status valid = batch.ValidateFull();
  for (const char* nonsense : {"UTF8", "precision", "within", "represent a date", "day"}) {
    if (valid.message().find(nonsense) != std::string::npos) return Status::OK();
  }
  return valid;
}

/// Reads everything and touches all of it.
Status ReadAll(MemoryFile& file) {
  ARROW_ASSIGN_OR_RAISE(auto facts, file.Facts());
  std::vector<int> leaves(NumLeaves(*facts->schema()));
  std::iota(leaves.begin(), leaves.end(), 0);
  ARROW_RETURN_NOT_OK(facts->Bounds(leaves).status());
  ARROW_RETURN_NOT_OK(facts->DeclaredOrder().status());
  for (int group = 0; group < facts->num_row_groups(); ++group) {
    MemoryFile::Request request{{group}, leaves, 1000, kMaxBatches};
    auto batches = file.Read(facts, request);
    if (batches.status().IsCancelled()) return Status::OK();
    ARROW_RETURN_NOT_OK(batches.status());
    for (const auto& batch : *batches) {
      const Status safe = CheckSafe(*batch);
      if (!safe.ok()) return Status::UnknownError("an unsound batch is read: ", safe.message());
    }
  }
  return Status::OK();
}

}  // namespace

Status CheckDamage(const FormatConformance& conformance, const SampleFile& sample) {
  int errors = 0;
  for (int i = 0; i < conformance.mutations; ++i) {
    const uint32_t seed = conformance.seed * 100'003 + static_cast<uint32_t>(i);
    const std::string which = "damaged with seed " + std::to_string(seed);
    BoundedPool pool(conformance.max_allocation);
    MemoryFile file(conformance.format, Damager(seed).Damage(sample.bytes), &pool);
    const Status status = ReadAll(file);
    if (pool.refused() > 0) {
      return Broken(sample.name, which, ": ", pool.refused(), " bytes are asked for at once");
    }
    if (status.ok()) continue;
    ++errors;
    if (status.message().find(MemoryFile::kPath) == std::string::npos) {
      return Broken(sample.name, which, ": the error does not name the file: ", status.ToString());
    }
    if (status.message().size() > 4000)
      return Broken(sample.name, which, ": the error is ", status.message().size(), " bytes long");
  }
  if (conformance.detects_damage && conformance.mutations >= 50 && errors == 0)
    return Broken(sample.name, "no damage is ever an error");
  return Status::OK();
}

}  // namespace shoal::testing
