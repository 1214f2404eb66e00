// Listing the local disk.
#include <shoal/listing.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include <arrow/filesystem/localfs.h>
#include <arrow/util/io_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/strictness.h"
#include "support/key_filters.h"

namespace shoal {
namespace {

namespace fs = std::filesystem;
using testing::WhereEqual;
using Paths = std::vector<std::string>;

struct Listed {
  FileTable files;
  ListingReport report;
  int pages = 0;
};

arrow::Result<Listed> List(const Paths& sources, const ListOptions& options) {
  Listed out;
  ARROW_ASSIGN_OR_RAISE(auto source, MakeListingSource(sources));
  ARROW_ASSIGN_OR_RAISE(out.report,
                        source->List(options, [&](FileTable page) -> arrow::Result<bool> {
                          EXPECT_GT(page.num_files(), 0);
                          out.files.Append(page);
                          ++out.pages;
                          return true;
                        }));
  EXPECT_EQ(out.report.files, out.files.num_files());
  return out;
}

std::string KeyOf(const FileTable& files, int64_t i, std::string_view name) {
  for (const PartitionKey& key : files.KeysOf(i)) {
    if (key.name == name) return key.value.value_or("<null>");
  }
  return "<absent>";
}

class LocalListing : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "shoal_listing_XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    top_ = fs::canonical(path);
    root_ = (top_ / "root").string();
    fs::create_directory(root_);
    hive_.partitioning = MakeHivePartitioning();
  }
  void TearDown() override { fs::remove_all(top_); }

  void Write(const std::string& path, std::string_view content = "data") {
    const fs::path full = fs::path(root_) / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << content;
  }

  // Below the root.
  Paths Relative(const FileTable& files) const {
    Paths out;
    for (int64_t i = 0; i < files.num_files(); ++i) {
      const std::string path = files.path(i);
      out.push_back(path.starts_with(root_ + "/") ? path.substr(root_.size() + 1) : path);
    }
    return out;
  }
  Paths Find(const Paths& sources, const ListOptions& options) {
    auto listed = List(sources, options);
    EXPECT_TRUE(listed.ok()) << listed.status().ToString();
    return listed.ok() ? Relative(listed->files) : Paths{};
  }
  Paths Find(const ListOptions& options) { return Find({root_}, options); }
  Paths Find() { return Find(hive_); }

  // The listing fails with a message that says each of `words`; the error number that comes with
  // it, or 0.
  int Fails(const Paths& sources, const ListOptions& options, const Paths& words) {
    const arrow::Status status = List(sources, options).status();
    EXPECT_FALSE(status.ok());
    for (const std::string& word : words) {
      EXPECT_NE(status.message().find(word), std::string::npos)
          << "no " << word << " in " << status.ToString();
    }
    return arrow::internal::ErrnoFromStatus(status);
  }

  fs::path top_;
  std::string root_;
  ListOptions hive_;
};

TEST_F(LocalListing, OrderIsByTheBytesOfTheFullPath) {
  for (const char* path :
       {"b", "a.parquet", "a/z", "a-b/x", "a/b/c", "a0", "é", "B", "a/a", "ab/x"})
    Write(path);
  EXPECT_EQ(Find(),
            (Paths{"B", "a-b/x", "a.parquet", "a/a", "a/b/c", "a/z", "a0", "ab/x", "b", "é"}));
}

TEST_F(LocalListing, EverySpellingOfARootGivesTheSame) {
  Write("k=1/f.parquet");
  Write("k=2/f.parquet");
  const Paths expected = {"k=1/f.parquet", "k=2/f.parquet"};
  for (const std::string& spelling :
       {root_, root_ + "/", root_ + "//", root_ + "/.", "file://" + root_, root_ + "/k=1/..",
        fs::relative(root_).string()}) {
    auto listed = List({spelling}, hive_);
    ASSERT_TRUE(listed.ok()) << spelling << ": " << listed.status().ToString();
    EXPECT_EQ(Relative(listed->files), expected) << spelling;
    EXPECT_EQ(KeyOf(listed->files, 1, "k"), "2") << spelling;
  }
}

