// Filters over keys that tell what a test wants to see kept.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <shoal/listing.h>

namespace shoal::testing {

using KeyTest = std::function<bool(const std::optional<std::string>& value)>;

/// Keeps what passes the test of each key, and what has no such key yet.
inline KeyFilter Where(std::map<std::string, KeyTest> tests) {
  return [tests](const KeyTable& keys) -> arrow::Result<std::vector<bool>> {
    std::vector<bool> keep(keys.num_rows, true);
    for (const auto& [name, test] : tests) {
      const KeyColumn* column = keys.Find(name);
      for (int64_t i = 0; column != nullptr && i < keys.num_rows; ++i) {
        if (column->index[i] != KeyColumn::kAbsent && !test(column->distinct[column->index[i]]))
          keep[i] = false;
      }
    }
    return keep;
  };
}

inline KeyTest Is(std::string wanted) {
  return [wanted](const std::optional<std::string>& value) { return value == wanted; };
}

/// Keeps what has just these values.
inline KeyFilter WhereEqual(const std::vector<PartitionKey>& values) {
  std::map<std::string, KeyTest> tests;
  for (const auto& key : values) tests[key.name] = Is(*key.value);
  return Where(std::move(tests));
}

}  // namespace shoal::testing
