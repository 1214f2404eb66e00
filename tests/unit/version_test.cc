#include <shoal/version.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace shoal {
namespace {

TEST(Version, HasThreeNumbers) {
  const std::string_view version = Version();
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2);
}

}  // namespace
}  // namespace shoal
