// What the decoder takes, Arrow's parser reads as the same rows, whichever columns are wanted.
#include "formats/json/line_decoder.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/io/memory.h>
#include <arrow/json/options.h>
#include <arrow/json/reader.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "must.h"

namespace shoal::formats::json {
namespace {

using oracle::Must;

const bool kInitialized = arrow::compute::Initialize().ok();

std::shared_ptr<arrow::RecordBatch> Decoded(std::string_view text,
                                            const std::shared_ptr<arrow::Schema>& schema) {
  return Must(DecodeLines(text, schema, arrow::default_memory_pool()));
}

std::shared_ptr<arrow::Schema> Everything() {
  using arrow::field;
  const auto item = arrow::struct_({field("k", arrow::list(arrow::int64()))});
  return arrow::schema({
      field("i", arrow::int64()),
      field("u", arrow::uint64()),
      field("small", arrow::int8()),
      field("f", arrow::float64()),
      field("g", arrow::float32()),
      field("s", arrow::utf8()),
      field("b", arrow::boolean()),
      field("n", arrow::null()),
      field("l", arrow::list(arrow::float64())),
      field("o", arrow::struct_({field("x", arrow::float64()), field("y", arrow::utf8())})),
      field("deep", arrow::list(arrow::list(item))),
  });
}

const std::vector<std::string> kLines = {
    R"({"i": 1, "u": 18446744073709551615, "small": -128, "f": 0.1, "g": 3.25, "s": "one"})",
    R"({"b":true,"n":null,"l":[1,2.5,null],"o":{"x":1.5,"y":"q"},"deep":[[{"k":[1]}],null,[]]})",
    R"({"s": "t\u00e9\"\\\/\b\f\n\r\t\ud83d\ude00", "o": {"z": {}, "y": null}, "other": [{}, "a"]})",
    R"({"i": -9223372036854775808, "f": -0, "g": 1e-3, "l": [], "b": false, "q": 12e5})",
    R"({"f": 1.5e307, "l": [12e-300, 1E+250, 1e-999], "q": 123e305})",
    R"({"i":0,"f":1234567890123456,"l":[9007199254740993.0,1e22,0.000001],"s":"","o":{}})",
    R"(  {}  )",
    R"({"s":"a longer text, so that more than one word of sixteen is looked at","i":null})",
};

/// As the units that fall back on it ask for it, one line at a time.
arrow::Result<std::shared_ptr<arrow::Table>> ReadByArrow(
    const std::string& line, const std::shared_ptr<arrow::Schema>& schema) {
  auto options = arrow::json::ParseOptions::Defaults();
  options.explicit_schema = schema;
  options.unexpected_field_behavior = arrow::json::UnexpectedFieldBehavior::Ignore;
  ARROW_ASSIGN_OR_RAISE(
      auto reader, arrow::json::TableReader::Make(
                       arrow::default_memory_pool(),
                       std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(line)),
                       arrow::json::ReadOptions::Defaults(), options));
  return reader->Read();
}

void ExpectSame(const std::string& line, const std::shared_ptr<arrow::Schema>& schema,
                int64_t* taken) {
  const auto batch = Decoded(line, schema);
  if (!batch || batch->num_rows() != 1) return;
  ++*taken;
  const auto read = ReadByArrow(line, schema);
  ASSERT_TRUE(read.ok()) << read.status() << " in " << line;
  const auto table = Must(arrow::Table::FromRecordBatches(schema, {batch}));
  ASSERT_TRUE(table->ValidateFull().ok()) << line;
  const auto equal = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  ASSERT_TRUE(table->Equals(**read, equal)) << line << table->ToString() << (*read)->ToString();
}

TEST(LineDecoder, TakesWhatCarefulWritersWrite) {
  for (const auto& line : kLines) {
    int64_t taken = 0;
    ExpectSame(line + "\n", Everything(), &taken);
    EXPECT_EQ(taken, 1) << line;
  }
}

