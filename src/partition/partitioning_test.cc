#include <shoal/partitioning.h>

#include <gtest/gtest.h>

#include <arrow/type.h>

#include "base/path.h"

namespace shoal {
namespace {

using Keys = std::vector<PartitionKey>;

Keys Parse(const Partitioning& partitioning, const Partitioning::FormattedPath& path) {
  Keys keys;
  int depth = 0;
  for (std::string_view segment : base::SplitPath(path.directory)) {
    for (auto& key : partitioning.ParseDirectory(depth++, segment).ValueOrDie())
      keys.push_back(key);
  }
  for (auto& key : partitioning.ParseFileName(path.file_prefix + "part-0.parquet").ValueOrDie())
    keys.push_back(key);
  return keys;
}

const std::vector<std::string>& AwkwardTexts() {
  static const std::vector<std::string> texts = {"a/b",
                                                 "a=b",
                                                 "50%",
                                                 "%41",
                                                 "a b",
                                                 "a:b",
                                                 "a*b",
                                                 "..",
                                                 ".",
                                                 "_x",
                                                 ".h",
                                                 "é",
                                                 "東京",
                                                 "new\nline",
                                                 "trail.",
                                                 "trail ",
                                                 " lead",
                                                 "a\\b",
                                                 "a#b?c",
                                                 "null",
                                                 "a_b",
                                                 "a__b_",
                                                 "[x]",
                                                 "{x,y}",
                                                 "NULL",
                                                 "0",
                                                 "%",
                                                 "%2F",
                                                 "\x7F",
                                                 std::string("nul\0byte", 8),
                                                 "__HIVE_DEFAULT_PARTITION_",
                                                 "COM1",
                                                 "\"quoted\""};
  return texts;
}

TEST(Partitioning, HiveValuesAreAllBehindTheFirstEquals) {
  const auto hive = MakeHivePartitioning();
  EXPECT_EQ(hive->ParseDirectory(0, "k=a=b").ValueOrDie(), (Keys{{"k", "a=b"}}));
  EXPECT_EQ(hive->ParseDirectory(0, "k=YWJjZA==").ValueOrDie(), (Keys{{"k", "YWJjZA=="}}));
  EXPECT_EQ(hive->ParseDirectory(0, "k=").ValueOrDie(), (Keys{{"k", ""}}));
  EXPECT_EQ(hive->ParseDirectory(0, "k").ValueOrDie(), Keys{});
  EXPECT_EQ(hive->ParseDirectory(0, "=v").ValueOrDie(), Keys{});
}

TEST(Partitioning, HiveDecodesKeysAndValuesOnceAndKeepsWhatIsNotEncoded) {
  const auto hive = MakeHivePartitioning();
  const auto value = [&](const char* segment) {
    return *hive->ParseDirectory(0, segment).ValueOrDie()[0].value;
  };
  EXPECT_EQ(value("city=San%20Francisco"), "San Francisco");
  EXPECT_EQ(value("city=a%2Fb"), "a/b");
  EXPECT_EQ(value("city=50%"), "50%");
  EXPECT_EQ(value("city=100%25"), "100%");
  EXPECT_EQ(value("city=%2541"), "%41");
  EXPECT_EQ(value("city=%FF"), "%FF");
  EXPECT_EQ(hive->ParseDirectory(0, "a%3Db=c").ValueOrDie()[0].name, "a=b");
  const auto raw = MakeHivePartitioning({.declared = nullptr, .percent_decode = false});
  EXPECT_EQ(*raw->ParseDirectory(0, "city=a%2Fb").ValueOrDie()[0].value, "a%2Fb");
}

TEST(Partitioning, OnlyTheMarkerIsNull) {
  const auto hive = MakeHivePartitioning();
  EXPECT_EQ(hive->ParseDirectory(0, "k=__HIVE_DEFAULT_PARTITION__").ValueOrDie(),
            (Keys{{"k", std::nullopt}}));
  EXPECT_EQ(hive->ParseDirectory(0, "k=null").ValueOrDie(), (Keys{{"k", "null"}}));
}

TEST(Partitioning, EveryTextComesBackFromItsPathInEveryLayout) {
  const auto hive = MakeHivePartitioning();
  const auto directory =
      MakeDirectoryPartitioning({.field_names = {"k", "j"}, .declared = nullptr});
  const auto filename = MakeFilenamePartitioning({.field_names = {"k", "j"}, .declared = nullptr});
  for (const Partitioning* layout : {hive.get(), directory.get(), filename.get()}) {
    for (const std::string& text : AwkwardTexts()) {
      const Keys keys = {{"k", text}, {"j", "z"}};
      const auto path = layout->Format(keys);
      ASSERT_TRUE(path.ok()) << layout->name() << " " << text << ": " << path.status().ToString();
      EXPECT_EQ(Parse(*layout, *path), keys)
          << layout->name() << " " << path->directory << path->file_prefix;
    }
  }
}

TEST(Partitioning, NoPathLeadsOutOfTheRootOrIsHidden) {
  const auto directory = MakeDirectoryPartitioning({.field_names = {"k"}, .declared = nullptr});
  const auto filename = MakeFilenamePartitioning({.field_names = {"k"}, .declared = nullptr});
  const auto hive = MakeHivePartitioning();
  for (const std::string& text : AwkwardTexts()) {
    const std::string spelled = directory->Format({{"k", text}}).ValueOrDie().directory;
    EXPECT_EQ(spelled.find('/'), std::string::npos) << spelled;
    EXPECT_FALSE(spelled.starts_with('.') || spelled.starts_with('_')) << spelled;
    const std::string prefix = filename->Format({{"k", text}}).ValueOrDie().file_prefix;
    EXPECT_EQ(prefix.find('/'), std::string::npos) << prefix;
    EXPECT_FALSE(prefix.starts_with('.') || prefix.starts_with('_')) << prefix;
    const std::string segment = hive->Format({{"k", text}}).ValueOrDie().directory;
    EXPECT_EQ(segment.find('/'), std::string::npos) << segment;
    EXPECT_FALSE(segment.ends_with('.') || segment.ends_with(' ')) << segment;
  }
}

TEST(Partitioning, NullAndEmptyComeBackFromHive) {
  const auto hive = MakeHivePartitioning();
  for (const Keys& keys :
       {Keys{{"k", std::nullopt}}, Keys{{"k", ""}}, Keys{{"_k", "1"}}, Keys{{"a/b=c", "1"}}}) {
    EXPECT_EQ(Parse(*hive, hive->Format(keys).ValueOrDie()), keys);
  }
}

TEST(Partitioning, WhatALayoutCannotExpressIsAnErrorNamingTheKey) {
  const auto hive = MakeHivePartitioning();
  const auto raw = MakeHivePartitioning({.declared = nullptr, .percent_decode = false});
  const auto directory = MakeDirectoryPartitioning({.field_names = {"key"}, .declared = nullptr});
  const auto filename = MakeFilenamePartitioning({.field_names = {"key"}, .declared = nullptr});
  const auto none = MakeNoPartitioning();
  const auto fails = [](const Partitioning& layout, const Keys& keys) {
    const auto status = layout.Format(keys).status();
    EXPECT_TRUE(status.IsInvalid()) << layout.name();
    EXPECT_NE(status.message().find("key"), std::string::npos) << status.ToString();
  };
  fails(*hive, {{"key", "__HIVE_DEFAULT_PARTITION__"}});
  fails(*hive, {{"key", "\xFF"}});
  fails(*hive, {{"key", "1"}, {"key", "2"}});
  fails(*raw, {{"key", "a/b"}});
  fails(*raw, {{"key=", "a"}});
  fails(*directory, {{"key", std::nullopt}});
  fails(*directory, {{"key", ""}});
  fails(*directory, {{"key", "1"}, {"other key", "1"}});
  fails(*filename, {{"key", std::nullopt}});
  fails(*filename, {{"key", ""}});
  fails(*none, {{"key", "1"}});
}

TEST(Partitioning, PositionsGiveTheKeys) {
  const auto directory =
      MakeDirectoryPartitioning({.field_names = {"year", "month"}, .declared = nullptr});
  EXPECT_EQ(directory->ParseDirectory(1, "07").ValueOrDie(), (Keys{{"month", "07"}}));
  EXPECT_EQ(directory->ParseDirectory(2, "deeper").ValueOrDie(), Keys{});
  const auto filename =
      MakeFilenamePartitioning({.field_names = {"year", "month"}, .declared = nullptr});
  EXPECT_EQ(filename->ParseFileName("2009_11_part-0.parquet").ValueOrDie(),
            (Keys{{"year", "2009"}, {"month", "11"}}));
  EXPECT_EQ(filename->ParseFileName("2009_rest.parquet").ValueOrDie(), (Keys{{"year", "2009"}}));
  EXPECT_EQ(filename->ParseFileName("rest.parquet").ValueOrDie(), Keys{});
}

}  // namespace
}  // namespace shoal
