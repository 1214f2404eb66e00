#include "schema/names.h"

#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "schema/fold.h"

namespace shoal::schema {
namespace {

using arrow::field;

constexpr SchemaRules kRename{.duplicate_names = DuplicateNames::kRename};
constexpr SchemaRules kFold{.case_insensitive = true};
constexpr SchemaRules kBoth{.duplicate_names = DuplicateNames::kRename, .case_insensitive = true};

std::shared_ptr<arrow::Schema> Of(const std::vector<std::string>& names) {
  arrow::FieldVector fields;
  for (const auto& name : names) fields.push_back(field(name, arrow::int32()));
  return arrow::schema(std::move(fields));
}

std::vector<std::string> Names(const std::vector<std::string>& names, const SchemaRules& rules) {
  return DistinctNames(Of(names), rules, "file f").ValueOrDie()->field_names();
}

using List = std::vector<std::string>;

TEST(Fold, IsLowerCaseLetterByLetter) {
  EXPECT_EQ(Fold("Id_9"), "id_9");
  EXPECT_EQ(Fold("ÄÖ"), "äö");
  EXPECT_EQ(Fold("ΣΣ"), "σσ");
  EXPECT_NE(Fold("ss"), Fold("ß"));
  EXPECT_EQ(Fold("A\xff"), "a\xff");
}

TEST(DistinctNames, LaterDuplicatesGetTheNextFreeNumber) {
  EXPECT_EQ(Names({"v", "v", "v"}, kRename), (List{"v", "v_1", "v_2"}));
  EXPECT_EQ(Names({"v", "v_1", "v", "v_1"}, kRename), (List{"v", "v_1", "v_2", "v_1_1"}));
  EXPECT_EQ(Names({"v", "v", "v_1"}, kRename), (List{"v", "v_2", "v_1"}));
  EXPECT_EQ(Names({"v", "V"}, kRename), (List{"v", "V"}));
  EXPECT_EQ(Names({"v", "V", "V_1"}, kBoth), (List{"v", "V_2", "V_1"}));
}

TEST(DistinctNames, LeaveASchemaThatHasThemAsItIs) {
  const auto schema = Of({"a", "b"});
  for (const auto& rules : {SchemaRules(), kRename, kFold, kBoth}) {
    EXPECT_EQ(DistinctNames(schema, rules, "file f").ValueOrDie(), schema);
  }
  // Without an option that may rename, who needs one of them says so.
  const auto twice = Of({"v", "v"});
  EXPECT_EQ(DistinctNames(twice, {}, "file f").ValueOrDie(), twice);
}

TEST(DistinctNames, AlikeNamesAreAnErrorThatNamesBothAndTheFile) {
  auto inner = arrow::struct_(Of({"X", "x"})->fields());
  for (const auto& schema : {Of({"X", "x"}), arrow::schema({field("s", arrow::list(inner))})}) {
    const auto status = DistinctNames(schema, kFold, "file f.parquet").status();
    EXPECT_TRUE(status.IsInvalid()) << status;
    for (const char* word : {"file f.parquet", "X`", "x`", "case_insensitive"}) {
      EXPECT_NE(status.message().find(word), std::string::npos) << status;
    }
  }
}

TEST(DistinctNames, AreMadeInsideStructsListsAndMaps) {
  auto inner = arrow::struct_(Of({"x", "x"})->fields());
  auto renamed = arrow::struct_(Of({"x", "x_1"})->fields());
  const auto nested = [](const std::shared_ptr<arrow::DataType>& type) {
    return arrow::schema({field("s", type), field("l", arrow::large_list(type)),
                          field("f", arrow::fixed_size_list(type, 2)),
                          field("m", arrow::map(arrow::utf8(), type)),
                          field("d", arrow::struct_({field("s", type)}))});
  };
  EXPECT_TRUE(
      DistinctNames(nested(inner), kRename, "file f").ValueOrDie()->Equals(nested(renamed)));
}

TEST(Spelling, IsThatOfTheFirstAppearance) {
  Spelling spelling;
  const auto first = arrow::schema(
      {field("Id", arrow::int32()), field("S", arrow::struct_({field("X", arrow::int32())}))});
  spelling.Learn(*first);
  EXPECT_EQ(spelling.Respell(first), first);
  const auto second = arrow::schema(
      {field("s", arrow::struct_({field("y", arrow::int32()), field("x", arrow::int8())})),
       field("ID", arrow::int64()), field("Other", arrow::int64())});
  const auto respelled = arrow::schema(
      {field("S", arrow::struct_({field("y", arrow::int32()), field("X", arrow::int8())})),
       field("Id", arrow::int64()), field("Other", arrow::int64())});
  EXPECT_TRUE(spelling.Respell(second)->Equals(respelled));
  spelling.Learn(*respelled);
  EXPECT_EQ(spelling.Respell("OTHER"), "Other");
  EXPECT_EQ(spelling.Respell("unknown"), "unknown");
}

TEST(Relabel, ChangesNamesAndNoValue) {
  auto type = arrow::struct_({field("x", arrow::int32()), field("x", arrow::utf8())});
  auto named = arrow::struct_({field("x", arrow::int32()), field("x_1", arrow::utf8())});
  const std::string json = R"([[1, "a"], null, [2, null]])";
  auto array = arrow::json::ArrayFromJSONString(arrow::list(type), "[" + json + "]").ValueOrDie();
  auto expected =
      arrow::json::ArrayFromJSONString(arrow::list(named), "[" + json + "]").ValueOrDie();
  auto batch = arrow::RecordBatch::Make(arrow::schema({field("l", array->type())}), 1, {array});
  auto relabelled = Relabel(*batch, arrow::schema({field("L", arrow::list(named))}));
  ASSERT_TRUE(relabelled->ValidateFull().ok());
  EXPECT_EQ(relabelled->schema()->field(0)->name(), "L");
  EXPECT_TRUE(relabelled->column(0)->Equals(expected));
}

}  // namespace
}  // namespace shoal::schema