TEST_F(LocalListing, HiddenNamesAreReportedNotRead) {
  Write("good.parquet");
  Write("_SUCCESS", "");
  Write(".a.parquet.crc");
  Write("_metadata");
  Write("_common_metadata");
  Write("_temporary/0/z.parquet");
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"good.parquet"}));
  // The hidden directory counts once and is not walked.
  EXPECT_EQ(listed.report[ListingIssue::kHidden].count, 5);
  EXPECT_EQ(listed.report[ListingIssue::kHidden].examples.size(), ListingReport::kMaxExamples);
  EXPECT_EQ(listed.report.directories_listed, 1);
  hive_.strict = {ListingIssue::kHidden};
  Fails({root_}, hive_, {root_, "hidden"});
}

TEST_F(LocalListing, OnlyThePartBelowTheRootIsHidden) {
  Write("_hidden/.deep/f.parquet");
  EXPECT_EQ(Find({root_ + "/_hidden/.deep"}, hive_), (Paths{"_hidden/.deep/f.parquet"}));
  EXPECT_EQ(Find({root_ + "/_hidden/.deep/*.parquet"}, hive_), (Paths{"_hidden/.deep/f.parquet"}));
}

TEST_F(LocalListing, AKeyThatBeginsWithAPrefixIsAPartition) {
  Write("_year=2020/_file=a/f.parquet");
  Write("_year=2021/_file=b/f.parquet");
  Write(".v=1/f.parquet");
  const auto listed = List({root_}, hive_).ValueOrDie();
  ASSERT_EQ(listed.files.num_files(), 3);
  EXPECT_EQ(KeyOf(listed.files, 0, ".v"), "1");
  EXPECT_EQ(KeyOf(listed.files, 1, "_year"), "2020");
  EXPECT_EQ(KeyOf(listed.files, 2, "_file"), "b");
  // A file of such a name is no partition, and without hive nor is the directory.
  Write("_note=x");
  EXPECT_EQ(List({root_}, hive_)->report[ListingIssue::kHidden].count, 1);
  EXPECT_EQ(List({root_}, {})->files.num_files(), 0);
}

TEST_F(LocalListing, ZeroByteFilesAreReportedWhereTheSizeIsKnown) {
  Write("a.parquet", "");
  Write("b.parquet");
  // Local listings tell no sizes: the reader finds out.
  EXPECT_EQ(Find(), (Paths{"a.parquet", "b.parquet"}));
  hive_.need_size = true;
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"b.parquet"}));
  EXPECT_EQ(listed.files.version(0).size, 4);
  EXPECT_GT(listed.files.version(0).mtime_ns, 0);
  EXPECT_EQ(listed.report[ListingIssue::kZeroByte].examples, (Paths{root_ + "/a.parquet"}));
  // A single file is always looked at.
  EXPECT_EQ(List({root_ + "/a.parquet"}, {})->report[ListingIssue::kZeroByte].count, 1);
  hive_.strict = {ListingIssue::kZeroByte};
  Fails({root_}, hive_, {"a.parquet", "empty", "zero_byte"});
}

TEST_F(LocalListing, ExtensionsAreComparedInAnyCaseAndMissesReported) {
  Write("a.parquet");
  Write("b.PARQUET");
  Write("notes.txt");
  hive_.extensions = {".parquet"};
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"a.parquet", "b.PARQUET"}));
  EXPECT_EQ(listed.report[ListingIssue::kExtension].examples, (Paths{root_ + "/notes.txt"}));
  // A file that is named is wanted.
  EXPECT_EQ(Find({root_ + "/notes.txt"}, hive_), (Paths{"notes.txt"}));
}

TEST_F(LocalListing, LinksAreFollowed) {
  fs::create_directory(top_ / "outside");
  std::ofstream(top_ / "outside" / "o.parquet") << "data";
  fs::create_symlink(top_ / "outside" / "o.parquet", root_ + "/file.parquet");
  fs::create_directory_symlink(top_ / "outside", root_ + "/folder");
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"file.parquet", "folder/o.parquet"}));
}

TEST_F(LocalListing, ALoopIsAnErrorNamingTheLink) {
  Write("f.parquet");
  Write("a/g.parquet");
  Write("b/h.parquet");
  for (const auto& [target, link] :
       std::vector<std::pair<fs::path, fs::path>>{{fs::path(root_), fs::path(root_) / "loop"},
                                                  {fs::path(root_), fs::path(root_) / "a" / "loop"},
                                                  {top_, fs::path(root_) / "a" / "loop"},
                                                  {"/", fs::path(root_) / "loop"}}) {
    fs::create_directory_symlink(target, link);
    Fails({root_}, hive_, {"'" + link.string() + "'", "remove it"});
    fs::remove(link);
  }
  // Two links that lead to each other's directories.
  fs::create_directory_symlink(fs::path(root_) / "b", fs::path(root_) / "a" / "x");
  fs::create_directory_symlink(fs::path(root_) / "a", fs::path(root_) / "b" / "y");
  Fails({root_}, hive_, {root_ + "/a/x/y"});
}

