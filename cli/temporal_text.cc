#include "temporal_text.h"

#include <chrono>

namespace shoal::cli {

namespace {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kDaysPerCycle = 146097;  // the calendar repeats every 400 years
constexpr int64_t kYearsPerCycle = 400;

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int FractionDigits(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 0;
    case arrow::TimeUnit::MILLI:
      return 3;
    case arrow::TimeUnit::MICRO:
      return 6;
    case arrow::TimeUnit::NANO:
      return 9;
  }
  return 0;
}

int64_t TicksPerSecond(arrow::TimeUnit::type unit) {
  int64_t ticks = 1;
  for (int i = FractionDigits(unit); i > 0; --i) ticks *= 10;
  return ticks;
}

void AppendPadded(int64_t value, size_t digits, std::string* out) {
  const std::string text = std::to_string(value);
  if (text.size() < digits) out->append(digits - text.size(), '0');
  *out += text;
}

}  // namespace

void AppendDate(int64_t days_since_epoch, std::string* out) {
  // The library's calendar ends before the years that 64 bits of seconds reach, so whole cycles are
  // counted apart.
  const int64_t cycles = FloorDivide(days_since_epoch, kDaysPerCycle);
  const int64_t days = days_since_epoch - cycles * kDaysPerCycle;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int64_t year = static_cast<int>(date.year()) + cycles * kYearsPerCycle;
  if (year >= 0 && year <= 9999) {
    AppendPadded(year, 4, out);
  } else {
    *out += year < 0 ? '-' : '+';
    AppendPadded(year < 0 ? -year : year, 6, out);
  }
  *out += '-';
  AppendPadded(static_cast<unsigned>(date.month()), 2, out);
  *out += '-';
  AppendPadded(static_cast<unsigned>(date.day()), 2, out);
}

void AppendTimeOfDay(int64_t value, arrow::TimeUnit::type unit, std::string* out) {
  // A negative time of day makes no sense, but what a file holds is shown.
  const int64_t per_second = TicksPerSecond(unit);
  const int64_t whole = FloorDivide(value, per_second);
  const int64_t seconds = whole < 0 ? -whole : whole;
  if (whole < 0) *out += '-';
  AppendPadded(seconds / 3600, 2, out);
  *out += ':';
  AppendPadded(seconds / 60 % 60, 2, out);
  *out += ':';
  AppendPadded(seconds % 60, 2, out);
  if (const int digits = FractionDigits(unit); digits > 0) {
    *out += '.';
    AppendPadded(value - whole * per_second, digits, out);
  }
}

void AppendTimestamp(int64_t value, arrow::TimeUnit::type unit, bool is_instant, std::string* out) {
  const int64_t per_second = TicksPerSecond(unit);
  const int64_t days = FloorDivide(FloorDivide(value, per_second), kSecondsPerDay);
  AppendDate(days, out);
  *out += 'T';
  // Subtracted as unsigned: the first day that a unit can express begins before its first value.
  const auto midnight =
      static_cast<uint64_t>(days) * static_cast<uint64_t>(kSecondsPerDay * per_second);
  AppendTimeOfDay(static_cast<int64_t>(static_cast<uint64_t>(value) - midnight), unit, out);
  if (is_instant) *out += 'Z';
}

const char* UnitName(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return "s";
    case arrow::TimeUnit::MILLI:
      return "ms";
    case arrow::TimeUnit::MICRO:
      return "us";
    case arrow::TimeUnit::NANO:
      return "ns";
  }
  return "";
}

}  // namespace shoal::cli
