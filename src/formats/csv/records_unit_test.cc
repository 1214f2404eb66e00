#include "formats/csv/records_unit.h"

#include <random>

#include <arrow/csv/reader.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "formats/csv/format.h"
#include "formats/csv/head.h"
#include "formats/memory_driver.h"
#include "must.h"

namespace shoal::formats::csv {
namespace {

using oracle::Must;

/// Reads in pieces of so many bytes; 0: as files are.
class Reader {
 public:
  Reader(std::string text, CsvOptions options = {}, int64_t piece = 0,
         std::string path = "some/where.csv")
      : driver_(*MakeCsvFormat(options), std::move(text), std::move(path)) {
    auto settings = std::make_shared<Settings>(options);
    settings->piece = piece;
    settings_ = settings;
  }

  MemoryDriver& driver() { return driver_; }

  arrow::Result<std::shared_ptr<arrow::Table>> Read(std::vector<int> leaves, int64_t rows = 1000) {
    ARROW_ASSIGN_OR_RAISE(auto facts, driver_.Facts());
    return Read(std::move(facts), std::move(leaves), rows);
  }
  arrow::Result<std::shared_ptr<arrow::Table>> ReadAs(const TableTypes& types,
                                                      std::vector<int> leaves) {
    ARROW_ASSIGN_OR_RAISE(auto facts,
                          driver_.Facts(MakeHeadReader(settings_, driver_.file(), types)));
    return Read(std::move(facts), std::move(leaves));
  }
  arrow::Result<std::shared_ptr<arrow::Table>> All(int64_t rows = 1000) {
    ARROW_ASSIGN_OR_RAISE(auto facts, driver_.Facts());
    std::vector<int> leaves;
    for (int i = 0; i < facts->schema()->num_fields(); ++i) leaves.push_back(i);
    return Read(std::move(facts), std::move(leaves), rows);
  }

 private:
  arrow::Result<std::shared_ptr<arrow::Table>> Read(std::shared_ptr<const FileFacts> facts,
                                                    std::vector<int> leaves, int64_t rows = 1000) {
    auto schema = ProjectLeaves(*facts->schema(), leaves);
    UnitRequest request{driver_.file(), std::move(facts), {0}, std::move(leaves), rows};
    ARROW_ASSIGN_OR_RAISE(auto unit, MakeUnit(settings_, std::move(request)));
    arrow::RecordBatchVector batches;
    ARROW_RETURN_NOT_OK(driver_.Run(*unit, &batches));
    for (const auto& batch : batches) {
      EXPECT_GT(batch->num_rows(), 0);
      EXPECT_LE(batch->num_rows(), leaves.empty() ? 1 << 30 : rows);
      ARROW_RETURN_NOT_OK(batch->ValidateFull());
    }
    ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(schema, batches));
    return table->CombineChunks();
  }

  MemoryDriver driver_;
  std::shared_ptr<const Settings> settings_;
};

std::string ErrorOf(std::string text, CsvOptions options = {}) {
  return Reader(std::move(text), options).All().status().message();
}

/// Text with all that makes cutting hard, records of three columns.
std::string HardText(std::mt19937* random, const Dialect& dialect, const std::string& line_end) {
  static const std::vector<std::string> parts = {
      "a", "bc", "\"", "\"\"", ",", "\n", "\r\n", "\r", "\\", "#x", " ", "", "\xC3\xA9", "0", "17"};
  const auto pick = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(*random);
  };
  std::string text = "a,b,c" + line_end;
  const size_t rows = pick(12);
  for (size_t row = 0; row < rows; ++row) {
    if (pick(8) == 0) text += line_end;  // a blank line
    for (int column = 0; column < 3; ++column) {
      if (column > 0) text += ',';
      const bool quoted = pick(2) == 0;
      if (quoted) text += '"';
      for (size_t i = pick(5); i > 0; --i) {
        const std::string& part = parts[pick(parts.size())];
        if (quoted) {
          for (char c : part) {
            if (c == '"' || (c == '\\' && dialect.escaping)) text += c;
            text += c;
          }
        } else if (part.find_first_of(",\r\n") == part.npos &&
                   (part[0] != '"' || text.back() != ',')) {
          text += part;
        }
      }
      // An escape takes the meaning of what follows.
      if (!quoted && dialect.escaping && text.back() == '\\') text += '\\';
      if (quoted) text += '"';
    }
    if (row + 1 < rows || pick(2) == 0) text += line_end;
  }
  return text;
}

