// The order of the entries of a directory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace shoal::list {

/// By the bytes of the full paths of all that an entry stands for: a directory's go on with `/`.
inline bool NameLess(std::string_view a, bool a_is_directory, std::string_view b,
                     bool b_is_directory) {
  const size_t common = std::min(a.size(), b.size());
  const int order = std::memcmp(a.data(), b.data(), common);
  if (order != 0) return order < 0;
  const auto next = [&](std::string_view name, bool is_directory) {
    if (name.size() > common) return static_cast<int>(static_cast<unsigned char>(name[common]));
    return is_directory ? static_cast<int>('/') : -1;
  };
  return next(a, a_is_directory) < next(b, b_is_directory);
}

/// Eight bytes of a name from `begin`, as a number that compares like them. Behind a name comes `/`
/// for a directory, else nothing.
inline uint64_t BytesFrom(std::string_view name, bool is_directory, size_t begin) {
  uint64_t out = 0;
  for (size_t i = begin; i < begin + sizeof(out); ++i) {
    const char c = i < name.size() ? name[i] : i == name.size() && is_directory ? '/' : '\0';
    out = out << 8 | static_cast<unsigned char>(c);
  }
  return out;
}

/// Sorts the entries of one directory. Their names mostly have a long beginning in common and
/// differ soon after it, so nearly every comparison is one of two numbers.
template <typename Entry, typename NameOf, typename IsDirectory>
void SortByName(std::vector<Entry>* entries, NameOf name_of, IsDirectory is_directory) {
  if (entries->size() < 2) return;
  const std::string_view first = name_of((*entries)[0]);
  size_t common = first.size();
  for (const Entry& entry : *entries) {
    const std::string_view name = name_of(entry);
    common = std::min(common, name.size());
    if (std::memcmp(name.data(), first.data(), common) == 0) continue;
    common =
        std::mismatch(first.begin(), first.begin() + common, name.begin()).first - first.begin();
  }
  struct Place {
    uint64_t bytes;
    uint32_t entry;
  };
  std::vector<Place> order(entries->size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    const Entry& entry = (*entries)[i];
    order[i] = {BytesFrom(name_of(entry), is_directory(entry), common), i};
  }
  const auto less = [&](const Place& a, const Place& b) {
    if (a.bytes != b.bytes) return a.bytes < b.bytes;
    const Entry &x = (*entries)[a.entry], &y = (*entries)[b.entry];
    return NameLess(name_of(x), is_directory(x), name_of(y), is_directory(y));
  };
  if (std::is_sorted(order.begin(), order.end(), less)) return;
  std::sort(order.begin(), order.end(), less);
  std::vector<Entry> sorted;
  sorted.reserve(entries->size());
  for (const Place& place : order) sorted.push_back(std::move((*entries)[place.entry]));
  *entries = std::move(sorted);
}

}  // namespace shoal::list
