// Numbers as they are written.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace shoal::formats::text {

/// Without blanks around it.
inline std::string_view Trimmed(std::string_view value) {
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  return value;
}

/// Whether a number is beyond the doubles, or of another type `Float`: as one it would be infinite,
/// or nothing. REQUIRES: it is a number.
template <typename Float = double>
bool IsOutOfRange(std::string_view value) {
  constexpr size_t kShort = std::is_same_v<Float, double> ? 300 : 30;  // digits
  value = Trimmed(value);
  if (value.find_first_of("eE") == value.npos && value.size() < kShort) return false;
  if (value.starts_with('+')) value.remove_prefix(1);
  Float number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  return parsed.ec == std::errc::result_out_of_range;
}

/// False for an integer that no double is, and for what is out of their range. REQUIRES: it is a
/// number.
inline bool IsExactDouble(std::string_view value) {
  constexpr double kInt64 = 9.2e18;  // what is a little less is an int64
  value = Trimmed(value);
  if (IsOutOfRange(value)) return false;
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
