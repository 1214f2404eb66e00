// `key=value` directories.
#include <shoal/partitioning.h>

#include <arrow/type.h>

#include "partition/encoding.h"

namespace shoal {

namespace {

class HivePartitioning final : public Partitioning {
 public:
  explicit HivePartitioning(HiveOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "hive"; }

  arrow::Result<std::vector<PartitionKey>> ParseDirectory(int depth,
                                                          std::string_view segment) const override {
    std::vector<PartitionKey> keys;
    const size_t equals = segment.find('=');
    if (equals == std::string_view::npos || equals == 0) return keys;
    PartitionKey key{partition::DecodeText(segment.substr(0, equals), options_.percent_decode),
                     std::nullopt};
    const std::string_view value = segment.substr(equals + 1);
    // Compared as written: an encoded marker is a text that looks like it.
    if (value != options_.null_marker)
      key.value = partition::DecodeText(value, options_.percent_decode);
    keys.push_back(std::move(key));
    return keys;
  }

  bool NamesKey(std::string_view segment) const override {
    const size_t equals = segment.find('=');
    return equals != std::string_view::npos && equals > 0;
  }

  const std::shared_ptr<arrow::Schema>& declared() const override { return options_.declared; }

  arrow::Result<FormattedPath> Format(const std::vector<PartitionKey>& keys) const override {
    FormattedPath path;
    for (const PartitionKey& key : keys) {
      if (key.name.empty()) {
        return arrow::Status::Invalid("A hive partition key has an empty name; rename the column.");
      }
      for (const PartitionKey& other : keys) {
        if (&other != &key && other.name == key.name) {
          return arrow::Status::Invalid("The partition key '", key.name,
                                        "' is given twice; rename one of them.");
        }
      }
      ARROW_ASSIGN_OR_RAISE(std::string name,
                            partition::EncodeText(key.name, key.name, partition::Place::kHiveKey,
                                                  options_.percent_decode));
      std::string value = options_.null_marker;
      if (key.value) {
        ARROW_ASSIGN_OR_RAISE(
            value, partition::EncodeText(key.name, *key.value, partition::Place::kHiveValue,
                                         options_.percent_decode));
        if (value == options_.null_marker) {
          return arrow::Status::Invalid(
              "Key '", key.name, "' has the text '", options_.null_marker,
              "', which would be read back as null; choose another null_marker.");
        }
      }
      if (!path.directory.empty()) path.directory += '/';
      path.directory += name + "=" + value;
    }
    return path;
  }

 private:
  const HiveOptions options_;
};

}  // namespace

const std::vector<std::string>& Partitioning::required_keys() const {
  static const std::vector<std::string> none;
  return none;
}

std::shared_ptr<const Partitioning> MakeHivePartitioning(HiveOptions options) {
  return std::make_shared<HivePartitioning>(std::move(options));
}

}  // namespace shoal