TEST_F(LocalListing, ALinkToItselfOrToNothingIsAnErrorNamingIt) {
  Write("a.parquet");
  fs::create_symlink(root_ + "/gone", root_ + "/b.parquet");
  const int error = Fails({root_}, hive_, {root_ + "/b.parquet", "leads to nothing"});
  EXPECT_EQ(error, ENOENT);
  Fails({root_ + "/b.parquet"}, hive_, {root_ + "/b.parquet", "leads to nothing"});
  // An editor's lock is such a link, and hidden.
  fs::rename(root_ + "/b.parquet", root_ + "/.#b.parquet");
  EXPECT_EQ(Find(), (Paths{"a.parquet"}));
  fs::create_symlink(root_ + "/self", root_ + "/self");
  Fails({root_}, hive_, {root_ + "/self"});
}

TEST_F(LocalListing, AnUnreadableDirectoryIsAnErrorNamingIt) {
  if (geteuid() == 0) GTEST_SKIP() << "everything is readable to root";
  Write("k=1/f.parquet");
  fs::permissions(root_ + "/k=1", fs::perms::none);
  const int error = Fails({root_}, hive_, {root_ + "/k=1", "readable"});
  EXPECT_EQ(error, EACCES);
  fs::permissions(root_ + "/k=1", fs::perms::owner_all);
}

TEST_F(LocalListing, PipesAreReportedNotOpened) {
  Write("a.parquet");
  ASSERT_EQ(mkfifo((root_ + "/pipe.parquet").c_str(), 0600), 0);
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"a.parquet"}));
  EXPECT_EQ(listed.report[ListingIssue::kSpecialFile].count, 1);
  Fails({root_ + "/pipe.parquet"}, hive_, {"pipe.parquet"});
}

TEST_F(LocalListing, NamesThatAreNotUtf8AreReportedEscaped) {
  Write("a.parquet");
  Write("bad\xFF.parquet");
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"a.parquet"}));
  EXPECT_EQ(listed.report[ListingIssue::kNotUtf8].examples, (Paths{root_ + "/bad%FF.parquet"}));
}

TEST_F(LocalListing, AMissingPathIsNotFoundNamingIt) {
  const int error = Fails({root_ + "/absent"}, hive_, {root_ + "/absent", "does not exist"});
  EXPECT_EQ(error, ENOENT);
  Write("f");
  EXPECT_EQ(Fails({root_ + "/f/below"}, hive_, {"f/below"}), ENOENT);
}

TEST_F(LocalListing, AnEmptyDirectoryIsNoError) {
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(listed.pages, 0);
  EXPECT_TRUE(listed.report.complete);
}

TEST_F(LocalListing, GlobsKeepTheKeysBelowTheirFirstWildcard) {
  Write("k=1/f.parquet");
  Write("k=2/f.parquet");
  Write("k=2/notes.txt");
  const Paths both = {"k=1/f.parquet", "k=2/f.parquet"};
  for (const char* pattern : {"/k=*/*.parquet", "/**/*.parquet", "/k={1,2}/*.parquet",
                              "/k=[12]/f.*", "/**/f.parquet", "/{k=1,k=2}/?.parquet"}) {
    auto listed = List({root_ + pattern}, hive_);
    ASSERT_TRUE(listed.ok()) << pattern << listed.status().ToString();
    EXPECT_EQ(Relative(listed->files), both) << pattern;
    EXPECT_EQ(KeyOf(listed->files, 0, "k"), "1") << pattern;
    EXPECT_EQ(KeyOf(listed->files, 1, "k"), "2") << pattern;
  }
  EXPECT_EQ(Find({"file://" + root_ + "/k=?/f.parquet"}, hive_), both);
}

