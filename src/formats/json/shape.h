// What kinds of values were seen under each key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::formats::json {

/// Objects and arrays inside each other, at most.
constexpr int kMaxDepth = 100;

/// Of all values under one key, or in one array.
class Shape {
 public:
  Shape();
  ~Shape();
  Shape(const Shape& other);
  Shape(Shape&&) noexcept;
  Shape& operator=(Shape&&) noexcept;

  void Merge(const Shape& other);
  /// Invalid if there is no type that all values have; the message names the place (`path`).
  arrow::Result<std::shared_ptr<arrow::DataType>> Type(const std::string& path) const;
  /// The types besides Type() that hold all values, unaltered, if they are numbers: uint64, double.
  std::vector<std::shared_ptr<arrow::DataType>> OtherTypes() const;
  /// Of an object: what is under its keys, in order of first appearance.
  const std::vector<std::pair<std::string, Shape>>& keys() const { return keys_; }
  int64_t memory_size() const;

 private:
  friend class ShapeReader;
  Shape& Key(std::string_view name);

  bool is_boolean_ = false, is_string_ = false, is_object_ = false, is_array_ = false;
  // Numbers: integers of int64 below 0, of int64 from 0, of uint64 alone; others; and whether a
  // double would alter one of the integers.
  bool is_negative_ = false, is_positive_ = false, is_large_ = false, is_fraction_ = false;
  bool is_inexact_ = false;
  std::vector<std::pair<std::string, Shape>> keys_;
  std::unique_ptr<Shape> items_;
};

/// Takes one line's object into `shape`. Invalid: what is wrong with it, and at which byte (from
/// 1).
arrow::Status ReadShape(std::string_view line, Shape* shape);

}  // namespace shoal::formats::json
