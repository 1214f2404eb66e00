// Where the randomised tests take their choices from: one seed gives one sequence, on every
// machine.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace shoal::oracle {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// 0 <= result < n.
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  /// low <= result <= high.
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  /// The distributions of the standard library differ between its implementations; this does not.
  bool Chance(double probability) {
    return static_cast<double>(engine_() >> 11) * 0x1p-53 < probability;
  }
  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[Below(static_cast<int64_t>(from.size()))];
  }
  template <typename T>
  void Shuffle(std::vector<T>* values) {
    for (size_t i = values->size(); i > 1; --i) std::swap((*values)[i - 1], (*values)[Below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace shoal::oracle
