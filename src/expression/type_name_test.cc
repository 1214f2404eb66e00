#include "expression/type_name.h"

#include <gtest/gtest.h>

#include <arrow/api.h>

#include <shoal/filter.h>

namespace shoal::expression {
namespace {

TEST(TypeName, WhatArrowPrintsIsRead) {
  for (const auto& type : arrow::DataTypeVector{
           arrow::null(),
           arrow::boolean(),
           arrow::int8(),
           arrow::uint64(),
           arrow::float16(),
           arrow::float32(),
           arrow::float64(),
           arrow::utf8(),
           arrow::large_utf8(),
           arrow::utf8_view(),
           arrow::binary(),
           arrow::large_binary(),
           arrow::binary_view(),
           arrow::fixed_size_binary(3),
           arrow::date32(),
           arrow::date64(),
           arrow::timestamp(arrow::TimeUnit::MILLI),
           arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Paris"),
           arrow::time32(arrow::TimeUnit::SECOND),
           arrow::time64(arrow::TimeUnit::NANO),
           arrow::duration(arrow::TimeUnit::MICRO),
           arrow::decimal32(5, 2),
           arrow::decimal128(20, 3),
           arrow::decimal256(60, 0),
           arrow::list(arrow::int64()),
           arrow::list(arrow::field("element", arrow::utf8(), false)),
           arrow::large_list(arrow::list(arrow::decimal128(9, 2))),
           arrow::fixed_size_list(arrow::float32(), 3),
           arrow::map(arrow::utf8(), arrow::int32()),
           arrow::dictionary(arrow::int32(), arrow::utf8()),
           arrow::dictionary(arrow::int8(), arrow::utf8(), true),
           arrow::struct_({}),
           arrow::struct_({arrow::field("a", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
                           arrow::field("b", arrow::list(arrow::int8()), false)})}) {
    auto parsed = ParseTypeName(type->ToString());
    ASSERT_TRUE(parsed.ok()) << *type << ": " << parsed.status();
    EXPECT_TRUE((*parsed)->Equals(*type, true)) << **parsed << " is not " << *type;
    const std::string name = TypeName(*type);
    ASSERT_NE(name, "") << *type;
    EXPECT_TRUE(ParseTypeName(name).ValueOrDie()->Equals(*type, true)) << name;
  }
}

TEST(TypeName, WhatIsNoTypeIsAnError) {
  for (const char* text : {"", "integer64", "list<>", "list<int64", "struct<a>", "map<int8>",
                           "timestamp[d]", "decimal(99, 2)", "fixed_size_list<int8>[-1]",
                           "dictionary<values=string>", "int64 int64"}) {
    EXPECT_FALSE(ParseTypeName(text).ok()) << text;
  }
  std::string deep = "int8";
  for (int i = 0; i < 100'000; ++i) deep = "list<" + deep + ">";
  EXPECT_FALSE(ParseTypeName(deep).ok());
}

TEST(ParseSchema, NamesColonsAndTypes) {
  auto schema = ParseSchema(R"( a: int64,"odd, ""name""": decimal(9, 2) , s: struct<x: double, y: )"
                            R"(list<string>> not null,t:timestamp[us, tz=UTC])")
                    .ValueOrDie();
  EXPECT_TRUE(schema->Equals(*arrow::schema({
      arrow::field("a", arrow::int64()),
      arrow::field("odd, \"name\"", arrow::decimal128(9, 2)),
      arrow::field("s",
                   arrow::struct_({arrow::field("x", arrow::float64()),
                                   arrow::field("y", arrow::list(arrow::utf8()))}),
                   false),
      arrow::field("t", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
  }))) << *schema;
}

TEST(ParseSchema, ErrorsNameTheColumn) {
  const auto message = [](const char* text) { return ParseSchema(text).status().message(); };
  EXPECT_EQ(message("a: int64, b: strng").find("column 'b': `strng` is no type"), 0u);
  EXPECT_EQ(message("a: int64, a: int8"), "The schema names the column 'a' twice");
  EXPECT_EQ(message("a"), "`a` is no column: write a name, a colon and a type, as in a: int64");
  EXPECT_EQ(message("a: int64,").find("`` is no column"), 0u);
  EXPECT_EQ(message(" ").find("The schema is empty"), 0u);
}

}  // namespace
}  // namespace shoal::expression
