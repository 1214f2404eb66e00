#include "schema/column_mapping.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

namespace shoal::schema {
namespace {

using arrow::field;
using Leaves = std::vector<int>;
using SchemaPtr = std::shared_ptr<arrow::Schema>;
using Source = ColumnMapping::Source;

const bool kInitialized = arrow::compute::Initialize().ok();

// Rows as JSON objects or arrays.
std::shared_ptr<arrow::RecordBatch> Batch(const SchemaPtr& schema, const std::string& rows) {
  auto array =
      arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), rows).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(array).ValueOrDie()->ReplaceSchemaMetadata(
      schema->metadata());
}

ColumnMapping Make(const SchemaPtr& file, const SchemaPtr& read,
                   const std::vector<Constant>& c = {}, CastPolicy policy = CastPolicy::kWidening) {
  return ColumnMapping::Make(*file, *read, c, "f.parquet", policy).ValueOrDie();
}

// Adapts rows of the projected file, also as a slice out of a longer batch, and compares.
void ExpectAdapted(const ColumnMapping& mapping, const SchemaPtr& file, const std::string& rows,
                   const std::string& expected) {
  auto batch = Batch(ProjectLeaves(*file, mapping.leaves()), rows);
  auto wanted = Batch(mapping.read_schema(), expected);
  auto adapted = mapping.Adapt(*batch, arrow::default_memory_pool()).ValueOrDie();
  ASSERT_TRUE(adapted->ValidateFull().ok()) << adapted->ValidateFull();
  EXPECT_TRUE(adapted->schema()->Equals(*mapping.read_schema()));
  EXPECT_TRUE(adapted->Equals(*wanted)) << adapted->ToString() << wanted->ToString();
  for (int64_t offset = 0; offset < batch->num_rows(); ++offset) {
    auto slice = mapping.Adapt(*batch->Slice(offset), arrow::default_memory_pool()).ValueOrDie();
    ASSERT_TRUE(slice->ValidateFull().ok()) << slice->ValidateFull();
    EXPECT_TRUE(slice->Equals(*wanted->Slice(offset))) << slice->ToString();
  }
}

