// Directories and files as containers of which the partition keys are known.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <shoal/listing.h>
#include <shoal/plan.h>

#include "partition/infer.h"
#include "prune/pruner.h"

namespace shoal::plan {

/// Keys of many paths as typed columns. An error names the key, the text and the path
/// (`path_of(row)`). `inferred`: keys whose types nobody has declared.
arrow::Result<std::vector<partition::TypedKeyColumn>> TypeKeys(
    const KeyTable& keys, const arrow::Schema& partition_schema,
    const std::set<std::string>& inferred, const std::function<std::string(int64_t)>& path_of);

/// One container per path.
class KeyContainers final : public prune::Containers {
 public:
  enum class Missing {
    kUnknown,  // of directories: the key may come deeper down
    kNull,     // of files: a key that the path lacks is null
  };
  /// `in_files`: keys that are also columns of files; where a path lacks such a key the file
  /// decides. References must outlive this.
  KeyContainers(const arrow::Schema& table_schema,
                const std::vector<partition::TypedKeyColumn>& keys,
                const arrow::Schema& partition_schema, const std::set<std::string>& in_files,
                int64_t size, Missing missing)
      : table_schema_(table_schema),
        keys_(keys),
        partition_schema_(partition_schema),
        in_files_(in_files),
        size_(size),
        missing_(missing) {}

  int64_t size() const override { return size_; }
  int64_t num_rows(int64_t) const override { return -1; }
  arrow::Result<std::shared_ptr<const prune::ColumnKnowledge>> Column(
      const arrow::FieldPath& path) const override;

 private:
  const arrow::Schema& table_schema_;
  const std::vector<partition::TypedKeyColumn>& keys_;
  const arrow::Schema& partition_schema_;
  const std::set<std::string>& in_files_;
  const int64_t size_;
  const Missing missing_;
};

/// The values of each file's keys, in the order of the partition schema; nullptr for a key that its
/// path lacks. Files next to each other share them.
arrow::Result<std::vector<std::shared_ptr<const PartitionValues>>> ValuesOfFiles(
    const std::vector<partition::TypedKeyColumn>& keys, const arrow::Schema& partition_schema,
    int64_t num_files);

}  // namespace shoal::plan
