// Partitioning: how paths carry column values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace shoal {

/// A key found in a path and its value as text, decoded; no value is null.
struct PartitionKey {
  std::string name;
  std::optional<std::string> value;
  friend bool operator==(const PartitionKey&, const PartitionKey&) = default;
};

/// Reads keys from paths, one segment at a time, so that a directory can be judged before it is
/// listed. Thread rule: const methods are called from many threads at once.
class Partitioning {
 public:
  virtual ~Partitioning() = default;

  /// "hive", "directory", "filename", "none" or the name of a user's own.
  virtual std::string_view name() const = 0;

  /// Keys carried by a directory name. `depth` is 0 for directories in partition_base_dir. A name
  /// that carries no key gives none; it is not an error.
  virtual arrow::Result<std::vector<PartitionKey>> ParseDirectory(
      int depth, std::string_view segment) const = 0;
  /// Keys carried by a file name.
  virtual arrow::Result<std::vector<PartitionKey>> ParseFileName(std::string_view name) const {
    return std::vector<PartitionKey>{};
  }

  /// The only name that a directory at that depth can have where keys have these values, so that it
  /// need not be looked for in a listing. Nothing, as by default, where other names carry them too:
  /// `%61` is `a` where names are percent-decoded, and keys that are told by name may come in any
  /// order.
  virtual std::optional<std::string> OnlyDirectory(int depth,
                                                   const std::vector<PartitionKey>& values) const {
    return std::nullopt;
  }

  /// Whether a name itself says that it is a partition (`_year=2020`), so that prefixes which hide
  /// other names do not hide it.
  virtual bool NamesKey(std::string_view segment) const { return false; }
  /// Keys that a path must carry to be part of the table; a file without one of them is a misfit,
  /// and is not read. Where keys are told by position, a path that is too short would otherwise
  /// give its values to the wrong keys. Keys that are told by name need none: a missing one reads
  /// as null.
  virtual const std::vector<std::string>& required_keys() const;
  /// Whether a file whose path lacks required keys is part of the table all the same, and has null
  /// there, whatever its own columns say. It is reported as missing_key then.
  virtual bool null_where_missing() const { return false; }

  /// Types declared for keys; keys that are not in it get their types by inference. May be null.
  virtual const std::shared_ptr<arrow::Schema>& declared() const = 0;

  /// The path (directories below the base, then a file name prefix) of these keys: parsed, it gives
  /// them back, whatever the values are, and it never leads out of the base. What the layout cannot
  /// express is an error naming the key.
  struct FormattedPath {
    std::string directory;
    std::string file_prefix;
  };
  virtual arrow::Result<FormattedPath> Format(const std::vector<PartitionKey>& keys) const = 0;
};

struct HiveOptions {
  std::shared_ptr<arrow::Schema> declared;
  std::string null_marker = "__HIVE_DEFAULT_PARTITION__";
  bool percent_decode = true;
};
/// `key=value` directories, matched by name in any order. The value is all that follows the first
/// `=`. Keys and values are percent-decoded once; what is not validly encoded, or would not be
/// UTF-8, is taken as it stands (`50%`).
std::shared_ptr<const Partitioning> MakeHivePartitioning(HiveOptions options = {});

struct PositionalOptions {
  /// Keys in the order of the segments; types are taken from `declared` where it has them.
  std::vector<std::string> field_names;
  std::shared_ptr<arrow::Schema> declared;
  bool percent_decode = true;
  /// A path that is too short for all keys (`2024/x.parquet` of year and month) has null for those
  /// it lacks; else it is a misfit, and not read.
  bool null_where_missing = false;
};
/// The i-th directory is the value of the i-th key. Directories below the last key carry nothing.
/// Cannot express null or an empty text.
std::shared_ptr<const Partitioning> MakeDirectoryPartitioning(PositionalOptions options);
/// `a_b_rest.parquet`: the i-th part of the file name, split at `_`, is the value of the i-th key.
/// Directories carry nothing. Cannot express null, nor an empty text for the first key.
std::shared_ptr<const Partitioning> MakeFilenamePartitioning(PositionalOptions options);
/// Paths carry nothing.
std::shared_ptr<const Partitioning> MakeNoPartitioning();

}  // namespace shoal
