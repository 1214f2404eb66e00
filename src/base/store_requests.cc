#include <shoal/store_requests.h>

#include "base/text.h"

namespace shoal {

StoreRequests& StoreRequests::operator+=(const StoreRequests& other) {
  list += other.list;
  head += other.head;
  get += other.get;
  retries += other.retries;
  bytes += other.bytes;
  return *this;
}

std::string StoreRequests::ToString() const {
  std::string out;
  const auto add = [&](int64_t n, const std::string& what) {
    if (n > 0) out += (out.empty() ? "" : ", ") + std::to_string(n) + " " + what;
  };
  add(list, "LIST");
  add(head, "HEAD");
  add(get, "GET (" + base::Bytes(bytes) + ")");
  add(retries, retries == 1 ? "retry" : "retries");
  return out.empty() ? "none" : out;
}

}  // namespace shoal
