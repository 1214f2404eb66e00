#include "testing/damage.h"

#include <algorithm>
#include <cstring>

namespace shoal::testing {

std::string Damager::Damage(std::string file) {
  if (file.empty()) return file;
  switch (Below(9)) {
    case 0:
      file.resize(Below(file.size()));
      break;
    case 1:
      Duplicate(&file);
      break;
    case 2:
      Overwrite(&file, '\xff');
      break;
    case 3:
      Overwrite(&file, '\0');
      break;
    case 4:
    case 5:
      Promise(&file);
      break;
    default:
      Flip(&file);
  }
  return file;
}

size_t Damager::Place(const std::string& file) {
  constexpr size_t kEnds = 1024;
  switch (Below(4)) {
    case 0:
      return Below(std::min(file.size(), kEnds));
    case 1:
      return file.size() - 1 - Below(std::min(file.size(), kEnds));
    default:
      return Below(file.size());
  }
}

void Damager::Flip(std::string* file) {
  for (size_t n = 1 + Below(4); n > 0; --n) {
    char& c = (*file)[Place(*file)];
    c = static_cast<char>(Below(2) == 0 ? c ^ (1 << Below(8)) : random_());
  }
}

void Damager::Overwrite(std::string* file, char with) {
  const size_t at = Place(*file), n = std::min<size_t>(1 + Below(6), file->size() - at);
  file->replace(at, n, n, with);
}

void Damager::Duplicate(std::string* file) {
  const size_t from = Below(file->size()), n = std::min<size_t>(1 + Below(40), file->size() - from);
  file->insert(Below(file->size()), file->substr(from, n));
}

void Damager::Promise(std::string* file) {
  const uint64_t number = uint64_t{1} << Below(64);
  const size_t at = Place(*file) / 4 * 4;
  std::memcpy(file->data() + at, &number,
              std::min<size_t>(Below(2) == 0 ? 4 : 8, file->size() - at));
}

}  // namespace shoal::testing
