#include "base/glob.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/text.h"

namespace shoal::base {

namespace {

constexpr size_t kMaxAlternatives = 4096;

// The end of the class that opens at the front of `pattern` (behind its `]`), or 0: not closed. A
// `]` that comes first stands for itself.
size_t ClassLength(std::string_view pattern) {
  size_t i = 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  while (i < pattern.size() && pattern[i] != ']') ++i;
  return i < pattern.size() ? i + 1 : 0;
}

// One character as a comparable number: its bytes, front first. For UTF-8 that is the order of code
// points.
uint32_t CharacterAt(std::string_view text, size_t* length) {
  *length = CharacterLength(text);
  uint32_t value = 0;
  for (size_t i = 0; i < *length; ++i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

bool ClassHolds(std::string_view set, uint32_t character) {
  set = set.substr(1, set.size() - 2);
  bool negated = false;
  if (!set.empty() && (set[0] == '!' || set[0] == '^')) {
    negated = true;
    set.remove_prefix(1);
  }
  bool found = false;
  while (!set.empty()) {
    size_t length;
    const uint32_t low = CharacterAt(set, &length);
    set.remove_prefix(length);
    uint32_t high = low;
    if (set.size() > 1 && set[0] == '-') {
      set.remove_prefix(1);
      high = CharacterAt(set, &length);
      set.remove_prefix(length);
    }
    found = found || (low <= character && character <= high);
  }
  return found != negated;
}

struct BraceGroup {
  size_t begin, end;  // of `{`, behind `}`
  std::vector<std::string_view> options;
};

// The first closed group at or behind `from`.
std::optional<BraceGroup> FindBraces(std::string_view text, size_t from) {
  for (size_t begin = text.find('{', from); begin != std::string_view::npos;
       begin = text.find('{', begin + 1)) {
    BraceGroup group{begin, 0, {}};
    int depth = 0;
    size_t option = begin + 1;
    for (size_t i = begin; i < text.size(); ++i) {
      if (text[i] == '{') {
        ++depth;
      } else if (text[i] == ',' && depth == 1) {
        group.options.push_back(text.substr(option, i - option));
        option = i + 1;
      } else if (text[i] == '}' && --depth == 0) {
        group.options.push_back(text.substr(option, i - option));
        group.end = i + 1;
        return group;
      }
    }
  }
  return std::nullopt;
}

// All texts that the braces of `text` stand for; only groups that hold a slash if
// `only_across_segments`.
arrow::Status ExpandBraces(std::string_view text, bool only_across_segments,
                           std::vector<std::string>* out) {
  size_t from = 0;
  while (auto group = FindBraces(text, from)) {
    const std::string_view inside = text.substr(group->begin, group->end - group->begin);
    if (only_across_segments && inside.find('/') == std::string_view::npos) {
      from = group->end;
      continue;
    }
    for (std::string_view option : group->options) {
      std::string expanded(text.substr(0, group->begin));
      expanded += option;
      expanded += text.substr(group->end);
      ARROW_RETURN_NOT_OK(ExpandBraces(expanded, only_across_segments, out));
    }
    return arrow::Status::OK();
  }
  if (out->size() >= kMaxAlternatives) {
    return arrow::Status::Invalid("The braces stand for more than ", kMaxAlternatives,
                                  " alternatives; use `*`.");
  }
  out->emplace_back(text);
  return arrow::Status::OK();
}

size_t LiteralLength(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*' || pattern[i] == '?') return i;
    if (pattern[i] == '[' && ClassLength(pattern.substr(i)) > 0) return i;
  }
  return pattern.size();
}

}  // namespace

bool HasGlobCharacters(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*' || text[i] == '?') return true;
    if (text[i] == '[' && ClassLength(text.substr(i)) > 0) return true;
  }
  return FindBraces(text, 0).has_value();
}

bool MatchSegment(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0;
  // Where to go on when what follows the latest `*` does not match: let it take one more character.
  size_t star = std::string_view::npos, retry = 0;
  while (true) {
    bool matched = false;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
      continue;
    }
    if (n == name.size() && p == pattern.size()) return true;
    if (n < name.size() && p < pattern.size()) {
      size_t length;
      const uint32_t character = CharacterAt(name.substr(n), &length);
      const size_t set = pattern[p] == '[' ? ClassLength(pattern.substr(p)) : 0;
      if (pattern[p] == '?') {
        matched = true;
        ++p;
      } else if (set > 0) {
        matched = ClassHolds(pattern.substr(p, set), character);
        p += set;
      } else {
        matched = pattern[p] == name[n];
        length = 1;
        ++p;
      }
      n += length;
    }
    if (matched) continue;
    if (star == std::string_view::npos || retry >= name.size()) return false;
    retry += CharacterLength(name.substr(retry));
    n = retry;
    p = star + 1;
  }
}

