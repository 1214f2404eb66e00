#include "runtime/recycling_pool.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace shoal::runtime {

namespace {

constexpr int64_t kLarge = 64 << 10;
/// Kept for later at most. Half of it costs twice the page faults in a scan of wide rows, twice as
/// much gains little.
constexpr int64_t kKeep = 64 << 20;
/// Before each large block lies its size, in as many bytes as keep the block aligned.
constexpr int64_t kHeader = arrow::kDefaultBufferAlignment;

#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer watches over what its own allocator hands out.
constexpr bool kRecycles = false;
#else
constexpr bool kRecycles = true;
#endif

/// Whether a block is recycled. Follows from what is known again when the block is freed.
bool IsRecycled(int64_t size, int64_t alignment) {
  return kRecycles && size >= kLarge && alignment <= kHeader;
}

/// Sizes in four steps for each doubling, so that blocks of nearly equal size can stand in for each
/// other.
int64_t BlockSize(int64_t size) {
  const auto wanted = static_cast<uint64_t>(size + kHeader);
  const uint64_t step = std::max<uint64_t>(std::bit_floor(wanted) / 4, 4096);
  return static_cast<int64_t>((wanted + step - 1) / step * step);
}

int64_t& SizeOf(uint8_t* block) { return *reinterpret_cast<int64_t*>(block); }

}  // namespace

struct RecyclingPool::State {
  mutable std::mutex mutex;
  std::vector<uint8_t*> unused;  // the one freed last at the end
  int64_t unused_bytes = 0;
  int64_t leases = 0;

  std::atomic<int64_t> allocated{0}, most{0}, total{0}, allocations{0};

  void Count(int64_t change) {
    const int64_t now = allocated += change;
    if (change <= 0) return;
    total += change;
    ++allocations;
    for (int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
  }

  uint8_t* Take(int64_t block_size) {
    std::lock_guard lock(mutex);
    // What was freed last is most likely still in a cache.
    auto it = std::find_if(unused.rbegin(), unused.rend(),
                           [&](uint8_t* block) { return SizeOf(block) == block_size; });
    if (it == unused.rend()) return nullptr;
    uint8_t* block = *it;
    unused.erase(std::next(it).base());
    unused_bytes -= block_size;
    return block;
  }

  void Put(uint8_t* block) {
    std::vector<uint8_t*> dropped;
    {
      std::lock_guard lock(mutex);
      unused.push_back(block);
      unused_bytes += SizeOf(block);
      // Batches that outlive all scans leave nothing behind.
      const int64_t keep = leases > 0 ? kKeep : 0;
      auto first = unused.begin();
      for (; unused_bytes > keep; ++first) unused_bytes -= SizeOf(*first);
      dropped.assign(unused.begin(), first);
      unused.erase(unused.begin(), first);
    }
    for (uint8_t* old : dropped) ::munmap(old, SizeOf(old));
  }

  void Clear() {
    std::vector<uint8_t*> dropped;
    {
      std::lock_guard lock(mutex);
      dropped.swap(unused);
      unused_bytes = 0;
    }
    for (uint8_t* old : dropped) ::munmap(old, SizeOf(old));
  }
};

RecyclingPool::RecyclingPool() : state_(std::make_unique<State>()) {
  // A child forked while another thread holds the lock could never free a batch.
  ::pthread_atfork([] { Instance().state_->mutex.lock(); },
                   [] { Instance().state_->mutex.unlock(); },
                   [] { Instance().state_->mutex.unlock(); });
}
RecyclingPool::~RecyclingPool() = default;

RecyclingPool& RecyclingPool::Instance() {
  static auto* instance = new RecyclingPool;
  return *instance;
}

RecyclingPool::Lease::Lease() {
  State& state = *Instance().state_;
  std::lock_guard lock(state.mutex);
  ++state.leases;
}

RecyclingPool::Lease::~Lease() {
  State& state = *Instance().state_;
  bool last;
  {
    std::lock_guard lock(state.mutex);
    last = --state.leases == 0;
  }
  if (last) state.Clear();
}

arrow::Status RecyclingPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  if (!IsRecycled(size, alignment)) {
    ARROW_RETURN_NOT_OK(arrow::default_memory_pool()->Allocate(size, alignment, out));
    state_->Count(size);
    return arrow::Status::OK();
  }
  if (size > int64_t{1} << 46)
    return arrow::Status::OutOfMemory("malloc of size ", size, " failed");
  const int64_t block_size = BlockSize(size);
  uint8_t* block = state_->Take(block_size);
  if (!block) {
    void* fresh =
        ::mmap(nullptr, block_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return arrow::Status::OutOfMemory("malloc of size ", size, " failed");
    block = static_cast<uint8_t*>(fresh);
    SizeOf(block) = block_size;
  }
  *out = block + kHeader;
  state_->Count(size);
  return arrow::Status::OK();
}

arrow::Status RecyclingPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                        uint8_t** block) {
  const bool was_recycled = IsRecycled(old_size, alignment),
             is_recycled = IsRecycled(new_size, alignment);
  if (!was_recycled && !is_recycled) {
    ARROW_RETURN_NOT_OK(
        arrow::default_memory_pool()->Reallocate(old_size, new_size, alignment, block));
    state_->Count(new_size - old_size);
    return arrow::Status::OK();
  }
  // In place, unless most of the block would lie idle.
  if (was_recycled && is_recycled && new_size + kHeader <= SizeOf(*block - kHeader) &&
      BlockSize(new_size) >= SizeOf(*block - kHeader) / 2) {
    state_->Count(new_size - old_size);
    return arrow::Status::OK();
  }
  uint8_t* moved;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
  std::memcpy(moved, *block, std::min(old_size, new_size));
  Free(*block, old_size, alignment);
  *block = moved;
  return arrow::Status::OK();
}

void RecyclingPool::Free(uint8_t* block, int64_t size, int64_t alignment) {
  state_->Count(-size);
  if (IsRecycled(size, alignment)) {
    state_->Put(block - kHeader);
  } else {
    arrow::default_memory_pool()->Free(block, size, alignment);
  }
}

void RecyclingPool::ReleaseUnused() {
  state_->Clear();
  arrow::default_memory_pool()->ReleaseUnused();
}

int64_t RecyclingPool::bytes_allocated() const { return state_->allocated; }
int64_t RecyclingPool::max_memory() const { return state_->most; }
int64_t RecyclingPool::total_bytes_allocated() const { return state_->total; }
int64_t RecyclingPool::num_allocations() const { return state_->allocations; }
int64_t RecyclingPool::unused_bytes() const {
  std::lock_guard lock(state_->mutex);
  return state_->unused_bytes;
}

}  // namespace shoal::runtime
