#include "base/path.h"

namespace shoal::base {

std::string NormalizePath(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  if (path.starts_with('/')) out += '/';
  for (std::string_view segment : SplitPath(path)) {
    if (segment == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += segment;
  }
  return out;
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string out = name.empty() ? std::string(directory) : AsPrefix(directory);
  out += name;
  return out;
}

std::string AsPrefix(std::string_view directory) {
  std::string out(directory);
  if (!out.empty() && out.back() != '/') out += '/';
  return out;
}

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsWithin(std::string_view path, std::string_view directory) {
  if (directory.empty()) return !path.starts_with('/');
  if (!path.starts_with(directory)) return false;
  return path.size() == directory.size() || directory.back() == '/' ||
         path[directory.size()] == '/';
}

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  while (begin < path.size()) {
    size_t end = path.find('/', begin);
    if (end == std::string_view::npos) end = path.size();
    if (end > begin) out.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool HasExtension(std::string_view path) {
  const std::string_view name = NameOf(path);
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size();
}

bool EndsWithIgnoringCase(std::string_view text, std::string_view ending) {
  if (text.size() < ending.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  text.remove_prefix(text.size() - ending.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower(ending[i])) return false;
  }
  return true;
}

}  // namespace shoal::base