arrow::Result<Glob> Glob::Parse(std::string_view pattern) {
  Glob glob;
  glob.pattern_ = pattern;

  // A group of braces may open in one segment and close in another: the base ends where the first
  // one opens.
  std::string_view rest = pattern;
  if (rest.starts_with('/')) {
    glob.base_ = "/";
    rest.remove_prefix(1);
  }
  const auto braces = FindBraces(rest, 0);
  const size_t open = braces ? braces->begin : rest.size();
  size_t begin = 0;
  while (true) {
    const size_t slash = rest.find('/', begin);
    const size_t end = slash == std::string_view::npos ? rest.size() : slash;
    if (open < end || HasGlobCharacters(rest.substr(begin, end - begin)) ||
        slash == std::string_view::npos) {
      glob.first_wild_segment_ = rest.substr(begin, end - begin);
      break;
    }
    glob.base_ = JoinPath(glob.base_, rest.substr(begin, end - begin));
    begin = end + 1;
  }
  rest.remove_prefix(begin);

  std::vector<std::string> paths;
  ARROW_RETURN_NOT_OK(ExpandBraces(rest, /*only_across_segments=*/true, &paths));
  for (const std::string& path : paths) {
    glob.starts_.push_back(static_cast<int32_t>(glob.segments_.size()));
    for (std::string_view text : SplitPath(path)) {
      Segment segment;
      if (text == "**") {
        segment.kind = Segment::kAnyDepth;
      } else {
        ARROW_RETURN_NOT_OK(
            ExpandBraces(text, /*only_across_segments=*/false, &segment.alternatives));
      }
      glob.segments_.push_back(std::move(segment));
    }
    glob.segments_.push_back({Segment::kEnd, {}});
  }
  return glob;
}

Glob::Positions Glob::Start() const {
  Positions positions = starts_;
  Close(&positions);
  return positions;
}

// `**` may stand for no directory at all.
void Glob::Close(Positions* positions) const {
  for (size_t i = 0; i < positions->size(); ++i) {
    if (segments_[(*positions)[i]].kind == Segment::kAnyDepth)
      positions->push_back((*positions)[i] + 1);
  }
  std::sort(positions->begin(), positions->end());
  positions->erase(std::unique(positions->begin(), positions->end()), positions->end());
}

Glob::Positions Glob::Step(const Positions& positions, std::string_view name) const {
  Positions next;
  for (const int32_t position : positions) {
    const Segment& segment = segments_[position];
    if (segment.kind == Segment::kAnyDepth) {
      next.push_back(position);
    } else if (segment.kind == Segment::kPattern &&
               std::any_of(
                   segment.alternatives.begin(), segment.alternatives.end(),
                   [&](const std::string& pattern) { return MatchSegment(pattern, name); })) {
      next.push_back(position + 1);
    }
  }
  Close(&next);
  return next;
}

bool Glob::Accepts(const Positions& positions) const {
  return std::any_of(positions.begin(), positions.end(),
                     [&](int32_t position) { return segments_[position].kind == Segment::kEnd; });
}

bool Glob::SpellsOut(const Positions& positions, std::string_view name,
                     std::string_view prefix) const {
  for (const int32_t position : positions) {
    for (const std::string& pattern : segments_[position].alternatives) {
      const std::string_view literal = std::string_view(pattern).substr(0, LiteralLength(pattern));
      if (literal.starts_with(prefix) && MatchSegment(pattern, name)) return true;
    }
  }
  return false;
}

}  // namespace shoal::base
