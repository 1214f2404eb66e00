// Which types the values of a column can be read as.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/csv/options.h>
#include <arrow/csv/parser.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::formats::csv {

/// Types that lose nothing of any value seen so far. An intersection over files is what is lost
/// nowhere.
class TypeSet {
 public:
  static TypeSet All();
  TypeSet Both(TypeSet other) const { return TypeSet(bits_ & other.bits_); }
  friend bool operator==(TypeSet, TypeSet) = default;
  /// The first in the order of CsvOptions. A column of nulls of which more may come is text, which
  /// takes any.
  std::shared_ptr<arrow::DataType> First(bool all_seen) const;
  /// Those after it, in that order. Nulls of which more may come have the type that others have.
  std::vector<std::shared_ptr<arrow::DataType>> Others(bool all_seen) const;

 private:
  friend class TypeFinder;
  explicit TypeSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_;
};

/// How values are read, as Arrow's converters want it, and what they don't know of.
struct ValueOptions {
  std::shared_ptr<arrow::csv::ConvertOptions> convert;
  bool quoted_text = false;
};

class TypeFinder {
 public:
  explicit TypeFinder(const ValueOptions& options) : options_(options) {}
  /// Of `before` those that the column's values in `parser` can be read as, too. Invalid if they
  /// are not even text.
  arrow::Result<TypeSet> Narrow(TypeSet before, const arrow::csv::BlockParser& parser, int column);

 private:
  const ValueOptions& options_;
};

/// Values of the column that converter and type would take, but alter: for a type that was found,
/// not declared, 01 as an integer; for any, an integer that a double can't hold. Invalid; with
/// the row's number in front, as Arrow's own errors have it, if the parser knows its first row.
arrow::Status CheckKept(const arrow::csv::BlockParser& parser, int column,
                        const arrow::DataType& type, bool declared, const ValueOptions& options);

}  // namespace shoal::formats::csv
