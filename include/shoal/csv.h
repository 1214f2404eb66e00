// CSV files: how they are written, and how what they say is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include <shoal/file_format.h>
#include <shoal/infer_from.h>

namespace shoal {

/// The defaults read RFC 4180 and what most programs write.
///
/// The type of a column is the first of these that alters no value seen in any inspected file:
/// null (there is none but nulls), int64, bool, date32, time32[s], timestamp[s], timestamp[ns], the
/// same in UTC (for values with an offset), double, string. Digits with zeros or a `+` in
/// front, and `-0`, are text, and integers that a double can't hold are no double. A value that
/// turns up later and does not fit is an error that names file, line, column and value; declare a
/// schema, or infer from all.
struct CsvOptions {
  /// Not set: a tab in files named .tsv or .tab (and .tsv.gz, ...), else a comma.
  std::optional<char> delimiter;
  /// Not set: quotes mean nothing.
  std::optional<char> quote = '"';
  /// A quote inside quotes is written twice.
  bool double_quote = true;
  /// The character that takes the meaning from the one after it; not set: none.
  std::optional<char> escape;
  /// Lines that begin with it are left out; not set: none.
  std::optional<char> comment;
  /// Lines that are left out before anything else.
  int64_t skip_rows = 0;
  /// Whether the first record has the columns' names.
  bool header = true;
  /// The columns' names, in place of the header's. Empty, and no header: f0, f1, ...
  std::vector<std::string> column_names;
  /// Leave out lines without a byte in files of one column, too, where they are how a null is
  /// written. In other files they are always left out.
  bool skip_empty_lines = false;
  /// utf-8, latin1, utf-16, or what else the machine's iconv knows; spelled with `_` or `-` as in
  /// Python, too (utf_8, latin-1, utf-16-le, utf-8-sig). A byte order mark is no data.
  std::string encoding = "utf-8";
  /// The texts that mean null. By default only the empty one, which is the empty string where it is
  /// quoted.
  std::vector<std::string> null_values = {""};
  /// Whether a null value may be quoted.
  bool quoted_null = false;
  /// Whether columns of text have nulls; otherwise each value there is text.
  bool string_null = true;
  std::vector<std::string> true_values = {"true", "True", "TRUE"};
  std::vector<std::string> false_values = {"false", "False", "FALSE"};
  char decimal_point = '.';
  /// Quoted values are text, whatever they look like.
  bool quoted_text = false;
  InferFrom infer = InferFrom::kSample;
};

/// Files are unpacked by the end of their names: .gz (of any number of members), .bz2, .zst or
/// .zstd, .lz4.
/// Invalid, naming the option, if one makes no sense.
arrow::Result<std::shared_ptr<const FileFormat>> MakeCsvFormat(CsvOptions options = {});

}  // namespace shoal
