#include "base/local_version.h"

#include <cstdint>

namespace shoal::base {

namespace {

int64_t Nanoseconds(const struct timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Mixes well: each bit of the result depends on all bits of both.
uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15 + b;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93;
  return x ^ (x >> 32);
}

}  // namespace

FileVersion VersionOf(const struct stat& info) {
#ifdef __APPLE__
  const auto &modified = info.st_mtimespec, &changed = info.st_ctimespec;
#else
  const auto &modified = info.st_mtim, &changed = info.st_ctim;
#endif
  const uint64_t change = Mix(info.st_ino, static_cast<uint64_t>(Nanoseconds(changed)));
  // Not negative, so never "unknown".
  return {static_cast<int64_t>(info.st_size), Nanoseconds(modified),
          static_cast<int64_t>(change >> 1)};
}

}  // namespace shoal::base
