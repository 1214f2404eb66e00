// Memory that is used again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/memory_pool.h>

namespace shoal::runtime {

/// A memory pool for what a scan reads and decodes: it keeps large blocks that were freed, up to a
/// limit, and hands them out again. A scan makes batch after batch of much the same size. Fresh
/// memory for each would cost a page fault per 4 KiB, and general allocators hold on to what one
/// thread allocated and another freed, without a limit. Small blocks are left to Arrow's default
/// pool, which is good at them.
///
/// One for the process, because batches outlive their scans; never destroyed. Thread-safe, also
/// across fork().
class RecyclingPool final : public arrow::MemoryPool {
 public:
  static RecyclingPool& Instance();

  /// Held by each scan that uses the pool: when the last one goes, memory that is not in use
  /// returns to the system.
  class Lease {
   public:
    Lease();
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
  };

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** block) override;
  void Free(uint8_t* block, int64_t size, int64_t alignment) override;
  void ReleaseUnused() override;

  int64_t bytes_allocated() const override;
  int64_t max_memory() const override;
  int64_t total_bytes_allocated() const override;
  int64_t num_allocations() const override;
  std::string backend_name() const override { return "shoal"; }
  /// Memory that is kept for later.
  int64_t unused_bytes() const;

 private:
  RecyclingPool();
  ~RecyclingPool() override;
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace shoal::runtime