arrow::Result<std::shared_ptr<arrow::Table>> ArrowReads(const std::string& text,
                                                        const CsvOptions& options) {
  auto read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = false;
  auto parse = arrow::csv::ParseOptions::Defaults();
  parse.newlines_in_values = true;
  parse.escaping = options.escape.has_value();
  auto convert = *Settings(options).values.convert;
  convert.default_column_type = arrow::utf8();
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        arrow::csv::TableReader::Make(
                            arrow::io::default_io_context(),
                            std::make_shared<arrow::io::BufferReader>(
                                arrow::Buffer::FromString(EndsLine(text) ? text : text + "\n")),
                            read, parse, convert));
  ARROW_ASSIGN_OR_RAISE(auto table, reader->Read());
  return table->CombineChunks();
}

TEST(CsvRecords, EveryPieceSizeGivesTheRowsThatArrowReads) {
  int compared = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    CsvOptions options;
    if (seed % 3 == 0) options.escape = '\\';
    const std::string line_end = seed % 4 == 0 ? "\r\n" : seed % 7 == 0 ? "\r" : "\n";
    const Dialect dialect = Settings(options).DialectOf("x.csv");
    const std::string text = HardText(&random, dialect, line_end);
    const auto expected = ArrowReads(text, options);
    const TableTypes types{
        arrow::schema({arrow::field("a", arrow::utf8()), arrow::field("b", arrow::utf8()),
                       arrow::field("c", arrow::utf8())}),
        true};
    for (int64_t piece : {1, 2, 3, 5, 8, 13, 1000}) {
      const auto got = Reader(text, options, piece).ReadAs(types, {0, 1, 2});
      ASSERT_EQ(got.ok(), expected.ok())
          << seed << " " << got.status() << expected.status() << text;
      if (!got.ok()) continue;
      ++compared;
      ASSERT_TRUE((*got)->Equals(**expected)) << "seed " << seed << ", piece " << piece << "\n"
                                              << text << (*got)->ToString();
      for (std::vector<int> some : {std::vector<int>{0}, {1}, {2}, {0, 2}, {1, 2}, {}}) {
        auto part = Must(Reader(text, options, piece).ReadAs(types, some));
        auto wanted = Must((*expected)->SelectColumns(some));
        ASSERT_EQ(part->num_rows(), wanted->num_rows()) << some.size();
        ASSERT_TRUE(part->Equals(*wanted)) << "seed " << seed << ", piece " << piece << "\n"
                                           << text << part->ToString() << wanted->ToString();
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(CsvRecords, RecordsMayBeLongerThanAPiece) {
  const std::string long_value(100000, 'x');
  auto table = Must(Reader("a,b\n1,\"" + long_value + "\n\"\n2,y\n", {}, 64).All());
  EXPECT_EQ(table->num_rows(), 2);
  EXPECT_EQ(static_cast<const arrow::StringArray&>(*table->column(1)->chunk(0)).GetView(0),
            long_value + "\n");
}

TEST(CsvRecords, BatchesAreOfTheWantedSize) {
  std::string text = "a,b\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + ",x\n";
  for (std::vector<int> leaves : {std::vector<int>{0, 1}, {1}}) {
    auto table = Must(Reader(text).Read(leaves, 7));
    EXPECT_EQ(table->num_rows(), 1000);
  }
}

TEST(CsvRecords, AFewRowsReadAFewBytes) {
  std::string text = "a,b\n";
  while (text.size() < (8 << 20)) text += "12345,some text that is a bit longer\n";
  Reader reader(text);
  auto facts = Must(reader.driver().Facts());
  EXPECT_LT(reader.driver().bytes_read(), 1 << 20);
  UnitRequest request{reader.driver().file(), facts, {0}, {0, 1}, 1000, 10};
  auto unit = Must((*MakeCsvFormat())->MakeUnit(request));
  auto step = Must(unit->Next({}));
  const auto& need = std::get<NeedBytes>(step);
  ASSERT_EQ(need.ranges.size(), 1);
  EXPECT_LE(need.ranges[0].length, 64 << 10);
}

TEST(CsvRecords, RaggedRecordsAreErrorsThatNameTheLineWhateverIsRead) {
  const std::string text = "a,b\n1,\"x\ny\"\n2\n3,z\n";
  const TableTypes types{arrow::schema({arrow::field("a", arrow::int64())}), true};
  for (std::vector<int> leaves : {std::vector<int>{0, 1}, {0}, {}}) {
    const auto read = Reader(text).ReadAs(types, leaves);
    EXPECT_EQ(read.status().message(),
              "'some/where.csv', line 4: 1 value where there are 2 columns: 2");
  }
  EXPECT_EQ(ErrorOf("a,b\n1,2\n1,2,3\n"),
            "'some/where.csv', line 3: 3 values where there are 2 columns: 1,2,3");
}

TEST(CsvRecords, AQuoteThatIsNotClosedIsNamed) {
  EXPECT_EQ(ErrorOf("a,b\n1,x\n2,\"y\n3,z\n"),
            "'some/where.csv', line 3: what begins here does not end: a quote is not closed, "
            "or nothing follows an escape");
}

TEST(CsvRecords, RowsBeforeALateValueAreGivenWhereverTheTextIsCut) {
  const TableTypes found{
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())}), false};
  std::string text = "a,b\n";
  for (int i = 0; i < 100; ++i) text += "1,2\n";
  text += "3,x\n1,2\ny,2\n1,2\n";
  for (const std::vector<int>& leaves : std::vector<std::vector<int>>{{0, 1}, {1}, {0}}) {
    for (const int64_t piece : {0, 50, 500}) {
      for (const int64_t batch_rows : {7, 1000}) {
        MemoryDriver driver(*MakeCsvFormat(), text, "some/where.csv");
        auto settings = std::make_shared<Settings>(CsvOptions());
        settings->piece = piece;
        auto facts = Must(driver.Facts(MakeHeadReader(settings, driver.file(), found)));
        auto unit = Must(MakeUnit(settings, {driver.file(), facts, {0}, leaves, batch_rows}));
        arrow::RecordBatchVector batches;
        const auto status = driver.Run(*unit, &batches);
        int64_t rows = 0;
        for (const auto& batch : batches) rows += batch->num_rows();
        EXPECT_EQ(rows, leaves == std::vector<int>{0} ? 102 : 100) << piece << " " << batch_rows;
        EXPECT_TRUE(status.IsInvalid());
      }
    }
  }
}

