#include "store/open.h"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <arrow/filesystem/azurefs.h>
#include <gtest/gtest.h>

namespace shoal::store {
namespace {

using Given = std::map<std::string, std::string>;

TEST(OpenStore, OptionsThatWouldBeIgnoredAreErrorsNamingThem) {
  struct Case {
    std::string uri;
    Given options;
    std::vector<std::string> named;
  };
  const std::vector<Case> cases = {
      {"s3://b/k", {{"token", "t"}, {"region", "r"}}, {"'token'", "'access_key'"}},
      {"s3://b/k", {{"key", "k"}, {"region", "r"}}, {"'key'", "'secret_key'"}},
      {"s3://b/k", {{"secret", "s"}, {"region", "r"}}, {"'secret'", "'access_key'"}},
      {"s3://b/k", {{"anon", "true"}, {"key", "k"}, {"secret", "s"}}, {"'anon'", "'key'"}},
      {"s3://b/k", {{"role_arn", "a"}, {"key", "k"}, {"secret", "s"}}, {"'role_arn'", "'key'"}},
      {"s3://b/k", {{"external_id", "e"}, {"region", "r"}}, {"'external_id'", "'role_arn'"}},
      {"s3://b/k", {{"endpoint", "http://h:1"}, {"scheme", "https"}}, {"'scheme'", "http://"}},
      {"s3://b/k", {{"endpoint", "http://h:1"}, {"aws_allow_http", "false"}}, {"'aws_allow_http'"}},
      {"gs://b/k", {{"service_account", "f"}, {"access_token", "t"}}, {"'access_token'"}},
      {"gs://b/k", {{"anon", "true"}, {"token", "t"}}, {"'anon'", "'token'"}},
      {"gs://anonymous@b/k", {{"token", "t"}}, {"'anonymous'", "'token'"}},
      {"gs://b/k", {{"scheme", "http"}, {"anon", "1"}}, {"'scheme'", "'endpoint'"}},
      {"gs://b/k", {{"connect_timeout", "1"}}, {"'connect_timeout'"}},
      {"gs://b/k?retry_limit_seconds=3",
       {{"anon", "1"}, {"deadline", "9"}},
       {"'retry_limit_seconds'"}},
      {"abfs://c/k", {{"account_name", "a"}, {"connect_timeout", "1"}}, {"'connect_timeout'"}},
      {"abfs://c/k",
       {{"account_name", "a"}, {"account_key", "eA=="}, {"sas_key", "s"}},
       {"'account_key'", "'sas_key'"}},
      {"abfs://c/k",
       {{"account_name", "a"}, {"client_id", "i"}},
       {"'client_id'", "'client_secret'"}},
      {"abfs://c@a.dfs.core.windows.net/k", {{"account_name", "b"}}, {"'account_name'", "'a'"}},
  };
  for (const Case& each : cases) {
    const auto opened = OpenStore(each.uri, each.options);
    ASSERT_TRUE(opened.status().IsInvalid()) << each.uri << " " << each.options.begin()->first;
    for (const std::string& name : each.named) {
      EXPECT_NE(opened.status().message().find(name), std::string::npos)
          << opened.status() << " should name " << name;
    }
  }
}

TEST(OpenStore, WhatIsGivenGoesBeforeTheEnvironment) {
  ::setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5", 1);
  const auto with_sas = OpenStore("abfs://c/k", {{"account_name", "a"}, {"sas_token", "sig=x"}});
  const auto with_key = OpenStore("abfs://c/k", {{"account_name", "a"}});
  ::unsetenv("AZURE_STORAGE_ACCOUNT_KEY");
  ASSERT_TRUE(with_sas.ok()) << with_sas.status();
  ASSERT_TRUE(with_key.ok()) << with_key.status();
  EXPECT_FALSE((*with_sas)->Equals(**with_key));
}

}  // namespace
}  // namespace shoal::store
