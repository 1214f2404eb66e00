#include "base/glob.h"

#include <gtest/gtest.h>

#include "base/path.h"

namespace shoal::base {
namespace {

bool Matches(const std::string& pattern, const std::string& path) {
  const Glob glob = Glob::Parse(pattern).ValueOrDie();
  if (!IsWithin(path, glob.base())) return false;
  Glob::Positions positions = glob.Start();
  for (std::string_view name : SplitPath(path.substr(AsPrefix(glob.base()).size()))) {
    positions = glob.Step(positions, name);
  }
  return glob.Accepts(positions);
}

TEST(Glob, WildcardsStayWithinASegment) {
  EXPECT_TRUE(Matches("r/*.parquet", "r/a.parquet"));
  EXPECT_TRUE(Matches("r/*.parquet", "r/.parquet"));
  EXPECT_FALSE(Matches("r/*.parquet", "r/s/a.parquet"));
  EXPECT_TRUE(Matches("r/k=*/*", "r/k=1/a"));
  EXPECT_FALSE(Matches("r/k=*/*", "r/j=1/a"));
  EXPECT_TRUE(Matches("r/a*b*c", "r/aXbbXc"));
  EXPECT_FALSE(Matches("r/a*b*c", "r/aXbbX"));
}

TEST(Glob, QuestionMarkTakesOneCharacterNotOneByte) {
  EXPECT_TRUE(Matches("r/?.csv", "r/é.csv"));
  EXPECT_TRUE(Matches("r/?.csv", "r/東.csv"));
  EXPECT_FALSE(Matches("r/?.csv", "r/ab.csv"));
  EXPECT_FALSE(Matches("r/?.csv", "r/.csv"));
}

TEST(Glob, ClassesHoldRangesAndCanBeNegated) {
  EXPECT_TRUE(Matches("r/[a-c]", "r/b"));
  EXPECT_FALSE(Matches("r/[a-c]", "r/d"));
  EXPECT_TRUE(Matches("r/[!a-c]", "r/d"));
  EXPECT_FALSE(Matches("r/[^a-c]", "r/b"));
  EXPECT_TRUE(Matches("r/[]]", "r/]"));
  EXPECT_TRUE(Matches("r/[a-]", "r/-"));
  EXPECT_TRUE(Matches("r/[à-ü]", "r/é"));
}

TEST(Glob, BracesHoldAlternativesAlsoAcrossSegments) {
  EXPECT_TRUE(Matches("r/k={1,2}/*", "r/k=2/f"));
  EXPECT_FALSE(Matches("r/k={1,2}/*", "r/k=3/f"));
  EXPECT_TRUE(Matches("r/{a/b,c}/f", "r/a/b/f"));
  EXPECT_TRUE(Matches("r/{a/b,c}/f", "r/c/f"));
  EXPECT_FALSE(Matches("r/{a/b,c}/f", "r/a/f"));
  EXPECT_TRUE(Matches("r/{a,b{1,2}}", "r/b2"));
  EXPECT_TRUE(Matches("r/x{,y}", "r/x"));
}

TEST(Glob, DoubleStarTakesAnyNumberOfDirectories) {
  EXPECT_TRUE(Matches("r/**/*.csv", "r/a.csv"));
  EXPECT_TRUE(Matches("r/**/*.csv", "r/x/y/z/a.csv"));
  EXPECT_FALSE(Matches("r/**/*.csv", "r/x/y/z/a.txt"));
  EXPECT_TRUE(Matches("r/**/k=1/**/f", "r/x/k=1/f"));
  EXPECT_FALSE(Matches("r/**/k=1/**/f", "r/x/k=2/f"));
  EXPECT_TRUE(Matches("r/**", "r/x/y"));
}

TEST(Glob, WhatIsNotClosedStandsForItself) {
  EXPECT_FALSE(HasGlobCharacters("a[b"));
  EXPECT_FALSE(HasGlobCharacters("a{b"));
  EXPECT_FALSE(HasGlobCharacters("a]}b"));
  EXPECT_TRUE(Matches("r/a[b*", "r/a[bc"));
}

TEST(Glob, TheBaseIsAllBeforeTheFirstWildcard) {
  EXPECT_EQ(Glob::Parse("/x/root/k=*/f").ValueOrDie().base(), "/x/root");
  EXPECT_EQ(Glob::Parse("/x/root/k={1,2}/f").ValueOrDie().base(), "/x/root");
  EXPECT_EQ(Glob::Parse("root/{a/b,c}/f").ValueOrDie().base(), "root");
  EXPECT_EQ(Glob::Parse("*.csv").ValueOrDie().base(), "");
  EXPECT_EQ(Glob::Parse("/*.csv").ValueOrDie().base(), "/");
}

// A name without end of branches must not take exponential time.
TEST(Glob, ManyStarsAreFast) {
  EXPECT_FALSE(MatchSegment("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST(Glob, TooManyAlternativesAreAnError) {
  std::string pattern = "r/";
  for (int i = 0; i < 20; ++i) pattern += "{a,b}";
  EXPECT_TRUE(Glob::Parse(pattern).status().IsInvalid());
}

}  // namespace
}  // namespace shoal::base
