// Columns that are not in files but about them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

namespace shoal {

enum class VirtualColumn {
  kFilename,   // string: the file's path, as the filesystem spells it
  kRowIndex,   // int64: the row's place in its file, from 0, whatever filters leave of the file
  kFileSize,   // int64: bytes of the file, as it was listed
  kFileMtime,  // timestamp[ns, UTC]: when the file was last changed; null where nothing tells it
  kFragmentIndex,  // int64: the file's place among all that are listed, from 0, whatever filters
                   // leave of them; takes a full listing
};
inline constexpr int kNumVirtualColumns = 5;

/// "filename", "row_index", ...
std::string_view ToString(VirtualColumn column);

/// The names by which virtual columns can be asked for, in projections, expressions and filters.
/// They are in no schema, and not among "all columns". A column of the table of that name comes
/// first: then the virtual one needs another name. Empty: it cannot be asked for.
struct VirtualColumnNames {
  std::string filename = "__filename";
  std::string row_index = "__row_index";
  std::string file_size = "__file_size";
  std::string file_mtime = "__file_mtime";
  std::string fragment_index = "__fragment_index";

  const std::string& Of(VirtualColumn column) const;
};

/// A virtual column that is used, and how it is called.
struct VirtualField {
  VirtualColumn column = VirtualColumn::kFilename;
  std::string name;
  friend bool operator==(const VirtualField&, const VirtualField&) = default;
};

/// The field as it stands in schemas; none of them but the mtime is nullable.
std::shared_ptr<arrow::Field> ToField(const VirtualField& field);

}  // namespace shoal
