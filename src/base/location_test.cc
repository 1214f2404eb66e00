#include "base/location.h"

#include <filesystem>

#include <gtest/gtest.h>

#include <arrow/filesystem/localfs.h>
#include <arrow/filesystem/mockfs.h>

#include "base/path.h"
#include "base/text.h"

namespace shoal::base {
namespace {

std::string Resolved(const std::string& source) {
  auto locations = ResolveLocations({source});
  return locations.ok() ? locations->paths[0] : locations.status().ToString();
}

TEST(Path, NormalisingLeavesOneSpelling) {
  for (const char* path : {"a/b", "a/b/", "a//b", "a/b/.", "./a/./b//"})
    EXPECT_EQ(NormalizePath(path), "a/b");
  EXPECT_EQ(NormalizePath("/"), "/");
  EXPECT_EQ(NormalizePath("//a"), "/a");
  EXPECT_EQ(NormalizePath("."), "");
  EXPECT_EQ(NormalizePath("a/../b"), "a/../b");
}

TEST(Path, WithinComparesWholeNames) {
  EXPECT_TRUE(IsWithin("a/b", "a"));
  EXPECT_TRUE(IsWithin("a", "a"));
  EXPECT_FALSE(IsWithin("ab", "a"));
  EXPECT_TRUE(IsWithin("/a", "/"));
}

TEST(Text, WhatWasNeverEncodedIsNotDecoded) {
  EXPECT_EQ(PercentDecode("San%20Francisco"), "San Francisco");
  EXPECT_EQ(PercentDecode("a%2Fb%2fc"), "a/b/c");
  EXPECT_EQ(PercentDecode("100%25"), "100%");
  EXPECT_EQ(PercentDecode("%2525"), "%25");
  EXPECT_EQ(PercentDecode("50%"), std::nullopt);
  EXPECT_EQ(PercentDecode("%4"), std::nullopt);
  EXPECT_EQ(PercentDecode("%GG"), std::nullopt);
  EXPECT_EQ(PercentDecode("%FF"), std::nullopt);
}

TEST(Location, LocalPathsBecomeAbsolute) {
  EXPECT_EQ(Resolved("/x//y/."), "/x/y");
  EXPECT_EQ(Resolved("file:///x/y/"), "/x/y");
  EXPECT_EQ(Resolved("file:/x/y"), "/x/y");
  EXPECT_EQ(Resolved("some/where"), std::filesystem::current_path().string() + "/some/where");
}

TEST(Location, FileUrisAreDecodedAndMayHoldGlobs) {
  EXPECT_EQ(Resolved("file:///x/a%20b"), "/x/a b");
  EXPECT_EQ(Resolved("file:///x/a b/k=*/?.parquet"), "/x/a b/k=*/?.parquet");
  EXPECT_EQ(Resolved("file:///x/[ab]/{c,d}"), "/x/[ab]/{c,d}");
}

TEST(Location, ARelativeFileUriIsAnError) {
  for (const char* uri : {"file:data/x", "file://data/x"}) {
    EXPECT_NE(Resolved(uri).find("not absolute"), std::string::npos) << Resolved(uri);
  }
}

TEST(Location, SourcesOnDifferentFilesystemsAreAnErrorNamingBoth) {
  const auto status = ResolveLocations({"/x/y", "mock:///z"}).status();
  ASSERT_TRUE(status.IsInvalid()) << status.ToString();
  EXPECT_NE(status.message().find("/x/y"), std::string::npos);
  EXPECT_NE(status.message().find("mock:///z"), std::string::npos);
}

TEST(Location, AnUnknownSchemeNamesTheSource) {
  const auto status = ResolveLocations({"nowhere://bucket/x"}).status();
  EXPECT_NE(status.message().find("nowhere://bucket/x"), std::string::npos) << status.ToString();
}

TEST(Location, WithAFilesystemSourcesArePathsOnIt) {
  auto filesystem = std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::TimePoint{});
  const auto locations = ResolveLocations({"a//b/", ""}, filesystem).ValueOrDie();
  EXPECT_EQ(locations.paths, (std::vector<std::string>{"a/b", ""}));
  EXPECT_EQ(locations.ends_with_slash, (std::vector<bool>{true, false}));
  EXPECT_EQ(locations.filesystem, filesystem);
}

}  // namespace
}  // namespace shoal::base
