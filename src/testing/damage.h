// Damaging files, the same way for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace shoal::testing {

/// One file with one damage: bits flipped, bytes overwritten, cut off, doubled, or a number
/// replaced by one that promises much. Half of the damage is at the ends, where formats keep what
/// they claim.
class Damager {
 public:
  explicit Damager(uint32_t seed) : random_(seed) {}
  std::string Damage(std::string file);

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }
  size_t Place(const std::string& file);
  void Flip(std::string* file);
  void Overwrite(std::string* file, char with);
  void Duplicate(std::string* file);
  void Promise(std::string* file);

  std::mt19937 random_;
};

}  // namespace shoal::testing
