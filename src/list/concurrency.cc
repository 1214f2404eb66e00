#include "list/concurrency.h"

#include <system_error>

#include "runtime/lingering_thread.h"

namespace shoal::list {

size_t StartDetached(size_t threads, const std::function<void()>& work) {
  for (size_t i = 0; i < threads; ++i) {
    try {
      runtime::LingeringThread(work).Abandon();
    } catch (const std::system_error&) {
      return i;
    }
  }
  return threads;
}

}  // namespace shoal::list