TEST(ColumnMapping, ColumnsThatAreTheSameAreShared) {
  auto schema = arrow::schema({field("a", arrow::int64()), field("b", arrow::utf8())});
  auto mapping = Make(schema, schema);
  auto batch = Batch(schema, R"([[1, "x"], [2, null]])");
  auto adapted = mapping.Adapt(*batch, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(adapted->column(0).get(), batch->column(0).get());
  EXPECT_EQ(adapted->column(1).get(), batch->column(1).get());
}

TEST(ColumnMapping, ColumnsAreMatchedByNameAndMissingOnesAreNull) {
  auto file = arrow::schema(
      {field("a", arrow::int64()), field("z", arrow::int8()), field("b", arrow::utf8())});
  auto read = arrow::schema(
      {field("b", arrow::utf8()), field("c", arrow::float64()), field("a", arrow::int64())});
  auto mapping = Make(file, read);
  EXPECT_EQ(mapping.leaves(), (Leaves{0, 2}));
  ExpectAdapted(mapping, file, R"([[1, "x"], [2, null]])", R"([["x", null, 1], [null, null, 2]])");
  EXPECT_EQ(mapping.Find({1}).kind, Source::kNull);
  EXPECT_EQ(mapping.Find({0}).leaf, 2);
}

TEST(ColumnMapping, ConstantsWinOverTheFilesColumn) {
  auto file = arrow::schema({field("k", arrow::int64()), field("x", arrow::int64())});
  auto read = arrow::schema({field("x", arrow::int64()), field("k", arrow::int64())});
  auto mapping = Make(file, read, {{1, std::make_shared<arrow::Int32Scalar>(5)}});
  EXPECT_EQ(mapping.leaves(), (Leaves{1}));
  ExpectAdapted(mapping, file, "[[1], [2]]", "[[1, 5], [2, 5]]");
  EXPECT_EQ(mapping.Find({1}).kind, Source::kConstant);
  EXPECT_TRUE(mapping.Find({1}).constant->Equals(arrow::Int64Scalar(5)));
}

TEST(ColumnMapping, NoColumnsKeepTheRowCount) {
  auto file = arrow::schema({field("a", arrow::int64())});
  auto mapping = Make(file, arrow::schema({}));
  EXPECT_TRUE(mapping.leaves().empty());
  auto batch = arrow::RecordBatch::Make(arrow::schema({}), 7, arrow::ArrayVector{});
  EXPECT_EQ(mapping.Adapt(*batch, arrow::default_memory_pool()).ValueOrDie()->num_rows(), 7);
  // A column that the file lacks has as many rows.
  auto missing = Make(file, arrow::schema({field("q", arrow::utf8())}));
  EXPECT_EQ(
      missing.Adapt(*batch, arrow::default_memory_pool()).ValueOrDie()->column(0)->null_count(), 7);
}

TEST(ColumnMapping, WidensValues) {
  auto file = arrow::schema({field("i", arrow::int32()), field("d", arrow::decimal128(9, 2)),
                             field("t", arrow::timestamp(arrow::TimeUnit::MICRO)),
                             field("c", arrow::dictionary(arrow::int32(), arrow::utf8())),
                             field("n", arrow::null())});
  auto read = arrow::schema({field("i", arrow::int64()), field("d", arrow::decimal128(12, 4)),
                             field("t", arrow::timestamp(arrow::TimeUnit::NANO)),
                             field("c", arrow::utf8()), field("n", arrow::list(arrow::int8()))});
  auto mapping = Make(file, read);
  EXPECT_EQ(mapping.leaves(), (Leaves{0, 1, 2, 3, 4}));
  ExpectAdapted(mapping, file, R"([[1, "1.50", 7, "x", null], [null, null, null, null, null]])",
                R"([[1, "1.5000", 7000, "x", null], [null, null, null, null, null]])");
}

TEST(ColumnMapping, StructsAreMatchedByNameAtAnyDepth) {
  auto file = arrow::schema(
      {field("s", arrow::struct_({field("a", arrow::int32()), field("b", arrow::utf8()),
                                  field("c", arrow::int8())}))});
  auto read = arrow::schema(
      {field("s", arrow::struct_({field("c", arrow::int8()), field("d", arrow::utf8()),
                                  field("a", arrow::int64())}))});
  auto mapping = Make(file, read);
  EXPECT_EQ(mapping.leaves(), (Leaves{0, 2}));
  ExpectAdapted(
      mapping, file, R"([{"s": {"a": 1, "c": 2}}, {"s": null}, {"s": {"a": null, "c": 3}}])",
      R"([{"s": {"c": 2, "d": null, "a": 1}}, {"s": null}, {"s": {"c": 3, "d": null, "a": null}}])");
  EXPECT_EQ(mapping.Find({0, 0}).leaf, 2);
  EXPECT_EQ(mapping.Find({0, 1}).kind, Source::kNull);
  EXPECT_EQ(mapping.Find({0, 2}).leaf, 0);
  EXPECT_TRUE(mapping.Find({0, 2}).type->Equals(*arrow::int32()));
  EXPECT_EQ(mapping.Find({0}).kind, Source::kNested);
}

TEST(ColumnMapping, AStructWithoutAnyWantedFieldKeepsItsNulls) {
  auto file = arrow::schema(
      {field("s", arrow::struct_({field("b", arrow::utf8()), field("a", arrow::int32())}))});
  auto read = arrow::schema({field("s", arrow::struct_({field("z", arrow::int8())}))});
  auto mapping = Make(file, read);
  EXPECT_EQ(mapping.leaves(), (Leaves{1}));
  ExpectAdapted(mapping, file, R"([{"s": {"a": 1}}, {"s": null}])",
                R"([{"s": {"z": null}}, {"s": null}])");
}

TEST(ColumnMapping, SharedStructsTellTheirLeaves) {
  auto schema = arrow::schema(
      {field("q", arrow::int8()),
       field("s", arrow::struct_({field("a", arrow::int32()), field("b", arrow::utf8())}))});
  auto mapping = Make(schema, schema);
  EXPECT_EQ(mapping.Find({1, 0}).leaf, 1);
  EXPECT_EQ(mapping.Find({1, 1}).leaf, 2);
}

TEST(ColumnMapping, ListsAndMapsAreAdaptedInside) {
  auto old_item = arrow::struct_({field("a", arrow::int32())});
  auto new_item = arrow::struct_({field("b", arrow::utf8()), field("a", arrow::int64())});
  auto file = arrow::schema({field("l", arrow::list(old_item)),
                             field("f", arrow::fixed_size_list(old_item, 1)),
                             field("m", arrow::map(arrow::utf8(), old_item))});
  auto read = arrow::schema({field("l", arrow::list(new_item)),
                             field("f", arrow::fixed_size_list(new_item, 1)),
                             field("m", arrow::map(arrow::utf8(), new_item))});
  ExpectAdapted(
      Make(file, read), file,
      R"([{"l": [{"a": 1}, null, {"a": 2}], "f": [{"a": 9}], "m": [["k", {"a": 5}]]},
                    {"l": null, "f": null, "m": null},
                    {"l": [], "f": [{"a": 8}], "m": [["k", null], ["j", {"a": 6}]]}])",
      R"([{"l": [{"b": null, "a": 1}, null, {"b": null, "a": 2}], "f": [{"b": null, "a": 9}],
                     "m": [["k", {"b": null, "a": 5}]]},
                    {"l": null, "f": null, "m": null},
                    {"l": [], "f": [{"b": null, "a": 8}], "m": [["k", null], ["j", {"b": null, "a": 6}]]}])");
}