TEST_F(LocalListing, AFolderThatAGlobMatchesStandsForAllThatIsInIt) {
  Write("out.parquet/part-0");
  Write("out.parquet/sub/part-1");
  Write("other/part-2");
  EXPECT_EQ(Find({root_ + "/*.parquet"}, hive_),
            (Paths{"out.parquet/part-0", "out.parquet/sub/part-1"}));
}

TEST_F(LocalListing, AGlobReadsOnlyDirectoriesThatCanMatch) {
  for (const char* path : {"a/x/f", "a/y/f", "b/x/f", "c/x/f"}) Write(path);
  const auto listed = List({root_ + "/[ab]/x/*"}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"a/x/f", "b/x/f"}));
  EXPECT_EQ(listed.report.directories_listed, 5);  // root, a, b, a/x, b/x
}

TEST_F(LocalListing, AGlobThatMatchesNothingIsAnErrorNamingIt) {
  Write("a.parquet");
  for (const char* pattern : {"/*.csv", "/gone/*.parquet"}) {
    const int error = Fails({root_ + pattern}, hive_, {"No file matches", root_ + pattern});
    EXPECT_EQ(error, ENOENT);
  }
}

TEST_F(LocalListing, APathThatExistsLiterallyIsTakenLiterally) {
  Write("a[1].parquet");
  Write("a1.parquet");
  Write("d{x,y}/f");
  Write("dx/f");
  EXPECT_EQ(Find({root_ + "/a[1].parquet"}, hive_), (Paths{"a[1].parquet"}));
  EXPECT_EQ(Find({root_ + "/d{x,y}"}, hive_), (Paths{"d{x,y}/f"}));
  EXPECT_EQ(Find({root_ + "/a[0-9].parquet"}, hive_), (Paths{"a1.parquet"}));
}

TEST_F(LocalListing, AGlobMaySpellOutHiddenNames) {
  Write("_a.parquet");
  Write("b.parquet");
  EXPECT_EQ(Find({root_ + "/_*.parquet"}, hive_), (Paths{"_a.parquet"}));
  EXPECT_EQ(Find({root_ + "/*.parquet"}, hive_), (Paths{"b.parquet"}));
}

TEST_F(LocalListing, OverlappingSourcesGiveEachFileOnceInOrder) {
  Write("k=1/f");
  Write("k=2/f");
  Write("k=3/f");
  Write("_hidden");
  const Paths all = {"k=1/f", "k=2/f", "k=3/f"};
  EXPECT_EQ(Find({root_, root_}, hive_), all);
  EXPECT_EQ(Find({root_ + "/k=2", root_, root_ + "/k=1/f"}, hive_), all);
  EXPECT_EQ(Find({root_ + "/k=3/f", root_ + "/k=1", root_ + "/k=3/f", root_ + "/k=2/*"}, hive_),
            all);
  EXPECT_EQ(Find({root_ + "/k=*/f", root_ + "/**/f"}, hive_), all);
  // Hidden for the folder, but named by the other source.
  EXPECT_EQ(Find({root_, root_ + "/_hidden"}, hive_),
            (Paths{"_hidden", "k=1/f", "k=2/f", "k=3/f"}));
}

TEST_F(LocalListing, OverlapsKeepTheKeysOfTheWiderSourceWithAndWithoutFilters) {
  Write("_x/k=1/f");
  Write("_x/k=2/f");
  Write("k=1/f");
  const auto keys_are = [](const std::string& wanted) {
    return [wanted](const KeyTable& keys) -> arrow::Result<std::vector<bool>> {
      std::vector<bool> keep(keys.num_rows, true);
      const KeyColumn* column = keys.Find("k");
      for (int64_t i = 0; column != nullptr && i < keys.num_rows; ++i) {
        keep[i] =
            column->index[i] != KeyColumn::kAbsent && *column->distinct[column->index[i]] == wanted;
      }
      return keep;
    };
  };
  const Paths sources = {root_, root_ + "/_x", root_ + "/_x/k=1"};
  EXPECT_EQ(Find(sources, hive_), (Paths{"_x/k=1/f", "_x/k=2/f", "k=1/f"}));
  hive_.file_filter = keys_are("1");
  EXPECT_EQ(Find(sources, hive_), (Paths{"_x/k=1/f", "k=1/f"}));
}