TEST(CsvRecords, LateValuesThatDoNotFitAreErrorsWithFileLineColumnAndValue) {
  const TableTypes found{
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())}), false};
  for (std::string value : {"x", "01", "+2", "-0", "1.5", "\"\""}) {
    const auto read = Reader("a,b\n1,p\n\n" + value + ",q\n").ReadAs(found, {0});
    ASSERT_TRUE(read.status().IsInvalid()) << value;
    const std::string& message = read.status().message();
    EXPECT_TRUE(message.starts_with("'some/where.csv', line 4: column 'a': ")) << message;
    EXPECT_NE(message.find("infer=\"all\""), std::string::npos) << message;
    if (value != "\"\"") {
      EXPECT_NE(message.find("'" + value + "'"), std::string::npos) << message;
    }
  }
  // Declared, 01 is a way to write 1.
  TableTypes declared = found;
  declared.declared = true;
  auto table = Must(Reader("a,b\n01,p\n").ReadAs(declared, {0}));
  EXPECT_TRUE((*table->column(0)->GetScalar(0))->Equals(arrow::Int64Scalar(1)));
}

TEST(CsvRecords, DoublesDoNotAlterIntegers) {
  const TableTypes found{arrow::schema({arrow::field("a", arrow::float64())}), false};
  EXPECT_TRUE(Reader("a\n9007199254740992\n0.1\n-0.5\n1e300\n").ReadAs(found, {0}).ok());
  for (bool declared : {false, true}) {
    const auto read = Reader("a\n0.5\n9007199254740993\n").ReadAs({found.schema, declared}, {0});
    EXPECT_NE(read.status().message().find("line 3: column 'a'"), std::string::npos)
        << read.status();
  }
}

TEST(CsvRecords, InvalidUtf8IsAnError) {
  const TableTypes types{arrow::schema({arrow::field("a", arrow::utf8())}), false};
  const auto read = Reader("a,b\nx,1\n\xFF,2\n").ReadAs(types, {0});
  EXPECT_NE(read.status().message().find("line 3: column 'a': "), std::string::npos);
  EXPECT_NE(read.status().message().find("invalid UTF8"), std::string::npos) << read.status();
  // The same is said where types are found.
  EXPECT_EQ(ErrorOf("a,b\nx,1\n\xFF,2\n"), read.status().message());
  EXPECT_TRUE(read.status().message().ends_with("Name the encoding of the file (encoding)"));
}

TEST(CsvRecords, CommentsAreLeftOut) {
  CsvOptions options;
  options.comment = '#';
  for (int64_t piece : {1, 4, 1000}) {
    auto table = Must(Reader("# one \" quote\na,b\n1,#x\n#2,y\n3,z\n# end", options, piece).All());
    EXPECT_EQ(table->num_rows(), 2);
  }
}

}  // namespace
}  // namespace shoal::formats::csv
