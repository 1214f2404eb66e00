#include "prune/file_containers.h"

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace shoal::prune {
namespace {

using arrow::field;
using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::field_ref;
using arrow::compute::literal;

const bool kInitialized = arrow::compute::Initialize().ok();

std::shared_ptr<arrow::Array> Array(const std::shared_ptr<arrow::DataType>& type,
                                    const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// Two row groups of 3 rows; every leaf has the bounds [1, 3] and [10, 12] and no nulls.
class TwoGroups : public FileFacts {
 public:
  explicit TwoGroups(std::shared_ptr<arrow::Schema> schema) : FileFacts(std::move(schema)) {}
  int num_row_groups() const override { return 2; }
  Precision<int64_t> row_group_rows(int) const override { return Precision<int64_t>::Exact(3); }
  int64_t row_group_bytes(int) const override { return 0; }
  arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const override {
    asked.insert(asked.end(), leaves.begin(), leaves.end());
    ColumnBounds bounds;
    bounds.min = Array(arrow::int32(), "[1, 10]");
    bounds.max = Array(arrow::int32(), "[3, 12]");
    bounds.null_count =
        std::static_pointer_cast<arrow::Int64Array>(Array(arrow::int64(), "[0, 0]"));
    return std::vector<ColumnBounds>(leaves.size(), bounds);
  }
  int64_t memory_size() const override { return 0; }
  mutable std::vector<int> asked;
};

struct Fixture {
  TwoGroups facts{arrow::schema(
      {field("a", arrow::int32()), field("s", arrow::struct_({field("x", arrow::int32())}))})};
  std::shared_ptr<arrow::Schema> read = arrow::schema(
      {field("s", arrow::struct_({field("y", arrow::utf8()), field("x", arrow::int64())})),
       field("k", arrow::utf8()), field("missing", arrow::int64()), field("a", arrow::int32())});
  schema::ColumnMapping mapping =
      schema::ColumnMapping::Make(*facts.schema(), *read,
                                  {{1, std::make_shared<arrow::StringScalar>("v")}}, "f")
          .ValueOrDie();
  RowGroupContainers containers{facts, mapping, *read};

  std::vector<Outcomes> operator()(const Expression& filter) const {
    return Prune({filter.Bind(*read).ValueOrDie()}, *read, containers).ValueOrDie().outcomes;
  }
};
using Sets = std::vector<Outcomes>;

TEST(RowGroupContainers, KeysAndMissingColumnsAreConstants) {
  Fixture f;
  EXPECT_EQ(f(call("equal", {field_ref("k"), literal("v")})), (Sets{kTrue, kTrue}));
  EXPECT_EQ(f(call("equal", {field_ref("missing"), literal(int64_t{1})})), (Sets{kNull, kNull}));
  EXPECT_EQ(f(call("is_null", {field_ref(arrow::FieldRef("s", "y"))})), (Sets{kTrue, kTrue}));
  EXPECT_TRUE(f.facts.asked.empty());
}

TEST(RowGroupContainers, LeavesHaveTheirOwnBounds) {
  Fixture f;
  EXPECT_EQ(f(call("greater", {field_ref("a"), literal(5)})), (Sets{kFalse, kTrue}));
  EXPECT_EQ(f.facts.asked, (std::vector<int>{0, 1}));
}

TEST(RowGroupContainers, BoundsAreWidenedToTheTablesType) {
  Fixture f;
  EXPECT_EQ(f(call("greater", {field_ref(arrow::FieldRef("s", "x")), literal(int64_t{5})})),
            (Sets{kFalse, kTrue}));
  EXPECT_EQ(f.facts.asked, (std::vector<int>{0, 1}));
}

TEST(RowGroupContainers, AWholeStructIsUnknown) {
  Fixture f;
  EXPECT_EQ(f(call("is_null", {field_ref("s")})), (Sets{kTrue | kFalse, kTrue | kFalse}));
}

TEST(CastBounds, WhatDoesNotKeepTheOrderLosesItsBounds) {
  ColumnBounds bounds;
  bounds.min = Array(arrow::utf8(), R"(["10"])");
  bounds.max = Array(arrow::utf8(), R"(["9"])");
  bounds.null_count = std::static_pointer_cast<arrow::Int64Array>(Array(arrow::int64(), "[0]"));
  auto cast = CastBounds(bounds, arrow::int64());
  EXPECT_EQ(cast.min, nullptr);
  EXPECT_EQ(cast.max, nullptr);
  EXPECT_NE(cast.null_count, nullptr);
}

}  // namespace
}  // namespace shoal::prune
