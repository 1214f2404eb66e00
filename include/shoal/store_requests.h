// What was asked of a store.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

/// Requests to a store, by kind; to the local disk there are none. They are counted as Arrow's
/// filesystems make them. Of a filesystem made in Python a directory counts as one list, a range of
/// a file as one get, whatever it does for them.
struct StoreRequests {
  int64_t list = 0;  // pages of names
  int64_t head = 0;  // looks at one object
  int64_t get = 0;   // objects, or ranges of them
  /// Requests made again, besides those above: by shoal, and on S3 by the client, if shoal opened
  /// it. Counted for the filesystem while the work went on, so other work at that time shows, too.
  int64_t retries = 0;
  int64_t bytes = 0;  // that the gets asked for

  int64_t total() const { return list + head + get + retries; }
  StoreRequests& operator+=(const StoreRequests& other);
  bool operator==(const StoreRequests&) const = default;
  /// `3 LIST, 12 GET (36.0 KiB)`; `none`.
  std::string ToString() const;
};

}  // namespace shoal
