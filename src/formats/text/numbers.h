// Numbers as they are written.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace shoal::formats::text {

/// Without blanks around it.
inline std::string_view Trimmed(std::string_view value) {
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  return value;
}

/// False for an integer that no double is. REQUIRES: it is a number.
inline bool IsExactDouble(std::string_view value) {
  constexpr double kInt64 = 9.2e18;  // what is a little less is an int64
  value = Trimmed(value);
  if (value.size() <= 15) return true;
  if (value[0] == '+') value.remove_prefix(1);
  const bool is_integer = std::all_of(value.begin() + (value[0] == '-'), value.end(),
                                      [](char c) { return c >= '0' && c <= '9'; });
  if (!is_integer) return true;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc()) return false;
  const auto as_double = static_cast<double>(number);
  return std::fabs(as_double) < kInt64 && static_cast<int64_t>(as_double) == number;
}

}  // namespace shoal::formats::text