TEST(ColumnMapping, OnlyTheWantedLeavesOfListsAreRead) {
  auto file = arrow::schema({field(
      "l", arrow::list(arrow::struct_({field("a", arrow::int32()), field("b", arrow::utf8())})))});
  auto read = arrow::schema({field("l", arrow::list(arrow::struct_({field("b", arrow::utf8())})))});
  auto mapping = Make(file, read);
  EXPECT_EQ(mapping.leaves(), (Leaves{1}));
  ExpectAdapted(mapping, file, R"([{"l": [{"b": "x"}]}, {"l": null}])",
                R"([{"l": [{"b": "x"}]}, {"l": null}])");
}

TEST(ColumnMapping, NullabilityFollowsTheReadSchema) {
  auto file =
      arrow::schema({field("s", arrow::struct_({field("a", arrow::int32(), false)}), false)});
  auto read = arrow::schema({field("s", arrow::struct_({field("a", arrow::int32(), true)}), true)});
  auto mapping = Make(file, read);
  ExpectAdapted(mapping, file, R"([{"s": {"a": 1}}])", R"([{"s": {"a": 1}}])");
}

TEST(ColumnMapping, TypesThatDoNotFitNameFileColumnAndTypes) {
  auto status = ColumnMapping::Make(*arrow::schema({field("x", arrow::utf8())}),
                                    *arrow::schema({field("x", arrow::int64())}), {}, "f.parquet")
                    .status();
  EXPECT_TRUE(status.IsTypeError());
  for (const char* word : {"f.parquet", "`x`", "string", "int64"}) {
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  }
}

TEST(ColumnMapping, CheckedCastsNameTheValueThatDoesNotFit) {
  auto file = arrow::schema({field("x", arrow::utf8())});
  auto mapping = Make(file, arrow::schema({field("x", arrow::int64())}), {}, CastPolicy::kChecked);
  ExpectAdapted(mapping, file, R"([["1"], ["2"]])", "[[1], [2]]");
  auto status =
      mapping.Adapt(*Batch(file, R"([["1"], ["oops"]])"), arrow::default_memory_pool()).status();
  for (const char* word : {"f.parquet", "`x`", "oops"}) {
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  }
  auto narrow = Make(arrow::schema({field("x", arrow::int64())}),
                     arrow::schema({field("x", arrow::int8())}), {}, CastPolicy::kChecked);
  EXPECT_FALSE(narrow
                   .Adapt(*Batch(arrow::schema({field("x", arrow::int64())}), "[[300]]"),
                          arrow::default_memory_pool())
                   .ok());
}

TEST(ColumnMapping, ATimestampNeverGainsOrLosesItsZone) {
  auto zoned = arrow::schema({field("x", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
  auto naive = arrow::schema({field("x", arrow::timestamp(arrow::TimeUnit::MICRO))});
  for (auto policy : {CastPolicy::kWidening, CastPolicy::kChecked}) {
    EXPECT_TRUE(ColumnMapping::Make(*zoned, *naive, {}, "f", policy).status().IsTypeError());
    EXPECT_TRUE(ColumnMapping::Make(*naive, *zoned, {}, "f", policy).status().IsTypeError());
  }
}

TEST(ColumnMapping, AnAmbiguousColumnIsAnErrorOnlyWhereItIsUsed) {
  auto file = arrow::schema(
      {field("v", arrow::int64()), field("v", arrow::int64()), field("w", arrow::int64())});
  EXPECT_TRUE(ColumnMapping::Make(*file, *arrow::schema({field("v", arrow::int64())}), {}, "f")
                  .status()
                  .IsInvalid());
  EXPECT_EQ(Make(file, arrow::schema({field("w", arrow::int64())})).leaves(), (Leaves{2}));
}

}  // namespace
}  // namespace shoal::schema
