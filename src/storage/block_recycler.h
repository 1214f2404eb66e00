// Large read buffers that are used again.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>

namespace shoal::storage {

/// Hands out buffers for reads and takes their memory back when they die, for the next read. A scan reads one row group
/// after another of much the same size; fresh memory for each costs a page fault per 4 KiB, and an allocator that keeps
/// what was freed by other threads would hold several of them. Thread-safe; buffers may outlive their recycler.
class BlockRecycler : public std::enable_shared_from_this<BlockRecycler> {
 public:
  /// Keeps at most `keep_bytes` of memory that is not in use.
  BlockRecycler(int64_t keep_bytes, arrow::MemoryPool* pool) : keep_bytes_(keep_bytes), pool_(pool) {}
  ~BlockRecycler();

  /// Writable, of exactly `size` bytes.
  arrow::Result<std::shared_ptr<arrow::MutableBuffer>> Allocate(int64_t size);

 private:
  struct Block {
    uint8_t* data;
    int64_t size;
  };
  class RecycledBuffer;
  void TakeBack(Block block);

  const int64_t keep_bytes_;
  arrow::MemoryPool* pool_;
  std::mutex mutex_;
  std::vector<Block> free_;
  int64_t free_bytes_ = 0;
};

}  // namespace shoal::storage
