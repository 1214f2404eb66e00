#include "schema/merge.h"

#include <string>

#include <arrow/compute/initialize.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

namespace shoal::schema {
namespace {

using arrow::field;
using TypePtr = std::shared_ptr<arrow::DataType>;

arrow::Result<std::shared_ptr<arrow::Schema>> MergeTwo(std::shared_ptr<arrow::Schema> a,
                                                       std::shared_ptr<arrow::Schema> b) {
  const std::vector<FileSchema> files = {{"a.parquet", std::move(a)}, {"b.parquet", std::move(b)}};
  return MergeSchemas(files);
}

void ExpectMention(const arrow::Status& status, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(status.message().find(word), std::string::npos) << word << " in " << status;
}

TEST(MergeSchemas, ColumnsComeInOrderOfFirstAppearance) {
  auto merged = MergeTwo(arrow::schema({field("b", arrow::int64()), field("a", arrow::utf8())}),
                         arrow::schema({field("c", arrow::int8()), field("a", arrow::utf8())}))
                    .ValueOrDie();
  EXPECT_EQ(merged->field_names(), (std::vector<std::string>{"b", "a", "c"}));
}

TEST(MergeSchemas, WhatAFileLacksOrAllowsNullIsNullable) {
  auto merged =
      MergeTwo(arrow::schema({field("x", arrow::int64(), false), field("y", arrow::int64(), false),
                              field("z", arrow::int64(), false)}),
               arrow::schema({field("x", arrow::int64(), false), field("z", arrow::int64(), true),
                              field("w", arrow::int64(), false)}))
          .ValueOrDie();
  EXPECT_FALSE(merged->field(0)->nullable());
  EXPECT_TRUE(merged->field(1)->nullable());
  EXPECT_TRUE(merged->field(2)->nullable());
  EXPECT_TRUE(merged->field(3)->nullable());
}

TEST(MergeSchemas, NullabilityInsideTypesIsMergedToo) {
  auto strict = arrow::struct_({field("x", arrow::int64(), false)});
  auto lax = arrow::struct_({field("x", arrow::int64(), true)});
  auto merged =
      MergeTwo(arrow::schema({field("s", strict)}), arrow::schema({field("s", lax)})).ValueOrDie();
  EXPECT_TRUE(merged->field(0)->type()->Equals(*lax));
}

TEST(MergeSchemas, TypesThatNothingHoldsNameColumnTypesAndFiles) {
  auto status = MergeTwo(arrow::schema({field("x", arrow::int32())}),
                         arrow::schema({field("x", arrow::utf8())}))
                    .status();
  EXPECT_TRUE(status.IsTypeError());
  ExpectMention(status, {"`x`", "int32", "string", "a.parquet", "b.parquet"});
}

TEST(MergeSchemas, NullTakesAnyType) {
  for (bool first : {true, false}) {
    auto null = arrow::schema({field("x", arrow::null(), false)});
    auto text = arrow::schema({field("x", arrow::utf8(), false)});
    auto merged = (first ? MergeTwo(null, text) : MergeTwo(text, null)).ValueOrDie();
    EXPECT_TRUE(merged->field(0)->type()->Equals(*arrow::utf8()));
    EXPECT_TRUE(merged->field(0)->nullable());
  }
}

TEST(MergeSchemas, ANameTwiceInOneFileIsAnError) {
  auto status = MergeTwo(arrow::schema({field("x", arrow::int32())}),
                         arrow::schema({field("v", arrow::int64()), field("v", arrow::int64())}))
                    .status();
  EXPECT_TRUE(status.IsInvalid());
  ExpectMention(status, {"`v`", "b.parquet"});
}

TEST(MergeSchemas, TheFirstMetadataWins) {
  auto one = arrow::key_value_metadata({"k"}, {"1"});
  auto two = arrow::key_value_metadata({"k"}, {"2"});
  auto merged = MergeTwo(arrow::schema({field("x", arrow::int32(), true, one)}, one),
                         arrow::schema({field("x", arrow::int32(), true, two)}, two))
                    .ValueOrDie();
  EXPECT_TRUE(merged->metadata()->Equals(*one));
  EXPECT_TRUE(merged->field(0)->metadata()->Equals(*one));
}

TEST(MergeSchemas, WideningNamesTheFileThatGaveTheType) {
  const std::vector<FileSchema> files = {{"a", arrow::schema({field("x", arrow::int8())})},
                                         {"b", arrow::schema({field("x", arrow::int64())})},
                                         {"c", arrow::schema({field("x", arrow::float64())})}};
  auto status = MergeSchemas(files).status();
  ExpectMention(status, {"int64 in b", "double in c"});
}

struct TypeCase {
  TypePtr a, b, merged;  // merged nullptr: an error
};

TEST(MergeTypes, WidensOnlyWithoutLoss) {
  const auto us = arrow::TimeUnit::MICRO, ns = arrow::TimeUnit::NANO, s = arrow::TimeUnit::SECOND;
  const auto dictionary = arrow::dictionary(arrow::int8(), arrow::utf8());
  const std::vector<TypeCase> cases = {
      {arrow::int8(), arrow::int64(), arrow::int64()},
      {arrow::uint8(), arrow::uint32(), arrow::uint32()},
      {arrow::uint8(), arrow::int8(), arrow::int16()},
      {arrow::uint32(), arrow::int32(), arrow::int64()},
      {arrow::uint64(), arrow::int64(), nullptr},
      {arrow::float32(), arrow::float64(), arrow::float64()},
      {arrow::int32(), arrow::float64(), arrow::float64()},
      {arrow::int32(), arrow::float32(), arrow::float64()},
      {arrow::int16(), arrow::float32(), arrow::float32()},
      {arrow::int64(), arrow::float64(), nullptr},
      {arrow::utf8(), arrow::large_utf8(), arrow::large_utf8()},
      {arrow::utf8(), arrow::binary(), nullptr},
      {arrow::utf8(), arrow::int64(), nullptr},
      {arrow::boolean(), arrow::int8(), nullptr},
      {dictionary, arrow::utf8(), arrow::utf8()},
      {dictionary, arrow::dictionary(arrow::int32(), arrow::utf8()), arrow::utf8()},
      {arrow::date32(), arrow::date64(), arrow::date64()},
      {arrow::timestamp(us), arrow::timestamp(ns), arrow::timestamp(ns)},
      {arrow::timestamp(us, "UTC"), arrow::timestamp(us), nullptr},
      {arrow::timestamp(us, "UTC"), arrow::timestamp(s, "Europe/Paris"),
       arrow::timestamp(us, "UTC")},
      {arrow::time32(s), arrow::time64(us), arrow::time64(us)},
      {arrow::duration(s), arrow::duration(us), arrow::duration(us)},
      {arrow::decimal128(9, 2), arrow::decimal128(9, 4), arrow::decimal128(11, 4)},
      {arrow::decimal128(38, 0), arrow::decimal128(38, 10), arrow::decimal256(48, 10)},
      {arrow::decimal256(76, 0), arrow::decimal256(76, 10), nullptr},
      {arrow::decimal32(9, 0), arrow::decimal32(9, 2), arrow::decimal64(11, 2)},
      {arrow::list(arrow::int8()), arrow::list(arrow::int64()), arrow::list(arrow::int64())},
      {arrow::list(arrow::int8()), arrow::large_list(arrow::int8()), nullptr},
      {arrow::fixed_size_list(arrow::int8(), 2), arrow::fixed_size_list(arrow::int8(), 3), nullptr},
      {arrow::map(arrow::utf8(), arrow::int8()), arrow::map(arrow::utf8(), arrow::int16()),
       arrow::map(arrow::utf8(), arrow::int16())},
      {arrow::null(), arrow::list(arrow::int8()), arrow::list(arrow::int8())},
  };
  for (const TypeCase& c : cases) {
    for (bool swapped : {false, true}) {
      // The zone is that of the first.
      if (swapped && c.a->id() == arrow::Type::TIMESTAMP && c.merged) continue;
      auto merged = swapped ? MergeTypes(c.b, c.a) : MergeTypes(c.a, c.b);
      if (!c.merged) {
        EXPECT_TRUE(merged.status().IsTypeError()) << *c.a << " and " << *c.b;
      } else {
        ASSERT_TRUE(merged.ok()) << merged.status();
        EXPECT_TRUE((*merged)->Equals(*c.merged))
            << *c.a << " and " << *c.b << " gave " << **merged;
      }
    }
  }
}

TEST(MergeTypes, StructsGrowByName) {
  auto a = arrow::struct_({field("a", arrow::int8(), false), field("c", arrow::utf8())});
  auto b = arrow::struct_({field("a", arrow::int16(), false), field("b", arrow::utf8(), false),
                           field("c", arrow::utf8())});
  EXPECT_EQ(MergeTypes(a, b).ValueOrDie()->ToString(),
            "struct<a: int16 not null, c: string, b: string>");
  EXPECT_EQ(MergeTypes(arrow::list(a), arrow::list(b)).ValueOrDie()->field(0)->type()->num_fields(),
            3);
}

TEST(MergeTypes, ErrorsInsideNameTheField) {
  auto a = arrow::struct_({field("p", arrow::struct_({field("q", arrow::int64())}))});
  auto b = arrow::struct_({field("p", arrow::struct_({field("q", arrow::utf8())}))});
  ExpectMention(MergeTypes(a, b).status(), {"`p`", "`q`", "int64", "string"});
}

TEST(MergeTypes, PermissivePromotesWhatOneTypeMostlyHolds) {
  const auto us = arrow::TimeUnit::MICRO;
  const std::vector<TypeCase> cases = {
      {arrow::uint64(), arrow::int8(), arrow::int64()},
      {arrow::int64(), arrow::float64(), arrow::float64()},
      {arrow::uint64(), arrow::float32(), arrow::float64()},
      {arrow::decimal128(9, 2), arrow::float32(), arrow::float64()},
      {arrow::decimal128(9, 2), arrow::int64(), arrow::decimal128(21, 2)},
      {arrow::decimal256(76, 60), arrow::int64(), nullptr},
      {arrow::utf8(), arrow::binary(), arrow::binary()},
      {arrow::large_utf8(), arrow::binary(), arrow::large_binary()},
      {arrow::utf8_view(), arrow::binary(), arrow::binary_view()},
      {arrow::list(arrow::int64()), arrow::list(arrow::float64()), arrow::list(arrow::float64())},
      {arrow::dictionary(arrow::int8(), arrow::int64()), arrow::float64(), arrow::float64()},
      // Texts of numbers, and instants of times without a zone, are for a declared schema.
      {arrow::utf8(), arrow::int64(), nullptr},
      {arrow::boolean(), arrow::int8(), nullptr},
      {arrow::timestamp(us, "UTC"), arrow::timestamp(us), nullptr},
      {arrow::date32(), arrow::timestamp(us), nullptr},
      // What lossless does stays.
      {arrow::int32(), arrow::float32(), arrow::float64()},
      {arrow::uint8(), arrow::int8(), arrow::int16()},
      {arrow::utf8(), arrow::large_utf8(), arrow::large_utf8()},
  };
  for (const auto& [a, b, merged] : cases) {
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      auto type = MergeTypes(x, y, Promote::kPermissive);
      if (!merged) {
        EXPECT_TRUE(type.status().IsTypeError()) << *x << " and " << *y;
      } else {
        ASSERT_TRUE(type.ok()) << type.status();
        EXPECT_TRUE((*type)->Equals(*merged)) << *x << " and " << *y << " gave " << **type;
      }
    }
  }
}

TEST(MergeSchemas, ALosslessErrorSaysWhereAnOptionHelps) {
  auto status = MergeTwo(arrow::schema({field("x", arrow::int64())}),
                         arrow::schema({field("x", arrow::float64())}))
                    .status();
  ExpectMention(status, {"promote = permissive"});
  status = MergeTwo(arrow::schema({field("x", arrow::int64())}),
                    arrow::schema({field("x", arrow::utf8())}))
               .status();
  EXPECT_EQ(status.message().find("permissive"), std::string::npos) << status;
}

}  // namespace
}  // namespace shoal::schema
