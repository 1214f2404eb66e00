// Layouts that tell keys by position: directories, and parts of the file name. And the one that
// tells none.
#include <shoal/partitioning.h>

#include <algorithm>

#include <arrow/type.h>

#include "partition/encoding.h"

namespace shoal {

namespace {

// The values of exactly the keys `names`, in their order.
arrow::Result<std::vector<std::string>> EncodePositional(const PositionalOptions& options,
                                                         std::string_view layout,
                                                         const std::vector<PartitionKey>& keys,
                                                         partition::Place place) {
  std::vector<std::string> values;
  for (const PartitionKey& key : keys) {
    if (std::count(options.field_names.begin(), options.field_names.end(), key.name) == 0) {
      return arrow::Status::Invalid("Key '", key.name, "' is none of the ", layout,
                                    " partitioning's field_names.");
    }
  }
  for (const std::string& name : options.field_names) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const PartitionKey& k) { return k.name == name; });
    if (key == keys.end()) {
      return arrow::Status::Invalid(
          "A ", layout, " partitioning needs a value for each of its keys; '", name, "' has none.");
    }
    if (!key->value) {
      return arrow::Status::Invalid("Key '", name, "' is null, which a ", layout,
                                    " partitioning cannot express; use a hive partitioning.");
    }
    ARROW_ASSIGN_OR_RAISE(std::string value,
                          partition::EncodeText(name, *key->value, place, options.percent_decode));
    values.push_back(std::move(value));
  }
  return values;
}

arrow::Status EmptyValue(std::string_view key, std::string_view layout) {
  return arrow::Status::Invalid("Key '", key, "' is an empty text, which a ", layout,
                                " partitioning cannot express here; use a hive partitioning.");
}

class DirectoryPartitioning final : public Partitioning {
 public:
  explicit DirectoryPartitioning(PositionalOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "directory"; }

  arrow::Result<std::vector<PartitionKey>> ParseDirectory(int depth,
                                                          std::string_view segment) const override {
    std::vector<PartitionKey> keys;
    if (depth < 0 || static_cast<size_t>(depth) >= options_.field_names.size()) return keys;
    keys.push_back(
        {options_.field_names[depth], partition::DecodeText(segment, options_.percent_decode)});
    return keys;
  }

  std::optional<std::string> OnlyDirectory(int depth,
                                           const std::vector<PartitionKey>& values) const override {
    if (options_.percent_decode || depth < 0) return std::nullopt;
    if (static_cast<size_t>(depth) >= options_.field_names.size()) return std::nullopt;
    for (const PartitionKey& key : values) {
      if (key.name != options_.field_names[depth] || !key.value) continue;
      const std::string& name = *key.value;
      const bool is_name = !name.empty() && name != "." && name != ".." &&
                           name.find('/') == std::string::npos &&
                           name.find('\0') == std::string::npos;
      return is_name ? std::optional(name) : std::nullopt;
    }
    return std::nullopt;
  }

  const std::vector<std::string>& required_keys() const override { return options_.field_names; }
  bool null_where_missing() const override { return options_.null_where_missing; }
  const std::shared_ptr<arrow::Schema>& declared() const override { return options_.declared; }

  arrow::Result<FormattedPath> Format(const std::vector<PartitionKey>& keys) const override {
    ARROW_ASSIGN_OR_RAISE(auto values,
                          EncodePositional(options_, name(), keys, partition::Place::kSegment));
    FormattedPath path;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].empty()) return EmptyValue(options_.field_names[i], name());
      if (i > 0) path.directory += '/';
      path.directory += values[i];
    }
    return path;
  }

 private:
  const PositionalOptions options_;
};

class FilenamePartitioning final : public Partitioning {
 public:
  explicit FilenamePartitioning(PositionalOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "filename"; }

  arrow::Result<std::vector<PartitionKey>> ParseDirectory(int depth,
                                                          std::string_view segment) const override {
    return std::vector<PartitionKey>{};
  }

  arrow::Result<std::vector<PartitionKey>> ParseFileName(std::string_view name) const override {
    std::vector<PartitionKey> keys;
    for (const std::string& field : options_.field_names) {
      const size_t end = name.find('_');
      if (end == std::string_view::npos) break;
      keys.push_back({field, partition::DecodeText(name.substr(0, end), options_.percent_decode)});
      name.remove_prefix(end + 1);
    }
    return keys;
  }

  const std::vector<std::string>& required_keys() const override { return options_.field_names; }
  bool null_where_missing() const override { return options_.null_where_missing; }
  const std::shared_ptr<arrow::Schema>& declared() const override { return options_.declared; }

  arrow::Result<FormattedPath> Format(const std::vector<PartitionKey>& keys) const override {
    ARROW_ASSIGN_OR_RAISE(auto values,
                          EncodePositional(options_, name(), keys, partition::Place::kNamePart));
    // The name would begin with `_`, and be hidden.
    if (!values.empty() && values[0].empty()) return EmptyValue(options_.field_names[0], name());
    FormattedPath path;
    for (const std::string& value : values) path.file_prefix += value + "_";
    return path;
  }

 private:
  const PositionalOptions options_;
};

class NoPartitioning final : public Partitioning {
 public:
  std::string_view name() const override { return "none"; }
  arrow::Result<std::vector<PartitionKey>> ParseDirectory(int depth,
                                                          std::string_view segment) const override {
    return std::vector<PartitionKey>{};
  }
  const std::shared_ptr<arrow::Schema>& declared() const override {
    static const std::shared_ptr<arrow::Schema> none;
    return none;
  }
  arrow::Result<FormattedPath> Format(const std::vector<PartitionKey>& keys) const override {
    if (keys.empty()) return FormattedPath{};
    return arrow::Status::Invalid("Key '", keys[0].name,
                                  "' cannot be written into a path without a partitioning.");
  }
};

}  // namespace

std::shared_ptr<const Partitioning> MakeDirectoryPartitioning(PositionalOptions options) {
  return std::make_shared<DirectoryPartitioning>(std::move(options));
}
std::shared_ptr<const Partitioning> MakeFilenamePartitioning(PositionalOptions options) {
  return std::make_shared<FilenamePartitioning>(std::move(options));
}
std::shared_ptr<const Partitioning> MakeNoPartitioning() {
  static const std::shared_ptr<const Partitioning> none = std::make_shared<NoPartitioning>();
  return none;
}

}  // namespace shoal
