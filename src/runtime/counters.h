// Counters of one scan or plan, bumped from many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <shoal/store_requests.h>

namespace shoal::runtime {

/// What reading cost and did. Figures for reports: nothing is decided on them, and read while the
/// work goes on, they need not agree with each other.
struct Counters {
  std::atomic<int64_t> files_opened{0};
  std::atomic<int64_t> footers_cached{0};
  std::atomic<int64_t> requests{0};
  std::atomic<int64_t> bytes_read{0};
  std::atomic<int64_t> files_pruned{0};
  std::atomic<int64_t> row_groups_read{0};
  std::atomic<int64_t> row_groups_pruned{0};
  std::atomic<int64_t> rows_decoded{0};
  /// Of stores only; repetitions are counted where they are made.
  std::atomic<int64_t> heads{0}, gets{0}, get_bytes{0};

  StoreRequests store_requests() const { return {.head = heads, .get = gets, .bytes = get_bytes}; }

  void AddSkipped(std::string what) {
    std::lock_guard lock(mutex);
    skipped.push_back(std::move(what));
  }
  std::vector<std::string> Skipped() const {
    std::lock_guard lock(mutex);
    return skipped;
  }
  void AddUnseen(std::string what) {
    std::lock_guard lock(mutex);
    unseen_before.push_back(std::move(what));
  }
  /// A column that is not read, and a file that has it. Which file and which columns are told does
  /// not depend on what came first.
  void AddUnseen(const std::string& column, const std::string& path) {
    std::lock_guard lock(mutex);
    const auto [at, added] = unseen.emplace(column, path);
    if (!added && path < at->second) at->second = path;
    if (unseen.size() <= kMostUnseen) return;
    unseen.erase(std::prev(unseen.end()));
    more_unseen = true;
  }
  std::vector<std::string> Unseen() const {
    std::lock_guard lock(mutex);
    std::vector<std::string> out = unseen_before;
    for (const auto& [column, path] : unseen)
      out.push_back("column '" + column + "' of '" + path + "'");
    if (more_unseen) out.emplace_back("each of more columns that are not named here");
    return out;
  }

 private:
  mutable std::mutex mutex;
  std::vector<std::string> unseen_before;
  // Where data stands in place of columns' names there is no end of them.
  static constexpr size_t kMostUnseen = 100;
  std::map<std::string, std::string> unseen;
  bool more_unseen = false;
  std::vector<std::string> skipped;
};

}  // namespace shoal::runtime
