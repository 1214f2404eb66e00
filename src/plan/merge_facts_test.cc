#include "plan/merge_facts.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/csv.h>
#include <shoal/format_by_extension.h>

#include "formats/ipc/test_files.h"
#include "formats/memory_driver.h"
#include "must.h"

namespace shoal::plan {
namespace {

using formats::MemoryDriver;
using oracle::Must;

/// Files of which each is of the format that its name tells.
class Files {
 public:
  explicit Files(std::shared_ptr<const FileFormat> format = FormatByExtension())
      : format_(std::move(format)) {}

  Files& Put(std::string path, std::string bytes) {
    auto facts = Must(MemoryDriver(format_, std::move(bytes), path).Facts());
    files_.push_back({std::move(path), std::move(facts)});
    return *this;
  }
  /// An Arrow file whose column v has the type.
  Files& Put(std::string path, const std::shared_ptr<arrow::DataType>& type) {
    const auto schema = arrow::schema({arrow::field("v", type)});
    return Put(std::move(path),
               formats::ipc::WriteBatches({}, schema, formats::ipc::Layout::kFile));
  }
  arrow::Result<std::shared_ptr<arrow::Schema>> Merge() const {
    return MergeFacts(*format_, files_);
  }
  std::string Type() const { return Must(Merge())->GetFieldByName("v")->type()->ToString(); }
  std::string Error() const { return Merge().status().message(); }

 private:
  const std::shared_ptr<const FileFormat> format_;
  std::vector<FactsOf> files_;
};

TEST(MergeFacts, FilesOfOneFormatOfTextHaveTheUnionThatTheFormatMakes) {
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.csv", "v\n1.5\n").Type(), "double");
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.tsv", "v\nx\n").Type(), "string");
  EXPECT_EQ(Files().Put("a.json", R"({"v": 1})").Put("b.jsonl", R"({"v": 1.5})").Type(), "double");
  EXPECT_EQ(Files().Put("a.csv", "v\n").Put("b.csv", "v\n1\n").Type(), "int64");
}

TEST(MergeFacts, TextIsReadAsTheFirstTypeThatHasACommonOneWithTheRest) {
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.json", R"({"v": 1.5})").Type(), "double");
  EXPECT_EQ(Files().Put("a.csv", "v\n1.5\n").Put("b.json", R"({"v": 1})").Type(), "double");
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.json", R"({"v": "x"})").Type(), "string");
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.arrow", arrow::utf8()).Type(), "string");
  EXPECT_EQ(Files().Put("a.arrow", arrow::utf8()).Put("b.csv", "v\n1\n").Type(), "string");
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.arrow", arrow::int8()).Type(), "int64");
  EXPECT_EQ(Files().Put("a.csv", "v\n1\n").Put("b.arrow", arrow::float32()).Type(), "double");
  EXPECT_EQ(Files().Put("a.json", R"({"v": 1})").Put("b.arrow", arrow::uint64()).Type(), "uint64");
  EXPECT_EQ(Files()
                .Put("a.csv", "v\n2024-01-02\n")
                .Put("b.arrow", arrow::timestamp(arrow::TimeUnit::MICRO))
                .Type(),
            "timestamp[us]");
  // Of CSV and JSON both.
  EXPECT_EQ(Files()
                .Put("a.csv", "v\n1\n")
                .Put("b.json", R"({"v": 1})")
                .Put("c.arrow", arrow::float64())
                .Type(),
            "double");
}

TEST(MergeFacts, NullsSayNothingOfTheType) {
  EXPECT_EQ(Files().Put("a.csv", "v\n").Put("b.arrow", arrow::list(arrow::int8())).Type(),
            "list<item: int8>");
  EXPECT_EQ(Files().Put("a.json", R"({"v": null})").Put("b.csv", "v\n1\n").Type(), "int64");
  // More may come where not all was seen.
  std::string large = "k,v\n";
  while (large.size() < (2 << 20)) large += "text,\n";
  EXPECT_EQ(Files().Put("a.csv", large).Put("b.arrow", arrow::int8()).Type(), "int8");
  EXPECT_EQ(Files().Put("a.csv", large).Put("b.json", R"({"k": "x"})").Type(), "string");
}

TEST(MergeFacts, WhereNoReadingWillDoTheErrorNamesColumnTypesAndFiles) {
  EXPECT_EQ(Files().Put("a.csv", "k,v\nx,1\n").Put("b.arrow", arrow::boolean()).Error(),
            "column `v` is int64 in a.csv and bool in b.arrow: no type holds all values of int64 "
            "and bool. Declare a schema to say which type is meant");
  // An integer that a double would alter.
  EXPECT_EQ(Files()
                .Put("a.csv", "v\n9007199254740993\n")
                .Put("b.json", R"({"v": 1.5})")
                .Error()
                .substr(0, 53),
            "column `v` is int64 in a.csv and double in b.json: no");
}

TEST(MergeFacts, ColumnsAreInOrderOfFirstAppearanceAndNullableWhereAFileLacksThem) {
  Files files;
  files.Put("a.csv", "c,b\n1,2\n")
      .Put("b.arrow", arrow::utf8())
      .Put("c.json", R"({"a": 1, "c": 2})");
  EXPECT_EQ(Must(files.Merge())->field_names(), (std::vector<std::string>{"c", "b", "v", "a"}));
}

TEST(FormatByExtension, IsMadeAgainFromItsOptions) {
  EXPECT_EQ(FormatByExtension()->OptionsJson(), "");
  CsvOptions csv;
  csv.delimiter = ';';
  const auto given = FormatByExtension({Must(GetFileFormat("parquet")), Must(MakeCsvFormat(csv))});
  const std::string options = given->OptionsJson();
  EXPECT_EQ(options,
            R"({"formats":[{"format":"parquet"},{"format":"csv","options":{"delimiter":";"}}]})");
  const auto made = Must(GetFileFormat("by_extension", options));
  EXPECT_EQ(made->OptionsJson(), options);
  EXPECT_EQ(made->extensions(), given->extensions());
  EXPECT_EQ(Files(made).Put("a.csv", "u;v\n1;x\n").Type(), "string");
  for (const char* wrong : {"[]", R"({"formats": 1})", R"({"formats": [1]})", R"({"format": []})",
                            R"({"formats": [{"format": "csv", "x": 1}]})"}) {
    const auto refused = GetFileFormat("by_extension", wrong).status();
    EXPECT_TRUE(refused.IsInvalid() &&
                refused.message().find("has one option, formats") != std::string::npos)
        << refused;
  }
}

}  // namespace
}  // namespace shoal::plan
