// SchemaRules: how the columns of files become those of one table.
#pragma once

namespace shoal {

/// What is done about a name that several columns of one file (or fields of one struct) have.
enum class DuplicateNames {
  kError,   // an error that names the column and the file
  kRename,  // the second `v` is `v_1`, the next `v_2`, leaving out names that are taken
};

/// Which types of a column in two files go together.
enum class Promote {
  kLossless,    // those of which one type holds all values
  kPermissive,  // besides, those of which one type holds most: a value that it does not hold is an
                // error when it is read (docs/formats.md has the table)
};

struct SchemaRules {
  DuplicateNames duplicate_names = DuplicateNames::kError;
  /// Names that differ in case alone are one name, as it was first seen: columns, fields of
  /// structs, keys of paths. Letters are compared in lower case, one by one, in all of Unicode
  /// (Arrow's `utf8_lower`). Two columns of one file that are alike are duplicates.
  bool case_insensitive = false;
  Promote promote = Promote::kLossless;

  /// Whether a file's columns may get other names than they have there.
  bool may_rename() const { return case_insensitive || duplicate_names == DuplicateNames::kRename; }
  friend bool operator==(const SchemaRules&, const SchemaRules&) = default;
};

}  // namespace shoal
