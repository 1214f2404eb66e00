#include "storage/block_recycler.h"

#include <algorithm>

#include <arrow/util/bit_util.h>

namespace shoal::storage {

namespace {

/// Blocks come in multiples of this, so that reads of nearly equal size can share them.
constexpr int64_t kStep = 1 << 20;
/// Smaller reads are left to the allocator, which is good at them.
constexpr int64_t kSmall = 256 << 10;

}  // namespace

/// Gives its block back to the recycler, or to the pool if that is gone.
class BlockRecycler::RecycledBuffer final : public arrow::MutableBuffer {
 public:
  RecycledBuffer(Block block, int64_t size, arrow::MemoryPool* pool, std::weak_ptr<BlockRecycler> owner)
      : MutableBuffer(block.data, size), block_(block), pool_(pool), owner_(std::move(owner)) {}
  ~RecycledBuffer() override {
    if (auto owner = owner_.lock()) {
      owner->TakeBack(block_);
    } else {
      pool_->Free(block_.data, block_.size);
    }
  }

 private:
  Block block_;
  arrow::MemoryPool* pool_;
  std::weak_ptr<BlockRecycler> owner_;
};

BlockRecycler::~BlockRecycler() {
  for (const Block& block : free_) pool_->Free(block.data, block.size);
}

arrow::Result<std::shared_ptr<arrow::MutableBuffer>> BlockRecycler::Allocate(int64_t size) {
  if (size < kSmall) {
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(size, pool_));
    return std::shared_ptr<arrow::MutableBuffer>(static_cast<arrow::MutableBuffer*>(buffer.release()));
  }
  Block block{nullptr, arrow::bit_util::RoundUp(size, kStep)};
  {
    std::lock_guard lock(mutex_);
    // The smallest that is large enough, but not one of which most would lie idle.
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->size < size || it->size > 2 * block.size) continue;
      if (best == free_.end() || it->size < best->size) best = it;
    }
    if (best != free_.end()) {
      block = *best;
      free_bytes_ -= block.size;
      free_.erase(best);
    }
  }
  if (!block.data) ARROW_RETURN_NOT_OK(pool_->Allocate(block.size, &block.data));
  return std::make_shared<RecycledBuffer>(block, size, pool_, weak_from_this());
}

void BlockRecycler::TakeBack(Block block) {
  {
    std::lock_guard lock(mutex_);
    if (free_bytes_ + block.size <= keep_bytes_) {
      free_.push_back(block);
      free_bytes_ += block.size;
      return;
    }
  }
  pool_->Free(block.data, block.size);
}

}  // namespace shoal::storage
