#include "store/options.h"

#include <gtest/gtest.h>

namespace shoal::store {
namespace {

using Given = std::map<std::string, std::string>;

TEST(StoreOptions, HaveTheNamesOfOtherPrograms) {
  const std::vector<Given> spellings = {
      {{"aws_access_key_id", "k"}, {"aws_secret_access_key", "s"}, {"aws_region", "r"}},
      {{"AWS_ACCESS_KEY_ID", "k"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_REGION", "r"}},
      {{"key", "k"}, {"secret", "s"}, {"region_name", "r"}},
      {{"access_key", "k"}, {"secret_key", "s"}, {"region", "r"}},
  };
  for (const Given& given : spellings) {
    const auto options = Options::Parse(Kind::kS3, given).ValueOrDie();
    EXPECT_EQ(options["access_key"], "k");
    EXPECT_EQ(options["secret_key"], "s");
    EXPECT_EQ(options["region"], "r");
    EXPECT_FALSE(options.Has("session_token"));
  }
  EXPECT_EQ(Options::Parse(Kind::kAzure, {{"azure_storage_account_name", "a"}})
                .ValueOrDie()["account_name"],
            "a");
  EXPECT_EQ(
      Options::Parse(Kind::kGcs, {{"google_service_account", "f"}}).ValueOrDie()["service_account"],
      "f");
}

TEST(StoreOptions, UnknownOrDoubledNamesAreErrorsNamingThem) {
  const auto unknown = Options::Parse(Kind::kGcs, {{"aws_region", "r"}}).status();
  EXPECT_TRUE(unknown.IsInvalid());
  EXPECT_NE(unknown.message().find("'aws_region'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.message().find("service_account"), std::string::npos) << unknown;
  const auto doubled = Options::Parse(Kind::kS3, {{"key", "a"}, {"access_key", "b"}}).status();
  EXPECT_NE(doubled.message().find("'access_key' and 'key'"), std::string::npos) << doubled;
}

TEST(StoreOptions, TimesAndFlagsAreChecked) {
  const auto options =
      Options::Parse(Kind::kS3, {{"deadline", "2.5"}, {"timeout", "30s"}, {"anon", "True"}})
          .ValueOrDie();
  const Limits limits = options.ReadLimits().ValueOrDie();
  EXPECT_NEAR(limits.deadline.count(), 2500, 1);
  EXPECT_NEAR(limits.attempt.count(), 30'000, 1);
  EXPECT_TRUE(options.Flag("anonymous").ValueOrDie());
  for (const char* wrong : {"0", "-1", "soon", "1e9"}) {
    const auto bad = Options::Parse(Kind::kS3, {{"deadline", wrong}}).ValueOrDie();
    EXPECT_NE(bad.ReadLimits().status().message().find("'deadline' is '" + std::string(wrong)),
              std::string::npos);
  }
  EXPECT_FALSE(Options::Parse(Kind::kS3, {{"anon", "maybe"}}).ValueOrDie().Flag("anonymous").ok());
}

TEST(StoreOptions, SchemesNameTheStore) {
  EXPECT_EQ(KindOf("s3://b/k"), Kind::kS3);
  EXPECT_EQ(KindOf("gs://b/k"), Kind::kGcs);
  EXPECT_EQ(KindOf("abfss://c@a.dfs.core.windows.net/k"), Kind::kAzure);
  EXPECT_EQ(KindOf("file:///x"), std::nullopt);
  EXPECT_EQ(KindOf("data/x"), std::nullopt);
}

}  // namespace
}  // namespace shoal::store