TEST(LineDecoder, LeavesToOthersWhatIsNotPlain) {
  const auto schema = Everything();
  for (const char* line : {R"({"i": 1.0})",
                           R"({"i": "1"})",
                           R"({"u": -1})",
                           R"({"small": 128})",
                           R"({"i": 1, "i": 2})",
                           R"({"f": 9007199254740993})",
                           R"({"n": 1})",
                           R"({"i": 01})",
                           R"({"i": 1)",
                           R"({"i" 1})",
                           R"({"i": 1}{"i": 2})",
                           R"([1])",
                           R"({"i": 1,})",
                           R"({"other": tru})",
                           R"({"other": 1e999})",
                           R"({"other": "\ud800"})",
                           "{\"other\": \"a\tb\"}",
                           R"({"other": [1 2]})",
                           R"({"s": "a)",
                           R"({"other": "\)",
                           R"({"s": "\u12)",
                           R"({"other": -})",
                           R"({"b": tru})"}) {
    EXPECT_EQ(Decoded(std::string(line) + "\n", schema), nullptr) << line;
  }
  std::string deep = "{\"other\": " + std::string(1000, '[') + std::string(1000, ']') + "}\n";
  EXPECT_EQ(Decoded(deep, schema), nullptr);
}

TEST(LineDecoder, KeysMayChangeTheirOrderAndNumber) {
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())});
  const auto rows = Decoded(
      "{\"a\":1,\"b\":2}\n{\"b\":3,\"a\":4}\n\n{\"x\":0,\"b\":5}\n \r\n{}\n{\"a\":6,\"ab\":7}\n",
      schema);
  ASSERT_TRUE(rows);
  const auto expected =
      Must(ReadByArrow("{\"a\":1,\"b\":2}\n{\"a\":4,\"b\":3}\n{\"b\":5}\n{}\n{\"a\":6}\n", schema));
  EXPECT_EQ(rows->num_rows(), 5);
  EXPECT_TRUE(Must(arrow::Table::FromRecordBatches({rows}))->Equals(*expected));
}

TEST(LineDecoder, KeysOfAnyLengthAreFoundInAnyOrder) {
  std::vector<std::string> names;
  for (size_t length = 0; length < 40; ++length) {
    for (const char c : {'a', 'b'}) {
      // Longer ones differ where a hash may not look.
      std::string name(length, 'x');
      if (length > 0) name[length > 30 ? length / 4 : length - 1] = c;
      if (length > 0 || c == 'a') names.push_back(std::move(name));
    }
  }
  arrow::FieldVector fields;
  for (const auto& name : names) fields.push_back(arrow::field(name, arrow::int64()));
  const auto schema = arrow::schema(fields);
  std::mt19937 random(20261201);
  std::vector<int> order;
  for (size_t i = 0; i < names.size(); ++i) order.push_back(static_cast<int>(i));
  std::string text;
  constexpr int kRows = 20;
  for (int row = 0; row < kRows; ++row) {
    std::shuffle(order.begin(), order.end(), random);
    text += "{\"none of them\": 0";
    for (const int i : order) text += ", \"" + names[i] + "\": " + std::to_string(100 * row + i);
    text += "}\n";
  }
  UnseenKeys unseen(schema);
  const auto batch = Must(DecodeLines(text, schema, arrow::default_memory_pool(), &unseen));
  ASSERT_TRUE(batch);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(static_cast<int>(i)));
    ASSERT_EQ(column.null_count(), 0) << names[i];
    for (int row = 0; row < kRows; ++row)
      ASSERT_EQ(column.Value(row), 100 * row + static_cast<int>(i)) << names[i];
  }
  ASSERT_EQ(unseen.keys().size(), 1u);
  EXPECT_EQ(unseen.keys()[0].name, "none of them");
}

TEST(LineDecoder, WhatIsTakenIsWhatArrowReads) {
  std::mt19937 random(20261130);
  const auto pick = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  static constexpr std::string_view kTelling("\",\r\\{}[]:0123456789-+.eEun \t\x01", 30);
  const auto everything = Everything();
  int64_t taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string line = kLines[pick(kLines.size())];
    for (size_t n = pick(3); n > 0; --n) {
      const size_t at = pick(line.size());
      switch (pick(3)) {
        case 0:
          line[at] = kTelling[pick(kTelling.size())];
          break;
        case 1:
          line.insert(at, 1, kTelling[pick(kTelling.size())]);
          break;
        default:
          line.erase(at, 1);
      }
      if (line.empty()) line = " ";
    }
    if (!base::IsUtf8(line)) continue;
    auto schema = everything;
    if (pick(2) == 0) {
      arrow::FieldVector fields;
      for (const auto& field : everything->fields()) {
        if (pick(3) == 0) fields.push_back(field);
      }
      if (!fields.empty()) schema = arrow::schema(fields);
    }
    ExpectSame(line + "\n", schema, &taken);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(taken, 5000);
}

}  // namespace
}  // namespace shoal::formats::json
