#include "schema/unseen_column.h"

#include <gtest/gtest.h>

#include <arrow/type.h>

namespace shoal::schema {
namespace {

using arrow::field;
using arrow::int32;
using arrow::int64;
using arrow::struct_;

TEST(UnseenColumn, IsTheFirstThatTheTableLacksAtAnyDepth) {
  const auto inner = [](arrow::FieldVector fields) { return struct_(std::move(fields)); };
  const arrow::Schema table({
      field("a", int64()),
      field("s", inner({field("x", int64())})),
      field("l", arrow::list(inner({field("x", int64())}))),
      field("m", arrow::map(arrow::utf8(), inner({field("x", int64())}))),
  });
  const auto unseen = [&](arrow::FieldVector file) {
    return UnseenColumn(arrow::Schema(std::move(file)), table);
  };
  EXPECT_EQ(unseen({}), "");
  EXPECT_EQ(unseen({field("a", int32())}), "") << "a type is not a name";
  EXPECT_EQ(unseen({field("a", int64()), field("b", int64())}), "b");
  EXPECT_EQ(unseen({field("A", int64())}), "A");
  const auto grown = inner({field("x", int64()), field("y", int64())});
  EXPECT_EQ(unseen({field("s", grown)}), "s.y");
  EXPECT_EQ(unseen({field("l", arrow::list(field("element", grown)))}), "l.y");
  EXPECT_EQ(unseen({field("m", arrow::map(arrow::utf8(), grown))}), "m.y");
  EXPECT_EQ(unseen({field("s", inner({field("x", int32())}))}), "");
}

}  // namespace
}  // namespace shoal::schema