TEST_F(LocalListing, ASingleFileHasNoKeysUnlessTheBaseIsGiven) {
  Write("k=1/f.parquet");
  EXPECT_EQ(KeyOf(List({root_}, hive_)->files, 0, "k"), "1");
  for (const char* below : {"/k=1", "/k=1/f.parquet"}) {
    ListOptions options = hive_;
    EXPECT_EQ(KeyOf(List({root_ + below}, options)->files, 0, "k"), "<absent>") << below;
    options.partition_base_dir = root_ + "//";
    EXPECT_EQ(KeyOf(List({root_ + below}, options)->files, 0, "k"), "1") << below;
  }
  hive_.partition_base_dir = (top_ / "elsewhere").string();
  Fails({root_}, hive_, {"partition_base_dir", "elsewhere"});
}

TEST_F(LocalListing, ABaseBelowTheRootGivesKeysOnlyThere) {
  Write("a/k=1/f");
  Write("b/k=2/f");
  hive_.partition_base_dir = root_ + "/b";
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(KeyOf(listed.files, 0, "k"), "<absent>");
  EXPECT_EQ(KeyOf(listed.files, 1, "k"), "2");
}

TEST_F(LocalListing, AKeyTwiceInOnePathIsAnErrorNamingBoth) {
  Write("k=1/j=2/k=3/f");
  Fails({root_}, hive_, {root_ + "/k=1/j=2/k=3", "'k'"});
}

TEST_F(LocalListing, MissingKeysAreNullAndReported) {
  Write("a.parquet");
  Write("k=1/b.parquet");
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(KeyOf(listed.files, 0, "k"), "<absent>");
  EXPECT_EQ(KeyOf(listed.files, 1, "k"), "1");
  ListingReport report;
  ASSERT_TRUE(list::ReportMissingKeys(listed.files, {"k"}, {}, &report).ok());
  EXPECT_EQ(report[ListingIssue::kMissingKey].examples, (Paths{root_ + "/a.parquet"}));
  const std::set<ListingIssue> strict = {ListingIssue::kMissingKey};
  const auto status = list::ReportMissingKeys(listed.files, {"k"}, strict, &report);
  EXPECT_NE(status.message().find("/a.parquet"), std::string::npos);
  EXPECT_NE(status.message().find("/k=1/b.parquet"), std::string::npos) << status.ToString();
  const auto declared = list::ReportMissingKeys(listed.files, {"other"}, strict, &report);
  EXPECT_NE(declared.message().find("'other', which is declared"), std::string::npos) << declared;
}

TEST_F(LocalListing, PathsThatAreTooShortForTheirPositionsAreMisfits) {
  Write("2020/01/f");
  Write("2020/01/deeper/g");
  Write("2020/h");
  Write("_2020/01/i");
  hive_.partitioning =
      MakeDirectoryPartitioning({.field_names = {"year", "month"}, .declared = nullptr});
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"2020/01/deeper/g", "2020/01/f"}));
  EXPECT_EQ(KeyOf(listed.files, 0, "month"), "01");
  EXPECT_EQ(listed.report[ListingIssue::kMisfit].examples, (Paths{root_ + "/2020/h"}));
  EXPECT_EQ(listed.report[ListingIssue::kHidden].count, 1);
  hive_.strict = {ListingIssue::kMisfit};
  Fails({root_}, hive_, {"2020/h", "misfit"});
}

TEST_F(LocalListing, PathsThatAreTooShortHaveNullsWhereThatIsAskedFor) {
  Write("2020/01/f");
  Write("2020/h");
  Write("i");
  hive_.partitioning = MakeDirectoryPartitioning(
      {.field_names = {"year", "month"}, .declared = nullptr, .null_where_missing = true});
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"2020/01/f", "2020/h", "i"}));
  EXPECT_EQ(KeyOf(listed.files, 1, "year"), "2020");
  EXPECT_EQ(KeyOf(listed.files, 1, "month"), "<null>");
  EXPECT_EQ(KeyOf(listed.files, 2, "year"), "<null>");
  EXPECT_EQ(listed.report[ListingIssue::kMissingKey].count, 2);
  hive_.strict = {ListingIssue::kMissingKey};
  Fails({root_}, hive_, {"2020/h", "missing_key"});
  hive_.strict = {};
  hive_.partitioning = MakeFilenamePartitioning(
      {.field_names = {"year", "month"}, .declared = nullptr, .null_where_missing = true});
  Write("2021_x");
  EXPECT_EQ(KeyOf(List({root_}, hive_)->files, 2, "year"), "2021");
}

