// Globs: `*`, `?`, `[..]`, `{a,b}` within a name, `**` for any number of directories.
//
// A glob is matched one name at a time, so that a walk descends only into directories that can lead
// to a match.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace shoal::base {

/// Whether `text` holds any character that makes it a glob.
bool HasGlobCharacters(std::string_view text);

class Glob {
 public:
  /// `pattern` is a normalised path. Alternatives in braces may hold slashes and braces. A bracket
  /// or brace that is not closed stands for itself. Errors: too many alternatives.
  static arrow::Result<Glob> Parse(std::string_view pattern);

  const std::string& pattern() const { return pattern_; }
  /// The directories before the first segment that is not literal: nothing else can hold a match.
  const std::string& base() const { return base_; }
  /// That first segment, as written.
  const std::string& first_wild_segment() const { return first_wild_segment_; }

  /// Positions in the pattern that a path can have reached, sorted.
  using Positions = std::vector<int32_t>;
  /// Positions in base().
  Positions Start() const;
  /// Positions behind an entry called `name`; empty: neither it nor anything below it matches.
  Positions Step(const Positions& positions, std::string_view name) const;
  /// Whether a path that got here matches.
  bool Accepts(const Positions& positions) const;
  /// Whether a segment that matches `name` spells out `prefix` itself rather than leaving it to a
  /// wildcard.
  bool SpellsOut(const Positions& positions, std::string_view name, std::string_view prefix) const;

 private:
  struct Segment {
    enum Kind { kPattern, kAnyDepth, kEnd } kind = kPattern;
    std::vector<std::string> alternatives;  // free of braces
  };
  void Close(Positions* positions) const;

  std::string pattern_, base_, first_wild_segment_;
  std::vector<Segment> segments_;  // of all alternatives, each closed by kEnd
  Positions starts_;
};

/// Whether `name` matches a pattern of one segment, free of braces.
bool MatchSegment(std::string_view pattern, std::string_view name);

}  // namespace shoal::base
