#include <shoal/testing/partitioning_conformance.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace shoal::testing {

namespace {

using arrow::Status;
using Keys = std::vector<PartitionKey>;
using Value = std::optional<std::string>;

const std::vector<Value>& AwkwardValues() {
  using namespace std::string_literals;
  static const std::vector<Value> values = {std::nullopt,
                                            "",
                                            "a/b",
                                            "/",
                                            "a=b",
                                            "=",
                                            "50%",
                                            "%41",
                                            "%2F",
                                            "%",
                                            "a b",
                                            " ",
                                            "a:b",
                                            "a*b",
                                            "..",
                                            ".",
                                            "_x",
                                            ".h",
                                            "é",
                                            "東京",
                                            "new\nline",
                                            "a\\b",
                                            "a_b",
                                            "__",
                                            "_",
                                            "a#b?",
                                            "null",
                                            "NULL",
                                            "trail.",
                                            "trail ",
                                            "[x]",
                                            "{,}",
                                            "\x7f",
                                            "0",
                                            "007",
                                            "-1",
                                            "nul\0byte"s,
                                            "\"",
                                            "__HIVE_DEFAULT_PARTITION__",
                                            std::string(200, 'x')};
  return values;
}

std::string Show(const Keys& keys) {
  std::string out;
  for (const auto& key : keys)
    out +=
        (out.empty() ? "" : ", ") + key.name + "=" + (key.value ? "'" + *key.value + "'" : "null");
  return out;
}

std::vector<std::string_view> Segments(std::string_view directory) {
  std::vector<std::string_view> out;
  while (!directory.empty()) {
    const size_t slash = directory.find('/');
    out.push_back(directory.substr(0, slash));
    if (slash == std::string_view::npos) break;
    directory.remove_prefix(slash + 1);
  }
  return out;
}

class Suite {
 public:
  explicit Suite(const PartitioningConformance& conformance)
      : conformance_(conformance), partitioning_(*conformance.partitioning) {}

  Status Run() {
    for (const auto& key : partitioning_.required_keys()) {
      if (std::find(conformance_.keys.begin(), conformance_.keys.end(), key) ==
          conformance_.keys.end())
        return Status::Invalid("the required key '", key, "' is not among the keys");
    }
    // Ordinary values, all combinations of one key's with the others' first.
    for (size_t k = 0; k < conformance_.keys.size(); ++k) {
      for (const auto& value : conformance_.values[k])
        ARROW_RETURN_NOT_OK(RoundTrip(k, value, /*must_work=*/true));
      for (const auto& value : AwkwardValues())
        ARROW_RETURN_NOT_OK(RoundTrip(k, value, /*must_work=*/false));
    }
    return NamesWithoutKeys();
  }

 private:
  Status RoundTrip(size_t key, const Value& value, bool must_work) {
    Keys keys;
    for (size_t k = 0; k < conformance_.keys.size(); ++k)
      keys.push_back({conformance_.keys[k], k == key ? value : conformance_.values[k][0]});
    const auto path = partitioning_.Format(keys);
    if (!path.ok()) {
      if (must_work) {
        return path.status().WithMessage("the keys ", Show(keys),
                                         " must have a path: ", path.status().message());
      }
      if (path.status().message().find(conformance_.keys[key]) == std::string::npos) {
        return Status::Invalid("the error about ", Show(keys),
                               " does not name the key: ", path.status().ToString());
      }
      return Status::OK();
    }
    const std::string whole = path->directory + "/" + path->file_prefix;
    const auto segments = Segments(path->directory);
    for (const auto& segment : segments) {
      if (segment.empty() || segment == "." || segment == ".." ||
          segment.find('\0') != std::string_view::npos) {
        return Status::Invalid("the path '", path->directory, "' of ", Show(keys),
                               " has a segment that is no directory of its own: '", segment, "'");
      }
    }
    if (path->file_prefix.find('/') != std::string::npos)
      return Status::Invalid("the file prefix '", path->file_prefix, "' of ", Show(keys),
                             " has a /");
    const auto [known, is_new] = paths_.try_emplace(whole, keys);
    if (!is_new && known->second != keys) {
      return Status::Invalid("the path '", whole, "' is that of ", Show(keys), " and of ",
                             Show(known->second));
    }
    for (size_t depth = 0; depth < segments.size(); ++depth) {
      const auto only = partitioning_.OnlyDirectory(static_cast<int>(depth), keys);
      if (!only || *only == segments[depth]) continue;
      return Status::Invalid("the directory '", segments[depth], "' of ", Show(keys),
                             " is not the only one, as OnlyDirectory says of '", *only, "'");
    }
    ARROW_ASSIGN_OR_RAISE(const Keys parsed, Parse(segments, path->file_prefix));
    for (const auto& wanted : keys) {
      if (std::count(parsed.begin(), parsed.end(), wanted) != 1 || parsed.size() != keys.size()) {
        return Status::Invalid("the path '", whole, "' of ", Show(keys), " is parsed as ",
                               Show(parsed));
      }
    }
    return Status::OK();
  }

  arrow::Result<Keys> Parse(const std::vector<std::string_view>& segments,
                            const std::string& prefix) const {
    Keys out;
    int depth = 0;
    for (const auto& segment : segments) {
      ARROW_ASSIGN_OR_RAISE(Keys keys, partitioning_.ParseDirectory(depth++, segment));
      out.insert(out.end(), keys.begin(), keys.end());
    }
    ARROW_ASSIGN_OR_RAISE(Keys keys, partitioning_.ParseFileName(prefix + "part-0.file"));
    out.insert(out.end(), keys.begin(), keys.end());
    return out;
  }

  /// Names that other programs make.
  Status NamesWithoutKeys() const {
    constexpr int kDeep = 1000;
    for (const char* name : {"", "_temporary", "=", "%", "\xff", "a=b=c", "==", "part"}) {
      for (int depth : {0, 1, kDeep}) {
        ARROW_RETURN_NOT_OK(partitioning_.ParseDirectory(depth, name).status());
        partitioning_.NamesKey(name);
      }
      ARROW_RETURN_NOT_OK(partitioning_.ParseFileName(name).status());
    }
    ARROW_ASSIGN_OR_RAISE(const Keys deep, partitioning_.ParseDirectory(kDeep, "part"));
    if (!deep.empty()) return Status::Invalid("the 1000th directory below carries ", Show(deep));
    return Status::OK();
  }

  const PartitioningConformance& conformance_;
  const Partitioning& partitioning_;
  std::map<std::string, Keys> paths_;
};

}  // namespace

Status RunPartitioningConformance(const PartitioningConformance& conformance) {
  if (!conformance.partitioning) return Status::Invalid("no partitioning is given");
  if (conformance.partitioning->name().empty())
    return Status::Invalid("the partitioning has no name");
  if (conformance.keys.empty() || conformance.values.size() != conformance.keys.size())
    return Status::Invalid(
        "values are wanted for each of the keys, of which there is at least one");
  for (const auto& values : conformance.values) {
    if (values.empty()) return Status::Invalid("a value is wanted for each key");
  }
  return Suite(conformance).Run();
}

}  // namespace shoal::testing
