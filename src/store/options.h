// Options of stores under the names that users of other programs know.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "store/access.h"

namespace shoal::store {

enum class Kind { kS3, kGcs, kAzure };

/// By the scheme of a URI: `s3`; `gs` or `gcs`; `abfs` or `abfss`. Nothing if it names none of the
/// stores.
std::optional<Kind> KindOf(std::string_view uri);

/// Options under one name each.
class Options {
 public:
  /// `given` has names as Polars and other users of object_store, pandas and fsspec, or pyarrow
  /// have them; upper and lower case are the same. An unknown name, or two that mean the same, are
  /// errors naming them.
  static arrow::Result<Options> Parse(Kind kind, const std::map<std::string, std::string>& given);

  /// The value, or an empty text.
  const std::string& operator[](std::string_view name) const;
  bool Has(std::string_view name) const { return !(*this)[name].empty(); }
  /// Adds an option of the URI. REQUIRES: a name as operator[] takes it.
  arrow::Status Add(std::string_view name, std::string value);
  arrow::Result<bool> Flag(std::string_view name) const;
  /// The name as it was given, in quotes.
  std::string Spelled(std::string_view name) const;
  /// Invalid, naming them, if several of these are given. (`anonymous` is, where it is true.)
  arrow::Status OnlyOneOf(std::initializer_list<std::string_view> names) const;
  /// Invalid, naming it, if `name` is given and not all others are.
  arrow::Status OnlyWith(std::string_view name,
                         std::initializer_list<std::string_view> needed) const;
  /// `deadline` and `timeout`, as far as they are given.
  arrow::Result<Limits> ReadLimits() const;
  arrow::Result<double> Seconds(std::string_view name, double otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string_view, std::string> spelled_;  // names have static storage
};

}  // namespace shoal::store