TEST_F(LocalListing, FileNamesCarryKeys) {
  Write("2020_01_f.parquet");
  Write("sub/2021_02_g.parquet");
  Write("rest.parquet");
  hive_.partitioning =
      MakeFilenamePartitioning({.field_names = {"year", "month"}, .declared = nullptr});
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"2020_01_f.parquet", "sub/2021_02_g.parquet"}));
  EXPECT_EQ(KeyOf(listed.files, 1, "year"), "2021");
  EXPECT_EQ(listed.report[ListingIssue::kMisfit].count, 1);
}

TEST_F(LocalListing, IgnoreSubdirectoryKeepsPartitions) {
  Write("f");
  Write("k=1/g");
  Write("other/h");
  hive_.ignore_subdirectory = true;
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(Relative(listed.files), (Paths{"f", "k=1/g"}));
  EXPECT_EQ(listed.report[ListingIssue::kSubdirectory].examples, (Paths{root_ + "/other"}));
}

TEST_F(LocalListing, TooDeepIsAnErrorNamingTheDirectory) {
  Write("a/b/c/f");
  hive_.max_depth = 3;
  EXPECT_EQ(Find().size(), 1u);
  hive_.max_depth = 2;
  Fails({root_}, hive_, {root_ + "/a/b/c", "max_depth"});
}

TEST_F(LocalListing, AFullListingLooksAtNoFile) {
  for (int i = 0; i < 50; ++i) Write("k=" + std::to_string(i % 5) + "/f" + std::to_string(i));
  const auto listed = List({root_}, hive_).ValueOrDie();
  EXPECT_EQ(listed.files.num_files(), 50);
  EXPECT_EQ(listed.report.directories_listed, 6);
  EXPECT_EQ(listed.report.stat_calls, 1);  // the root
}

TEST_F(LocalListing, KnownValuesLeadStraightToTheirDirectory) {
  for (const char* path : {"x/1/f", "x/2/f", "y/1/f", "_x/1/f", "z/f"}) Write(path);
  struct Expected {
    std::vector<PartitionKey> values;
    bool decode;
    Paths files;
    int lists;
    Paths known;
  };
  const Expected cases[] = {
      {{{"k", "x"}, {"j", "1"}}, false, {"x/1/f"}, 1, {"/x/1/"}},
      {{{"k", "x"}}, false, {"x/1/f", "x/2/f"}, 3, {"/x/"}},
      // Not a prefix, or one of many names that decode to it: found by listing.
      {{{"j", "1"}}, false, {"x/1/f", "y/1/f"}, 6, {}},
      {{{"k", "x"}, {"j", "1"}}, true, {"x/1/f"}, 3, {}},
      // Hidden, absent, no name at all, a directory that lacks a key: as listing has it.
      {{{"k", "_x"}}, false, {}, 1, {}},
      {{{"k", "absent"}}, false, {}, 1, {}},
      {{{"k", ".."}}, false, {}, 1, {}},
      {{{"k", "z"}}, false, {}, 1, {"/z/"}},
  };
  for (const Expected& expected : cases) {
    ListOptions options;
    options.partitioning = MakeDirectoryPartitioning(
        {.field_names = {"k", "j"}, .declared = nullptr, .percent_decode = expected.decode});
    options.key_values = expected.values;
    options.directory_filter = WhereEqual(expected.values);
    const auto listed = List({root_}, options).ValueOrDie();
    const std::string what = expected.values[0].name + "=" + *expected.values[0].value;
    EXPECT_EQ(Relative(listed.files), expected.files) << what;
    EXPECT_EQ(listed.report.directories_listed, expected.lists) << what;
    Paths known;
    for (const std::string& prefix : listed.report.known_prefixes)
      known.push_back(prefix.substr(root_.size()));
    EXPECT_EQ(known, expected.known) << what;
  }
}

TEST_F(LocalListing, TheSinkEndsTheListingEarly) {
  for (int i = 10; i < 99; ++i) Write("k=" + std::to_string(i) + "/f");
  const auto source = MakeListingSource({root_}).ValueOrDie();
  int pages = 0;
  const auto report = source->List(hive_, [&](FileTable page) -> arrow::Result<bool> {
    EXPECT_EQ(page.path(0), root_ + "/k=10/f");
    ++pages;
    return false;
  });
  EXPECT_EQ(pages, 1);
  EXPECT_FALSE(report->complete);
  EXPECT_LT(report->directories_listed, 10);
}

