#include "schema/leaves.h"

#include <memory>

#include <arrow/extension/bool8.h>
#include <gtest/gtest.h>

namespace shoal::schema {
namespace {

using arrow::field;
using Leaves = std::vector<int>;

// a | s{x, t{u, v}} | l[{p, q}] | m{string: {k, w}} | d (dictionary) | e (struct without fields)
std::shared_ptr<arrow::Schema> Nested() {
  auto t = arrow::struct_({field("u", arrow::int8()), field("v", arrow::utf8())});
  return arrow::schema(
      {field("a", arrow::int64()),
       field("s", arrow::struct_({field("x", arrow::int32()), field("t", t)})),
       field("l",
             arrow::list(arrow::struct_({field("p", arrow::int8()), field("q", arrow::int8())}))),
       field("m", arrow::map(arrow::utf8(), arrow::struct_({field("k", arrow::int8()),
                                                            field("w", arrow::int8())}))),
       field("d", arrow::dictionary(arrow::int32(), arrow::utf8())),
       field("e", arrow::struct_({}))});
}

TEST(Leaves, AreCountedDepthFirst) {
  auto schema = Nested();
  EXPECT_EQ(NumLeaves(*schema), 1 + 3 + 2 + 3 + 1 + 1);
  EXPECT_EQ(LeafIndex(*schema, 0), 0);
  EXPECT_EQ(LeafIndex(*schema, 2), 4);
  EXPECT_EQ(LeafIndex(*schema, 5), 10);
  EXPECT_EQ(LeafIndex(*schema, 6), 11);
}

TEST(Leaves, AllKindsOfListsHaveTheirItemsLeaves) {
  auto item = arrow::struct_({field("p", arrow::int8()), field("q", arrow::int8())});
  for (const auto& type : {arrow::list(item), arrow::large_list(item), arrow::list_view(item),
                           arrow::large_list_view(item), arrow::fixed_size_list(item, 3)}) {
    EXPECT_EQ(NumLeaves(*type), 2) << *type;
    auto projected = ProjectLeaves(*arrow::schema({field("l", type)}), {1});
    EXPECT_EQ(projected->field(0)->type()->id(), type->id());
    EXPECT_EQ(projected->field(0)->type()->field(0)->type()->ToString(), "struct<q: int8>");
  }
}

TEST(Leaves, ProjectionKeepsOnlyWhatIsAsked) {
  auto schema = Nested();
  EXPECT_TRUE(ProjectLeaves(*schema, {})->Equals(*arrow::schema({})));
  auto projected = ProjectLeaves(*schema, {0, 3, 5});
  EXPECT_EQ(projected->num_fields(), 3);
  EXPECT_EQ(projected->field(1)->type()->ToString(), "struct<t: struct<v: string>>");
  EXPECT_EQ(projected->field(2)->type()->ToString(), "list<item: struct<q: int8>>");
  Leaves all(NumLeaves(*schema));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  EXPECT_TRUE(ProjectLeaves(*schema, all)->Equals(*schema, true));
}

TEST(Leaves, AMapKeepsItsKey) {
  auto projected = ProjectLeaves(*Nested(), {6, 8});
  EXPECT_EQ(projected->field(0)->type()->ToString(), "map<string, struct<w: int8>>");
}

TEST(Leaves, PathsAndLeavesAreInverse) {
  auto schema = Nested();
  for (int leaf = 0; leaf < NumLeaves(*schema); ++leaf) {
    auto path = PathOfLeaf(*schema, leaf);
    ASSERT_TRUE(path.ok()) << path.status();
    EXPECT_EQ(LeavesOf(*schema, *path).ValueOrDie(), Leaves{leaf});
  }
  EXPECT_EQ(LeavesOf(*schema, {1}).ValueOrDie(), (Leaves{1, 2, 3}));
  EXPECT_EQ(LeavesOf(*schema, {1, 1}).ValueOrDie(), (Leaves{2, 3}));
  EXPECT_TRUE(PathOfLeaf(*schema, 11).status().IsIndexError());
  EXPECT_TRUE(PathOfLeaf(*schema, -1).status().IsIndexError());
  EXPECT_TRUE(LeavesOf(*schema, {0, 0}).status().IsIndexError());
}

TEST(Leaves, AnExtensionTypeIsOneUnit) {
  auto schema = arrow::schema({field("b", arrow::extension::bool8()), field("c", arrow::int8())});
  EXPECT_EQ(NumLeaves(*schema), 2);
  EXPECT_TRUE(ProjectLeaves(*schema, {0})->field(0)->type()->Equals(*arrow::extension::bool8()));
}

}  // namespace
}  // namespace shoal::schema
