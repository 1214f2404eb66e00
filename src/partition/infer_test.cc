#include "partition/infer.h"

#include <algorithm>

#include <gtest/gtest.h>

#include <arrow/api.h>
#include <arrow/compute/initialize.h>

namespace shoal::partition {
namespace {

KeyColumn Column(std::vector<std::optional<std::string>> values) {
  KeyColumn column;
  column.name = "code";
  column.distinct = std::move(values);
  for (size_t i = 0; i < column.distinct.size(); ++i)
    column.index.push_back(static_cast<int32_t>(i));
  return column;
}

arrow::Result<std::shared_ptr<arrow::Array>> Typed(std::vector<std::optional<std::string>> values,
                                                   const std::shared_ptr<arrow::DataType>& type) {
  static const arrow::Status initialized = arrow::compute::Initialize();
  ARROW_RETURN_NOT_OK(initialized);
  const auto path_of = [](int64_t row) { return "root/code=?/f" + std::to_string(row); };
  ARROW_ASSIGN_OR_RAISE(auto typed, TypedKeys(Column(std::move(values)), type, path_of));
  ARROW_RETURN_NOT_OK(typed.values->ValidateFull());
  return typed.values;
}

std::string Inferred(std::vector<std::optional<std::string>> values) {
  const std::string forward = InferKeyType(Column(values))->ToString();
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(InferKeyType(Column(values))->ToString(), forward) << "depends on the order";
  return forward;
}

TEST(InferKeyType, AnIntegerMustFormatBackToItsText) {
  EXPECT_EQ(Inferred({"1", "-2", "0"}), "int32");
  EXPECT_EQ(Inferred({"01", "02"}), "string");
  EXPECT_EQ(Inferred({"1", "2147483648"}), "int64");
  EXPECT_EQ(Inferred({"1", "99999999999999999999"}), "string");
  EXPECT_EQ(Inferred({"-1", "+2"}), "string");
  EXPECT_EQ(Inferred({"1", "-0"}), "string");
  EXPECT_EQ(Inferred({"1", ""}), "string");
  EXPECT_EQ(Inferred({"1", "1.5"}), "string");
  EXPECT_EQ(Inferred({"2020-01-01"}), "string");
}

TEST(InferKeyType, NullFitsEveryType) {
  EXPECT_EQ(Inferred({"1", std::nullopt, "2"}), "int32");
  EXPECT_EQ(Inferred({std::nullopt}), "string");
  EXPECT_EQ(Inferred({}), "string");
}

TEST(TypedKeys, DeclaredTypesAreRead) {
  const auto is = [](const std::vector<std::optional<std::string>>& texts,
                     std::shared_ptr<arrow::DataType> type, const std::vector<std::string>& shown) {
    auto typed = Typed(texts, type);
    ASSERT_TRUE(typed.ok()) << type->ToString() << ": " << typed.status().ToString();
    EXPECT_TRUE((*typed)->type()->Equals(type));
    ASSERT_EQ((*typed)->length(), static_cast<int64_t>(shown.size()));
    for (size_t i = 0; i < shown.size(); ++i) {
      EXPECT_EQ((*typed)->GetScalar(i).ValueOrDie()->ToString(), shown[i]) << type->ToString();
    }
  };
  is({"01", "2", std::nullopt, "+3"}, arrow::int32(), {"1", "2", "null", "3"});
  is({"255"}, arrow::uint8(), {"255"});
  is({"-9223372036854775808"}, arrow::int64(), {"-9223372036854775808"});
  is({"18446744073709551615"}, arrow::uint64(), {"18446744073709551615"});
  is({"1.5", "-0"}, arrow::float64(), {"1.5", "-0"});
  is({"true", "false"}, arrow::boolean(), {"true", "false"});
  is({"2020-02-29"}, arrow::date32(), {"2020-02-29"});
  is({"2020-01-01 10:20:30", "2020-01-01"}, arrow::timestamp(arrow::TimeUnit::MILLI),
     {"2020-01-01 10:20:30.000", "2020-01-01 00:00:00.000"});
  is({"2020-01-01 10:20:30Z"}, arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"),
     {"2020-01-01 10:20:30Z"});
  is({"1.5", "2", "-0.25"}, arrow::decimal128(9, 2), {"1.50", "2.00", "-0.25"});
  is({"12345678901234567890123456789012345678901234567890"}, arrow::decimal256(60, 0),
     {"12345678901234567890123456789012345678901234567890"});
  is({"a", "null", ""}, arrow::utf8(), {"a", "null", ""});
  is({"a"}, arrow::large_utf8(), {"a"});
  is({"a longer text than twelve bytes"}, arrow::utf8_view(), {"a longer text than twelve bytes"});
}

TEST(TypedKeys, DictionariesOfAnyOfThose) {
  const auto type = arrow::dictionary(arrow::int16(), arrow::utf8());
  const auto typed = Typed({"a", std::nullopt, "b"}, type).ValueOrDie();
  ASSERT_TRUE(typed->type()->Equals(type));
  EXPECT_TRUE(typed->IsNull(1));
  EXPECT_EQ(static_cast<const arrow::DictionaryArray&>(*typed).dictionary()->length(), 2);
  const auto numbers =
      Typed({"1", "01"}, arrow::dictionary(arrow::int32(), arrow::int64())).ValueOrDie();
  EXPECT_EQ(static_cast<const arrow::DictionaryArray&>(*numbers).dictionary()->length(), 1);
}

TEST(TypedKeys, AValueThatDoesNotFitIsAnErrorNamingKeyValueAndPath) {
  const auto misfits = std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>>{
      {"x", arrow::int32()},
      {"", arrow::int32()},
      {"0x10", arrow::int32()},
      {"1.0", arrow::int64()},
      {"256", arrow::uint8()},
      {"-1", arrow::uint8()},
      {"+-1", arrow::int8()},
      {" 1", arrow::int8()},
      {"abc", arrow::float64()},
      {"yes", arrow::boolean()},
      {"2020-02-30", arrow::date32()},
      {"1.234", arrow::decimal128(9, 2)},
      {"12345678.00", arrow::decimal128(9, 2)},
      {"2020-01-01T00:00:00Z", arrow::timestamp(arrow::TimeUnit::SECOND)},
      {"2020-01-01T00:00:00", arrow::timestamp(arrow::TimeUnit::SECOND, "UTC")},
  };
  for (const auto& [text, type] : misfits) {
    const auto status = Typed({std::nullopt, text}, type).status();
    ASSERT_TRUE(status.IsInvalid())
        << text << " as " << type->ToString() << ": " << status.ToString();
    EXPECT_NE(status.message().find("'code'"), std::string::npos);
    EXPECT_NE(status.message().find("'" + text + "'"), std::string::npos);
    EXPECT_NE(status.message().find("root/code=?/f1"), std::string::npos);
  }
}

}  // namespace
}  // namespace shoal::partition
