#include "read/rebatcher.h"

#include <random>
#include <string>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace shoal::read {
namespace {

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t from, int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(from + i).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::int64())}), rows,
                                  arrow::ArrayVector{builder.Finish().ValueOrDie()});
}

std::vector<std::shared_ptr<arrow::RecordBatch>> Drain(Rebatcher& rebatcher) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> out;
  while (auto batch = rebatcher.Pop()) out.push_back(batch);
  return out;
}

TEST(Rebatcher, SmallBatchesAreJoinedLargeOnesCutAndOrderIsKept) {
  std::mt19937 random(7);
  for (int64_t wanted : {1, 2, 10, 1000}) {
    Rebatcher rebatcher(wanted, arrow::default_memory_pool());
    std::vector<std::shared_ptr<arrow::RecordBatch>> got;
    int64_t pushed = 0;
    for (int i = 0; i < 200; ++i) {
      const int64_t rows = random() % 4 == 0 ? random() % 50 : random() % 4;
      ASSERT_TRUE(rebatcher.Push(Numbers(pushed, rows)).ok());
      pushed += rows;
      for (auto& batch : Drain(rebatcher)) got.push_back(batch);
    }
    ASSERT_TRUE(rebatcher.Finish().ok());
    for (auto& batch : Drain(rebatcher)) got.push_back(batch);
    int64_t next = 0;
    for (const auto& batch : got) {
      ASSERT_GT(batch->num_rows(), 0);
      ASSERT_LE(batch->num_rows(), wanted);
      const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < values.length(); ++i) ASSERT_EQ(values.Value(i), next++);
    }
    EXPECT_EQ(next, pushed);
  }
}

TEST(Rebatcher, ManySmallBatchesFillAllButTheLastHalfway) {
  Rebatcher rebatcher(1000, arrow::default_memory_pool());
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(rebatcher.Push(Numbers(i * 10, 10)).ok());
  ASSERT_TRUE(rebatcher.Finish().ok());
  auto got = Drain(rebatcher);
  ASSERT_FALSE(got.empty());
  for (size_t i = 0; i + 1 < got.size(); ++i) EXPECT_GE(got[i]->num_rows(), 500);
}

TEST(Rebatcher, ABatchOfAboutTheWantedSizeIsNotCopied) {
  Rebatcher rebatcher(100, arrow::default_memory_pool());
  for (int64_t rows : {50, 99, 100}) {
    auto batch = Numbers(0, rows);
    ASSERT_TRUE(rebatcher.Push(batch).ok());
    EXPECT_EQ(rebatcher.Pop(), batch);
  }
}

TEST(Rebatcher, BatchesWithoutColumnsKeepTheirRows) {
  Rebatcher rebatcher(10, arrow::default_memory_pool());
  const auto none = arrow::schema({});
  int64_t rows = 0;
  for (int64_t n : {3, 4, 0, 25, 1, 2}) {
    ASSERT_TRUE(rebatcher.Push(arrow::RecordBatch::Make(none, n, arrow::ArrayVector{})).ok());
  }
  ASSERT_TRUE(rebatcher.Finish().ok());
  for (const auto& batch : Drain(rebatcher)) {
    EXPECT_LE(batch->num_rows(), 10);
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, 35);
}

TEST(Rebatcher, DictionariesThatDifferAreUnified) {
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  const auto schema = arrow::schema({arrow::field("d", type)});
  Rebatcher rebatcher(100, arrow::default_memory_pool());
  const std::string dictionaries[] = {R"(["a", "b"])", R"(["b", "c", "a"])", R"(["d"])"};
  const std::string indices[] = {"[0, 1, null]", "[0, 1, 2]", "[0]"};
  for (int i = 0; i < 3; ++i) {
    auto array =
        arrow::json::DictArrayFromJSONString(type, indices[i], dictionaries[i]).ValueOrDie();
    ASSERT_TRUE(rebatcher.Push(arrow::RecordBatch::Make(schema, array->length(), {array})).ok());
  }
  ASSERT_TRUE(rebatcher.Finish().ok());
  std::string text;
  for (const auto& batch : Drain(rebatcher)) {
    ASSERT_TRUE(batch->ValidateFull().ok());
    const auto& column = static_cast<const arrow::DictionaryArray&>(*batch->column(0));
    const auto& words = static_cast<const arrow::StringArray&>(*column.dictionary());
    for (int64_t i = 0; i < column.length(); ++i) {
      text += column.IsNull(i) ? "-" : words.GetString(column.GetValueIndex(i));
    }
  }
  EXPECT_EQ(text, "ab-bcad");
}

TEST(Rebatcher, DictionariesThatHaveNoRoomInOneStayApart) {
  auto type = arrow::dictionary(arrow::int8(), arrow::int64());
  Rebatcher rebatcher(1000, arrow::default_memory_pool());
  for (int64_t first : {0, 100}) {
    auto values = Numbers(first, 100)->column(0);
    arrow::Int8Builder indices;
    for (int8_t i = 0; i < 100; ++i) ASSERT_TRUE(indices.Append(i).ok());
    auto column = arrow::DictionaryArray::FromArrays(type, indices.Finish().ValueOrDie(), values)
                      .ValueOrDie();
    auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", type)}), 100, {column});
    ASSERT_TRUE(rebatcher.Push(batch).ok());
  }
  const arrow::Status finished = rebatcher.Finish();
  ASSERT_TRUE(finished.ok()) << finished;
  const auto got = Drain(rebatcher);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0]->num_rows(), 100);
  EXPECT_EQ(got[1]->num_rows(), 100);
}

}  // namespace
}  // namespace shoal::read
