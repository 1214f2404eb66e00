#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/json/from_string.h>

#include "expression/evaluate.h"

namespace shoal::expression {
namespace {

using arrow::field;
using Rows = std::vector<std::string>;
using Random = std::mt19937;

std::shared_ptr<arrow::Array> FromRows(const std::shared_ptr<arrow::DataType>& type,
                                       const Rows& rows) {
  std::string json = "[";
  for (const std::string& row : rows) json += (json.size() > 1 ? "," : "") + row;
  return arrow::json::ArrayFromJSONString(type, json + "]").ValueOrDie();
}

std::shared_ptr<arrow::BooleanArray> Mask(const std::vector<int>& values) {
  arrow::BooleanBuilder builder;
  for (int value : values)
    EXPECT_TRUE((value < 0 ? builder.AppendNull() : builder.Append(value != 0)).ok());
  return std::static_pointer_cast<arrow::BooleanArray>(builder.Finish().ValueOrDie());
}

// A random value of a type, as JSON. Texts are shorter and longer than the twelve bytes a view
// holds itself.
std::string RandomValue(const arrow::DataType& type, Random& random, bool nullable = true) {
  if (nullable && random() % 5 == 0) return "null";
  auto items = [&](size_t count, const std::function<std::string()>& item) {
    std::string text = "[";
    for (size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + item();
    return text + "]";
  };
  switch (type.id()) {
    case arrow::Type::INT32:
      return std::to_string(random() % 100);
    case arrow::Type::STRUCT:
      return items(type.num_fields(),
                   [&, i = 0]() mutable { return RandomValue(*type.field(i++)->type(), random); });
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
      return items(random() % 4, [&] { return RandomValue(*type.field(0)->type(), random); });
    case arrow::Type::FIXED_SIZE_LIST:
      return items(2, [&] { return RandomValue(*type.field(0)->type(), random); });
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return items(random() % 3, [&] {
        return "[" + RandomValue(*map.key_type(), random, false) + "," +
               RandomValue(*map.item_type(), random) + "]";
      });
    }
    default:
      return "\"" + std::string(random() % 25, static_cast<char>('a' + random() % 26)) + "\"";
  }
}

const std::vector<std::shared_ptr<arrow::DataType>>& Types() {
  static const auto text = arrow::utf8_view();
  static const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::int32(),
      arrow::utf8(),
      text,
      arrow::binary_view(),
      arrow::struct_({field("a", text), field("b", arrow::int32()), field("c", arrow::utf8())}),
      arrow::list(text),
      arrow::large_list(text),
      arrow::fixed_size_list(text, 2),
      arrow::list_view(text),
      arrow::map(arrow::utf8(), text),
      arrow::map(text, arrow::int32()),
      arrow::list(
          arrow::struct_({field("x", arrow::list(text)), field("y", arrow::binary_view())})),
      arrow::struct_(
          {field("x", arrow::struct_({field("y", arrow::large_list(arrow::list(text)))}))}),
      arrow::fixed_size_list(arrow::fixed_size_list(text, 2), 2),
      arrow::list(arrow::int32()),
      arrow::dictionary(arrow::int8(), arrow::utf8()),
  };
  return types;
}

TEST(FilterBatch, SelectsRowsOfEveryType) {
  Random random(7);
  for (const auto& type : Types()) {
    for (int round = 0; round < 30; ++round) {
      size_t count = random() % 40;
      size_t offset = random() % 5;
      Rows rows;
      for (size_t i = 0; i < count + offset + 3; ++i) rows.push_back(RandomValue(*type, random));
      auto column = FromRows(type, rows)->Slice(offset, count);
      std::vector<int> mask;
      Rows expected;
      for (size_t i = 0; i < count; ++i) {
        mask.push_back(static_cast<int>(random() % 3) - 1);
        if (mask.back() == 1) expected.push_back(rows[offset + i]);
      }
      auto batch = arrow::RecordBatch::Make(arrow::schema({field("x", type)}), count, {column});
      auto filtered = FilterBatch(batch, *Mask(mask), arrow::default_memory_pool());
      ASSERT_TRUE(filtered.ok()) << type->ToString() << filtered.status();
      ASSERT_TRUE((*filtered)->ValidateFull().ok())
          << type->ToString() << (*filtered)->ValidateFull();
      auto wanted = FromRows(type, expected);
      if (type->id() == arrow::Type::DICTIONARY) {
        auto decoded = arrow::compute::Cast(*(*filtered)->column(0), arrow::utf8()).ValueOrDie();
        EXPECT_TRUE(decoded->Equals(FromRows(arrow::utf8(), expected)));
        continue;
      }
      ASSERT_TRUE((*filtered)->column(0)->Equals(*wanted))
          << type->ToString() << (*filtered)->column(0)->ToString() << wanted->ToString();
    }
  }
}

TEST(Take, TakesInAnyOrderAndAgain) {
  Random random(11);
  for (const auto& type : Types()) {
    Rows rows;
    for (int i = 0; i < 20; ++i) rows.push_back(RandomValue(*type, random));
    auto values = FromRows(type, rows)->Slice(2, 15);
    arrow::Int32Builder builder;
    Rows expected;
    for (int i = 0; i < 40; ++i) {
      auto index = static_cast<int32_t>(random() % 15);
      ASSERT_TRUE(builder.Append(index).ok());
      expected.push_back(rows[index + 2]);
    }
    auto taken = Take(*values, *builder.Finish().ValueOrDie(), arrow::default_memory_pool());
    ASSERT_TRUE(taken.ok()) << type->ToString() << taken.status();
    ASSERT_TRUE((*taken)->ValidateFull().ok());
    if (type->id() == arrow::Type::DICTIONARY) continue;
    EXPECT_TRUE((*taken)->Equals(*FromRows(type, expected))) << type->ToString();
  }
  EXPECT_TRUE(Take(*FromRows(arrow::utf8_view(), {"\"a\""}), *FromRows(arrow::float64(), {"0"}),
                   arrow::default_memory_pool())
                  .status()
                  .IsTypeError());
}

TEST(Take, RunsAreRebuilt) {
  auto runs = arrow::RunEndEncodedArray::Make(
                  9, FromRows(arrow::int16(), {"3", "5", "9"}),
                  FromRows(arrow::utf8_view(), {"\"a\"", "null", "\"longer than twelve\""}))
                  .ValueOrDie()
                  ->Slice(1, 7);
  auto taken = Take(*runs, *FromRows(arrow::int64(), {"0", "1", "2", "6", "6", "0"}),
                    arrow::default_memory_pool())
                   .ValueOrDie();
  ASSERT_TRUE(taken->ValidateFull().ok()) << taken->ValidateFull();
  const auto& result = static_cast<const arrow::RunEndEncodedArray&>(*taken);
  EXPECT_TRUE(result.run_ends()->Equals(FromRows(arrow::int16(), {"2", "3", "5", "6"})));
  EXPECT_TRUE(result.values()->Equals(
      FromRows(arrow::utf8_view(), {"\"a\"", "null", "\"longer than twelve\"", "\"a\""})));
}

TEST(Take, UnionsOfViews) {
  auto ids = FromRows(arrow::int8(), {"0", "1", "0", "1"});
  auto words = FromRows(arrow::utf8_view(), {"\"a\"", "\"b\"", "\"c\"", "\"d\""});
  auto numbers = FromRows(arrow::int32(), {"1", "2", "3", "4"});
  auto indices = FromRows(arrow::int64(), {"3", "2"});
  auto sparse = arrow::SparseUnionArray::Make(*ids, {words, numbers}).ValueOrDie();
  auto taken = Take(*sparse, *indices, arrow::default_memory_pool()).ValueOrDie();
  ASSERT_TRUE(taken->ValidateFull().ok());
  EXPECT_EQ(taken->GetScalar(0).ValueOrDie()->ToString(),
            sparse->GetScalar(3).ValueOrDie()->ToString());
  EXPECT_EQ(taken->GetScalar(1).ValueOrDie()->ToString(),
            sparse->GetScalar(2).ValueOrDie()->ToString());
  auto places = FromRows(arrow::int32(), {"0", "0", "1", "1"});
  auto dense = arrow::DenseUnionArray::Make(*ids, *places, {words, numbers}).ValueOrDie();
  taken = Take(*dense, *indices, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(taken->GetScalar(0).ValueOrDie()->ToString(),
            dense->GetScalar(3).ValueOrDie()->ToString());
  EXPECT_EQ(taken->GetScalar(1).ValueOrDie()->ToString(),
            dense->GetScalar(2).ValueOrDie()->ToString());
}

TEST(FilterBatch, AllNoneAndRunsAreCheap) {
  auto batch = arrow::RecordBatch::Make(
      arrow::schema({field("x", arrow::utf8_view())}), 4,
      {FromRows(arrow::utf8_view(), {"\"a\"", "\"b\"", "\"c\"", "\"d\""})});
  auto* pool = arrow::default_memory_pool();
  EXPECT_EQ(FilterBatch(batch, *Mask({1, 1, 1, 1}), pool).ValueOrDie(), batch);
  EXPECT_EQ(FilterBatch(batch, *Mask({0, -1, 0, 0}), pool).ValueOrDie()->num_rows(), 0);
  auto run = FilterBatch(batch, *Mask({0, 1, 1, -1}), pool).ValueOrDie();
  EXPECT_TRUE(run->Equals(*batch->Slice(1, 2)));
  EXPECT_EQ(run->column(0)->data()->buffers[1], batch->column(0)->data()->buffers[1]);
  EXPECT_FALSE(FilterBatch(batch, *Mask({1}), pool).ok());
}

TEST(FilterBatch, WithoutColumnsTheMaskCounts) {
  auto batch = arrow::RecordBatch::Make(arrow::schema({}), 5, arrow::ArrayVector{});
  auto filtered =
      FilterBatch(batch, *Mask({1, 0, 1, 0, 1}), arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(filtered->num_rows(), 3);
}

}  // namespace
}  // namespace shoal::expression
