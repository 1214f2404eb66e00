// Options of a format as a JSON object: one list of fields, for writing and reading.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <nlohmann/json.hpp>

#include <shoal/infer_from.h>

namespace shoal::formats::text {

/// Fields are named in a function template `Fields(visitor, options)` that calls visitor(name,
/// member) for each.
class OptionsWriter {
 public:
  template <typename Value>
  void operator()(const char* name, const Value& value, const Value& by_default) {
    if (value != by_default) json_[name] = ToJson(value);
  }
  /// Empty if all is as by default.
  std::string text() const { return json_.empty() ? "" : json_.dump(); }

 private:
  static nlohmann::json ToJson(char value) { return std::string(1, value); }
  static nlohmann::json ToJson(const std::optional<char>& value) {
    return value ? ToJson(*value) : nlohmann::json(nullptr);
  }
  static nlohmann::json ToJson(InferFrom value) {
    return value == InferFrom::kAll ? "all" : "sample";
  }
  template <typename Value>
  static nlohmann::json ToJson(const Value& value) {
    return value;
  }
  nlohmann::json json_;
};

class OptionsReader {
 public:
  static arrow::Result<OptionsReader> Make(std::string_view text) {
    OptionsReader reader;
    reader.json_ = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!reader.json_.is_object())
      return arrow::Status::Invalid("The format's options are no JSON object: ", text);
    return reader;
  }

  template <typename Value>
  void operator()(const char* name, Value& value, const Value&) {
    known_.insert(name);
    const auto found = json_.find(name);
    if (found == json_.end() || !status_.ok()) return;
    const char* wanted = FromJson(*found, &value);
    if (wanted)
      status_ = arrow::Status::Invalid("The option ", name, " is ", found->dump(), ", but must be ",
                                       wanted);
  }

  arrow::Status Finish(std::string_view format) const {
    ARROW_RETURN_NOT_OK(status_);
    for (const auto& [name, value] : json_.items()) {
      if (known_.contains(name)) continue;
      std::string names;
      for (const auto& known : known_) names += (names.empty() ? "" : ", ") + known;
      return arrow::Status::Invalid("The format ", format, " has no option '", name,
                                    "'; it has: ", names);
    }
    return arrow::Status::OK();
  }

 private:
  using json = nlohmann::json;
  // Each gives nullptr, or what the value must be.
  static const char* FromJson(const json& j, char* value) {
    if (!j.is_string() || j.get_ref<const std::string&>().size() != 1) return "one ASCII character";
    *value = j.get_ref<const std::string&>()[0];
    return nullptr;
  }
  static const char* FromJson(const json& j, std::optional<char>* value) {
    value->reset();
    if (j.is_null()) return nullptr;
    return FromJson(j, &value->emplace()) ? "one ASCII character, or null" : nullptr;
  }
  static const char* FromJson(const json& j, bool* value) {
    if (!j.is_boolean()) return "true or false";
    *value = j.get<bool>();
    return nullptr;
  }
  static const char* FromJson(const json& j, int64_t* value) {
    if (!j.is_number_integer()) return "a whole number";
    *value = j.get<int64_t>();
    return nullptr;
  }
  static const char* FromJson(const json& j, std::string* value) {
    if (!j.is_string()) return "a text";
    *value = j.get<std::string>();
    return nullptr;
  }
  static const char* FromJson(const json& j, std::vector<std::string>* value) {
    if (!j.is_array()) return "a list of texts";
    value->clear();
    for (const json& item : j) {
      if (!item.is_string()) return "a list of texts";
      value->push_back(item.get<std::string>());
    }
    return nullptr;
  }
  static const char* FromJson(const json& j, InferFrom* value) {
    if (j != "all" && j != "sample") return "sample or all";
    *value = j == "all" ? InferFrom::kAll : InferFrom::kSample;
    return nullptr;
  }

  nlohmann::json json_;
  std::set<std::string> known_;
  arrow::Status status_;
};

}  // namespace shoal::formats::text