TEST_F(LocalListing, AnErrorOfTheSinkOrAStopEndsIt) {
  for (int i = 10; i < 30; ++i) Write("k=" + std::to_string(i) + "/f");
  const auto source = MakeListingSource({root_}).ValueOrDie();
  const auto status = source
                          ->List(hive_,
                                 [](FileTable) -> arrow::Result<bool> {
                                   return arrow::Status::UnknownError("full");
                                 })
                          .status();
  EXPECT_EQ(status.message(), "full");
  arrow::StopSource stop;
  hive_.stop = stop.token();
  stop.RequestStop();
  EXPECT_TRUE(List({root_}, hive_).status().IsCancelled());
}

TEST_F(LocalListing, ConcurrencyDoesNotChangeTheOutcome) {
  for (int i = 0; i < 400; ++i) {
    Write("a=" + std::to_string(i % 7) + "/b=" + std::to_string(i % 31) + "/f" + std::to_string(i));
  }
  hive_.list_concurrency = 1;
  const Paths serial = Find();
  hive_.list_concurrency = 100;
  EXPECT_EQ(Find(), serial);
  EXPECT_EQ(serial.size(), 400u);
  EXPECT_TRUE(std::is_sorted(serial.begin(), serial.end()));
}

TEST_F(LocalListing, ASampleOfASmallTreeIsTheTree) {
  for (int i = 0; i < 40; ++i)
    Write("k=" + std::to_string(i) + "/" + (i % 4 == 0 ? "f" : "_hidden"));
  const auto sample = MakeListingSource({root_}).ValueOrDie()->Sample(hive_, 10).ValueOrDie();
  EXPECT_TRUE(sample.complete);
  EXPECT_EQ(Relative(sample.files), Find());
}

TEST_F(LocalListing, ASampleSpreadsOverTheTreeWithoutReadingAllOfIt) {
  for (int i = 100; i < 200; ++i) {
    for (int j = 0; j < 3; ++j) Write("k=" + std::to_string(i) + "/f" + std::to_string(j));
  }
  const auto sample = MakeListingSource({root_}).ValueOrDie()->Sample(hive_, 10).ValueOrDie();
  EXPECT_FALSE(sample.complete);
  EXPECT_EQ(sample.files.num_files(), 10);
  EXPECT_LE(sample.report.directories_listed, 11);
  const Paths paths = Relative(sample.files);
  EXPECT_EQ(paths.front(), "k=100/f0");
  EXPECT_EQ(paths.back(), "k=199/f2");
  EXPECT_TRUE(std::is_sorted(paths.begin(), paths.end()));
  // Many files, most directories empty: it goes on until there are enough.
  for (int i = 0; i < 60; ++i) fs::create_directory(root_ + "/e=" + std::to_string(i));
  EXPECT_EQ(MakeListingSource({root_}).ValueOrDie()->Sample(hive_, 30)->files.num_files(), 30);
}

TEST_F(LocalListing, ASampleOfTheLargestNumberIsTheTree) {
  for (int i = 0; i < 7; ++i) Write("small/k=" + std::to_string(i) + "/f");
  for (int i = 10; i < 30; ++i) Write("large/f" + std::to_string(i));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const auto& sources : {std::vector<std::string>{root_},
                              std::vector<std::string>{root_ + "/small", root_ + "/large"}}) {
    const auto sample = MakeListingSource(sources).ValueOrDie()->Sample(hive_, kMost).ValueOrDie();
    EXPECT_TRUE(sample.complete);
    EXPECT_EQ(sample.files.num_files(), 27);
    EXPECT_EQ(sample.report.directories_listed, sources.size() == 1 ? 10 : 9);
  }
}
TEST_F(LocalListing, SamplesOfSeveralSourcesShareTheNumber) {
  for (int i = 0; i < 4; ++i) Write("small/f" + std::to_string(i));
  for (int i = 10; i < 60; ++i) Write("large/f" + std::to_string(i));
  const auto source = MakeListingSource({root_ + "/small", root_ + "/large"}).ValueOrDie();
  EXPECT_EQ(source->Sample(hive_, 20)->files.num_files(), 20);
  const auto all = source->Sample(hive_, 54).ValueOrDie();
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.files.num_files(), 54);
}

}  // namespace
}  // namespace shoal
