// Keys that the table has not are told, whatever is read of the lines that have them.
#include <algorithm>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "formats/json/facts.h"
#include "formats/json/line_decoder.h"
#include "formats/json/records_unit.h"
#include "formats/memory_driver.h"
#include "must.h"

namespace shoal::formats::json {
namespace {

using arrow::field;
using oracle::Must;
using Keys = std::vector<std::string>;

std::shared_ptr<arrow::Schema> Table() {
  const auto s = arrow::struct_({field("x", arrow::int64()), field("y", arrow::utf8())});
  return arrow::schema({field("a", arrow::int64()), field("s", s), field("l", arrow::list(s)),
                        field("t", arrow::utf8())});
}

/// Reads text as files are read, all of whose columns are those of Table().
class Reader {
 public:
  explicit Reader(std::string text)
      : driver_(Must(MakeJsonFormat()), std::move(text), "some/where.jsonl") {}

  /// The rows before the first of `refused`.
  arrow::Result<int64_t> Rows(std::vector<int> leaves, int64_t piece = 0) {
    ARROW_ASSIGN_OR_RAISE(auto facts, driver_.Facts(MakeTypedReader(driver_.file(), {Table()})));
    UnitRequest request{driver_.file(), facts, {0}, std::move(leaves)};
    request.unseen_column = [this](const std::string& column) {
      if (column == refused_) return arrow::Status::Invalid("refused");
      if (std::find(told_.begin(), told_.end(), column) == told_.end()) told_.push_back(column);
      return arrow::Status::OK();
    };
    ARROW_ASSIGN_OR_RAISE(auto unit, MakeUnit(std::move(request), piece));
    arrow::RecordBatchVector batches;
    status_ = driver_.Run(*unit, &batches);
    int64_t rows = 0;
    for (const auto& batch : batches) rows += batch->num_rows();
    return rows;
  }
  void Refuse(std::string column) { refused_ = std::move(column); }
  const Keys& told() const { return told_; }
  const arrow::Status& status() const { return status_; }

 private:
  MemoryDriver driver_;
  std::string refused_;
  Keys told_;
  arrow::Status status_;
};

constexpr char kText[] =
    "{\"a\": 1, \"s\": {\"x\": 1}, \"l\": [], \"t\": \"\"}\n"
    "{\"a\": 2, \"late\": 0, \"s\": {\"x\": 1, \"z\": {\"q\": 1}}}\n"
    "\n"
    "{\"l\": [null, {\"y\": \"\"}, {\"w\": null}], \"later\": [{\"in\": 1}]}\n"
    "{\"a\": 2, \"late\": 1}\n";

TEST(UnseenKeys, AreToldWhicheverColumnsAreWanted) {
  for (const std::vector<int>& leaves :
       {std::vector<int>{}, {0}, {1}, {2, 3}, {5}, {0, 1, 2, 3, 4, 5}}) {
    for (const int64_t piece : {0, 1, 60}) {
      Reader reader(kText);
      EXPECT_EQ(Must(reader.Rows(leaves, piece)), 4);
      ASSERT_TRUE(reader.status().ok()) << reader.status();
      EXPECT_EQ(reader.told(), (Keys{"late", "s.z", "l.w", "later"}));
    }
  }
}

TEST(UnseenKeys, AreToldOfLinesThatArrowsParserReads) {
  // A number of so many digits is left to it.
  const std::string digits(250, '1');
  Reader reader(std::string(kText) + "{\"t\": \"x\", \"last\": " + digits + "}\n");
  EXPECT_EQ(Must(reader.Rows({5})), 5);
  ASSERT_TRUE(reader.status().ok()) << reader.status();
  EXPECT_EQ(reader.told(), (Keys{"late", "s.z", "l.w", "later", "last"}));
}

TEST(UnseenKeys, KnownOnesAreNone) {
  Reader reader(
      "{\"t\": \"\", \"a\": 1}\n{\"\\u0061\": 1, \"s\": null, \"l\": [null]}\n{}\n{\"s\": {}}\n");
  EXPECT_EQ(Must(reader.Rows({})), 4);
  EXPECT_EQ(reader.told(), Keys{});
}

TEST(UnseenKeys, RowsBeforeARefusedKeyAreGivenWhereverTheTextIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "{\"a\": 1}\n";
  text += "{\"first\": 1}\n{\"second\": 1}\n{\"a\": 1}\n";
  for (const std::vector<int>& leaves : {std::vector<int>{}, {0}}) {
    for (const int64_t piece : {0, 1, 50, 500}) {
      Reader reader(text);
      reader.Refuse("second");
      EXPECT_EQ(Must(reader.Rows(leaves, piece)), 101);
      EXPECT_EQ(reader.status().message(), "refused");
      EXPECT_EQ(reader.told(), Keys{"first"});
    }
  }
}

TEST(UnseenKeys, RowsBeforeALateValueAreGivenWhereverTheTextIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "{\"a\": 1, \"late\": 1}\n";
  text += "{\"t\": 1}\n{\"a\": \"x\", \"later\": 1}\n{\"a\": 1}\n";
  for (const std::vector<int>& leaves : std::vector<std::vector<int>>{{0, 5}, {5}, {0}}) {
    for (const int64_t piece : {0, 1, 50, 500}) {
      Reader reader(text);
      EXPECT_EQ(Must(reader.Rows(leaves, piece)), leaves == std::vector<int>{0} ? 101 : 100);
      EXPECT_TRUE(reader.status().IsInvalid());
      EXPECT_NE(reader.status().message().find("some/where.jsonl', line 10"), std::string::npos);
      EXPECT_EQ(reader.told(), Keys{"late"});
    }
  }
}

TEST(UnseenKeys, AreBoundedWhereDataStandsInTheirPlace) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "{\"key" + std::to_string(i) + "\": 1}\n";
  UnseenKeys unseen(Table());
  const auto batch =
      Must(DecodeLines(text, arrow::schema({}), arrow::default_memory_pool(), &unseen));
  EXPECT_EQ(batch->num_rows(), 10000);
  EXPECT_EQ(unseen.keys().size(), UnseenKeys::kMost);
  EXPECT_EQ(unseen.keys()[7].name, "key7");
  EXPECT_EQ(unseen.keys()[7].row, 7);
}

}  // namespace
}  // namespace shoal::formats::json
