// A tree of directories that is read piece by piece: what its entries are, which of them are data,
// and which keys their paths carry. The order in which it is read is the business of walk.h and
// sample.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <arrow/result.h>

#include <shoal/listing.h>

#include "base/glob.h"
#include "list/directory_reader.h"

namespace shoal::list {

/// Where a walk starts, and what of it is wanted.
struct TreeRoot {
  std::string directory;                   // normalised
  std::string partition_base;              // normalised
  std::shared_ptr<const base::Glob> glob;  // null: everything
};

/// A directory. Once read, its entries are in the order of their names, directories with a `/`
/// behind them.
struct Directory {
  std::string prefix;  // the path with a `/` at its end, or empty
  int depth = 0;       // below the root
  int key_depth = -1;  // below the partition base; -1: not below it
  std::vector<PartitionKey> keys;
  bool has_required_keys = true;
  bool whole =
      true;  // all that is in it is wanted; else only what the glob matches from `positions` on
  base::Glob::Positions positions;      // of the glob
  std::shared_ptr<RawTree> read_ahead;  // where a recursive request has read it already

  struct Entry {
    uint32_t offset = 0, length = 0;  // of the name, in `names`
    bool is_directory = false;
    std::shared_ptr<Directory> child;  // of a directory, once it is needed: see Tree::Child
    FileVersion version = {};
  };
  bool read = false;
  std::string names;
  std::vector<Entry> entries;
};

class Tree {
 public:
  Tree(std::shared_ptr<const DirectoryReader> reader, const ListOptions& options, TreeRoot root);

  /// The root, not read yet.
  arrow::Result<std::shared_ptr<Directory>> Root();

  /// Reads directories, as many at a time as allowed, and drops the subdirectories that the filter
  /// over keys rules out. With `recursive`, all that is below them is read too.
  arrow::Status Read(const std::vector<std::shared_ptr<Directory>>& directories, bool recursive,
                     bool missing_ok = false);

  /// Reads the directory that the known values of keys lead to from this one, if there is one, and
  /// what is above it counts as read: that directory is all of it that is wanted.
  arrow::Status GoToKnownKeys(const std::shared_ptr<Directory>& from);

  /// The directory that an entry of `parent` is. Samples look at few of those that they see.
  arrow::Result<std::shared_ptr<Directory>> Child(const Directory& parent,
                                                  Directory::Entry* entry) const;

  /// Adds the file entries [begin, end) of a directory to a page.
  arrow::Status AddFiles(const Directory& directory, size_t begin, size_t end, FileTable* page);

  /// Of all directories read so far.
  ListingReport& report() { return report_; }
  const DirectoryReader& reader() const { return *reader_; }
  const ListOptions& options() const { return options_; }
  const TreeRoot& root() const { return root_; }

 private:
  /// `report`: of what is left out.
  arrow::Status Classify(Directory* directory, RawListing raw, ListingReport* report) const;
  arrow::Status ClassifyEntry(Directory* directory, const RawListing& raw, const RawEntry& entry,
                              const std::unordered_set<std::string_view>& folders,
                              ListingReport* report) const;
  /// Those of the directory of that name, with its parent's.
  arrow::Result<std::vector<PartitionKey>> KeysOf(const Directory& parent,
                                                  std::string_view name) const;
  arrow::Result<std::shared_ptr<Directory>> MakeChild(const Directory& parent,
                                                      std::string_view name) const;
  arrow::Status FilterDirectories(const std::vector<std::shared_ptr<Directory>>& parents);

  const std::shared_ptr<const DirectoryReader> reader_;
  const ListOptions& options_;
  const TreeRoot root_;
  ListingReport report_;
};

/// Drops from the page what the filter over keys rules out, and counts the rest.
arrow::Result<FileTable> FilterPage(const ListOptions& options, FileTable page,
                                    ListingReport* report);

/// Whether `name` begins with a prefix that hides it. (Directories that name their key are not
/// hidden.)
const std::string* HidingPrefix(const ListOptions& options, std::string_view name);
/// Whether the name has one of the wanted endings.
bool HasWantedExtension(const ListOptions& options, std::string_view name);
/// `keys` and `more`; a name that is in both is an error naming `path`.
arrow::Result<std::vector<PartitionKey>> JoinKeys(std::vector<PartitionKey> keys,
                                                  std::vector<PartitionKey> more,
                                                  const std::string& path);
/// The required keys that are not among `keys`. Views of the partitioning's names.
std::vector<std::string_view> MissingKeys(const Partitioning& partitioning,
                                          const std::vector<PartitionKey>& keys);
/// The keys of the directories between `partition_base` and `directory`; its depth below the base,
/// or -1.
struct BaseKeys {
  int depth = -1;
  std::vector<PartitionKey> keys;
};
arrow::Result<BaseKeys> ParseBelowBase(const Partitioning& partitioning,
                                       const std::string& partition_base,
                                       const std::string& directory);

/// At most so many reads at a time.
int ReadConcurrency(const DirectoryReader& reader, const ListOptions& options);
/// Starting a thread costs about as much as reading a few local directories.
inline constexpr int64_t kLocalReadsPerThread = 4;

}  // namespace shoal::list
