// A partitioning of one's own: one directory a month, y2024m06, which carries two keys.
//
//   partitioning FOLDER
//
// checks that the partitioning keeps the laws, and tells what a plan of the folder (Parquet files
// in such directories) for one month reads.
#include <iostream>
#include <map>
#include <string>

#include <arrow/api.h>
#include <arrow/compute/initialize.h>
#include <shoal/dataset.h>
#include <shoal/testing/partitioning_conformance.h>

namespace {

using arrow::Result;
using arrow::Status;

/// Years have four digits and months two, so no value can be spelled in two ways.
class MonthPartitioning final : public shoal::Partitioning {
 public:
  std::string_view name() const override { return "month"; }

  Result<std::vector<shoal::PartitionKey>> ParseDirectory(int depth,
                                                          std::string_view segment) const override {
    if (depth != 0 || !IsMonth(segment)) return std::vector<shoal::PartitionKey>{};
    return std::vector<shoal::PartitionKey>{{"year", std::string(segment.substr(1, 4))},
                                            {"month", std::string(segment.substr(6, 2))}};
  }

  /// A file that is not in such a directory is no part of the table, and is reported.
  const std::vector<std::string>& required_keys() const override { return keys_; }
  /// Months are numbers, though their spelling has a zero in front.
  const std::shared_ptr<arrow::Schema>& declared() const override { return declared_; }

  Result<FormattedPath> Format(const std::vector<shoal::PartitionKey>& keys) const override {
    std::map<std::string, std::string> values;
    for (const auto& key : keys) {
      if (!key.value)
        return Status::Invalid("key '", key.name, "' is null, which has no directory");
      values[key.name] = *key.value;
    }
    const std::string& year = values["year"];
    const std::string& month = values["month"];
    if (!IsNumber(year, 4))
      return Status::Invalid("key 'year' is '", year, "', and not a number of four digits");
    if (!IsNumber(month, 2))
      return Status::Invalid("key 'month' is '", month, "', and not a number of two digits");
    return FormattedPath{"y" + year + "m" + month, ""};
  }

 private:
  static bool IsNumber(std::string_view text, size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789") == std::string_view::npos;
  }
  static bool IsMonth(std::string_view name) {
    return name.size() == 8 && name[0] == 'y' && IsNumber(name.substr(1, 4), 4) && name[5] == 'm' &&
           IsNumber(name.substr(6), 2);
  }

  const std::vector<std::string> keys_ = {"year", "month"};
  const std::shared_ptr<arrow::Schema> declared_ =
      arrow::schema({arrow::field("year", arrow::int32()), arrow::field("month", arrow::int32())});
};

Status Run(const std::string& folder) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  const auto months = std::make_shared<MonthPartitioning>();
  ARROW_RETURN_NOT_OK(shoal::testing::RunPartitioningConformance(
      {months, {"year", "month"}, {{"2024", "1999"}, {"06", "12"}}}));
  std::cout << "the partitioning keeps the laws\n";

  shoal::OpenOptions options;
  options.partitioning = months;
  ARROW_ASSIGN_OR_RAISE(auto dataset, shoal::Dataset::Open({folder}, options));
  ARROW_ASSIGN_OR_RAISE(auto keys, dataset->partition_schema());
  std::cout << keys->ToString() << "\n";
  ARROW_ASSIGN_OR_RAISE(auto filter, shoal::ParseFilter("year = 2024 and month = 6"));
  ARROW_ASSIGN_OR_RAISE(auto plan, dataset->Plan({.filter = filter}));
  for (const auto& fragment : plan.fragments)
    std::cout << fragment.path.substr(fragment.path.find(folder) + folder.size() + 1) << "\n";
  ARROW_ASSIGN_OR_RAISE(const auto report, dataset->listing_report());
  std::cout << report[shoal::ListingIssue::kMisfit].count << " files are in no month\n";
  return Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = argc == 2 ? Run(argv[1]) : Status::Invalid("usage: partitioning FOLDER");
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
