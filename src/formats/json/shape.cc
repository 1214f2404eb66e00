#include "formats/json/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace shoal::formats::json {

using arrow::Status;

Shape::Shape() = default;
Shape::~Shape() = default;
Shape::Shape(const Shape& other) { Merge(other); }
Shape::Shape(Shape&&) noexcept = default;
Shape& Shape::operator=(Shape&&) noexcept = default;

Shape& Shape::Key(std::string_view name) {
  for (auto& [key, shape] : keys_) {
    if (key == name) return shape;
  }
  return keys_.emplace_back(std::string(name), Shape()).second;
}

void Shape::Merge(const Shape& other) {
  is_boolean_ |= other.is_boolean_;
  is_string_ |= other.is_string_;
  is_object_ |= other.is_object_;
  is_array_ |= other.is_array_;
  is_negative_ |= other.is_negative_;
  is_positive_ |= other.is_positive_;
  is_large_ |= other.is_large_;
  is_fraction_ |= other.is_fraction_;
  is_inexact_ |= other.is_inexact_;
  for (const auto& [name, shape] : other.keys_) Key(name).Merge(shape);
  if (other.items_) {
    if (!items_) items_ = std::make_unique<Shape>();
    items_->Merge(*other.items_);
  }
}

arrow::Result<std::shared_ptr<arrow::DataType>> Shape::Type(const std::string& path) const {
  const bool is_integer = is_negative_ || is_positive_ || is_large_;
  std::string kinds;
  int count = 0;
  const std::pair<bool, const char*> all[] = {{is_boolean_, "booleans"},
                                              {is_integer || is_fraction_, "numbers"},
                                              {is_string_, "strings"},
                                              {is_array_, "arrays"},
                                              {is_object_, "objects"}};
  for (const auto& [seen, name] : all) {
    if (!seen) continue;
    kinds += (count++ == 0 ? "" : " and ") + std::string(name);
  }
  if (count > 1) {
    return Status::TypeError("column `", path, "` has ", kinds,
                             ", for which there is no common type. Declare a schema without it");
  }
  if (is_boolean_) return arrow::boolean();
  if (is_string_) return arrow::utf8();
  if (is_fraction_ || (is_negative_ && is_large_)) {
    if (is_inexact_) {
      return Status::TypeError("column `", path,
                               "` has integers that a double can't hold, and numbers that are no "
                               "64-bit integers: declare a schema to say which type is meant");
    }
    return arrow::float64();
  }
  if (is_large_) return arrow::uint64();
  if (is_integer) return arrow::int64();
  if (is_array_) {
    if (!items_) return arrow::list(arrow::null());
    ARROW_ASSIGN_OR_RAISE(auto item, items_->Type(path + "[]"));
    return arrow::list(std::move(item));
  }
  if (is_object_) {
    arrow::FieldVector fields;
    for (const auto& [name, shape] : keys_) {
      ARROW_ASSIGN_OR_RAISE(auto type, shape.Type(path.empty() ? name : path + "." + name));
      fields.push_back(arrow::field(name, std::move(type)));
    }
    return arrow::struct_(std::move(fields));
  }
  return arrow::null();
}

std::vector<std::shared_ptr<arrow::DataType>> Shape::OtherTypes() const {
  std::vector<std::shared_ptr<arrow::DataType>> out;
  const bool is_integer = is_negative_ || is_positive_ || is_large_;
  if (!is_integer || is_fraction_ || (is_negative_ && is_large_)) return out;
  if (is_boolean_ || is_string_ || is_object_ || is_array_) return out;
  if (!is_negative_ && !is_large_) out.push_back(arrow::uint64());
  if (!is_inexact_) out.push_back(arrow::float64());
  return out;
}

int64_t Shape::memory_size() const {
  int64_t bytes = sizeof(*this);
  for (const auto& [name, shape] : keys_)
    bytes += 100 + static_cast<int64_t>(name.size()) + shape.memory_size();
  if (items_) bytes += items_->memory_size();
  return bytes;
}

/// nlohmann's parser calls it event by event; false ends the parsing.
class ShapeReader {
 public:
  using json = nlohmann::json;
  explicit ShapeReader(Shape* shape) : stack_{shape} {}

  bool null() { return Value() != nullptr; }
  bool boolean(bool) { return Set(&Shape::is_boolean_); }
  bool number_integer(json::number_integer_t value) { return Integer(value); }
  bool number_unsigned(json::number_unsigned_t value) {
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return Integer(static_cast<int64_t>(value));
    Shape* shape = Value();
    if (!shape) return false;
    shape->is_large_ = true;
    shape->is_inexact_ |= std::nextafter(static_cast<double>(value), 0.0) > 1.8e19 ||
                          static_cast<uint64_t>(static_cast<double>(value)) != value;
    return true;
  }
  bool number_float(json::number_float_t, const std::string& text) {
    Shape* shape = Value();
    if (!shape) return false;
    shape->is_fraction_ = true;
    shape->is_inexact_ |= text.find_first_of(".eE") == text.npos;
    return true;
  }
  bool string(std::string&) { return Set(&Shape::is_string_); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) {
    if (stack_.size() > kMaxDepth) return Fail("it is nested too deeply");
    Shape* shape = at_top_ ? stack_.back() : Value();
    if (!shape) return false;
    at_top_ = false;
    shape->is_object_ = true;
    stack_.push_back(shape);
    in_array_.push_back(false);
    return true;
  }
  bool key(std::string& name) {
    key_ = name;
    return true;
  }
  bool end_object() { return Pop(); }
  bool start_array(std::size_t) {
    if (stack_.size() > kMaxDepth) return Fail("it is nested too deeply");
    Shape* shape = Value();
    if (!shape) return false;
    shape->is_array_ = true;
    if (!shape->items_) shape->items_ = std::make_unique<Shape>();
    stack_.push_back(shape);
    in_array_.push_back(true);
    return true;
  }
  bool end_array() { return Pop(); }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    if (error_.empty())
      error_ = "it is no JSON object, at byte " + std::to_string(position) + " of it";
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  bool Fail(const char* error) {
    error_ = error;
    return false;
  }
  bool Pop() {
    stack_.pop_back();
    in_array_.pop_back();
    return true;
  }
  /// Where the next value belongs.
  Shape* Value() {
    if (at_top_) {
      Fail("it is JSON, but no object");
      return nullptr;
    }
    return in_array_.back() ? stack_.back()->items_.get() : &stack_.back()->Key(key_);
  }
  bool Set(bool Shape::* kind) {
    Shape* shape = Value();
    if (!shape) return false;
    shape->*kind = true;
    return true;
  }
  bool Integer(int64_t value) {
    Shape* shape = Value();
    if (!shape) return false;
    (value < 0 ? shape->is_negative_ : shape->is_positive_) = true;
    const auto as_double = static_cast<double>(value);
    shape->is_inexact_ |= std::fabs(as_double) > 9.2e18 || static_cast<int64_t>(as_double) != value;
    return true;
  }

  std::vector<Shape*> stack_;
  std::vector<bool> in_array_;
  std::string key_, error_;
  bool at_top_ = true;
};

Status ReadShape(std::string_view line, Shape* shape) {
  ShapeReader reader(shape);
  if (nlohmann::json::sax_parse(line.begin(), line.end(), &reader)) return Status::OK();
  return Status::Invalid(reader.error().empty() ? "it is no JSON object" : reader.error());
}

}  // namespace shoal::formats::json
