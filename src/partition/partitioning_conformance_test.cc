#include <shoal/testing/partitioning_conformance.h>

#include <arrow/type.h>
#include <gtest/gtest.h>

namespace shoal {
namespace {

TEST(PartitioningConformance, OurOwnKeepTheLaws) {
  PositionalOptions positional;
  positional.field_names = {"year", "city"};
  for (const auto& partitioning : {MakeHivePartitioning(), MakeDirectoryPartitioning(positional),
                                   MakeFilenamePartitioning(positional)}) {
    const arrow::Status status = testing::RunPartitioningConformance(
        {partitioning, {"year", "city"}, {{"2020", "2021"}, {"Bonn", "Köln"}}});
    EXPECT_TRUE(status.ok()) << partitioning->name() << ": " << status;
  }
}

/// Writes `value` as it is.
class Careless : public Partitioning {
 public:
  std::string_view name() const override { return "careless"; }
  arrow::Result<std::vector<PartitionKey>> ParseDirectory(int depth,
                                                          std::string_view segment) const override {
    std::vector<PartitionKey> out;
    if (depth == 0) out.push_back({"k", std::string(segment)});
    return out;
  }
  const std::shared_ptr<arrow::Schema>& declared() const override { return declared_; }
  arrow::Result<FormattedPath> Format(const std::vector<PartitionKey>& keys) const override {
    return FormattedPath{keys[0].value.value_or("null"), ""};
  }

 private:
  std::shared_ptr<arrow::Schema> declared_;
};

TEST(PartitioningConformance, OneThatLosesValuesIsFoundOut) {
  const arrow::Status status =
      testing::RunPartitioningConformance({std::make_shared<Careless>(), {"k"}, {{"a"}}});
  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace shoal
